// Fused multiply-add, and the exact sums and products that it is made of.
//
// GCC contracts `x * range + from` in PyTorch's AVX2 and ARM kernels into one fused operation, so
// the last bits of a uniform or normal number need it. JavaScript has none. The error terms are
// those of Dekker (Numerische Mathematik 18, 1971) and Knuth (The Art of Computer Programming 2).

/** An unevaluated sum `high + low`, where `low` is at most half a unit in the last place of `high`. */
export interface Pair {
  readonly high: number;
  readonly low: number;
}

const SPLIT = 2 ** 27 + 1; // halves a 53-bit significand

/** `a + b` rounded, and what the rounding lost (Knuth). */
export function twoSum(a: number, b: number): Pair {
  const high = a + b;
  const ofB = high - a;
  return { high, low: a - (high - ofB) + (b - ofB) };
}

/** `a * b` rounded, and what the rounding lost (Dekker). Both factors are below 2^996. */
export function twoProduct(a: number, b: number): Pair {
  const high = a * b;
  const scaledA = SPLIT * a;
  const scaledB = SPLIT * b;
  const a1 = scaledA - (scaledA - a);
  const b1 = scaledB - (scaledB - b);
  const a2 = a - a1;
  const b2 = b - b1;
  return { high, low: a2 * b2 - (high - a1 * b1 - a2 * b1 - a1 * b2) };
}

/** `a * b + c` with a single rounding to float64. */
export function fma64(a: number, b: number, c: number): number {
  const product = twoProduct(a, b);
  if (!Number.isFinite(product.low)) return a * b + c; // beyond the range of the splitting
  const sum = twoSum(product.high, c);
  const rest = twoSum(sum.low, product.low);
  const { high, low } = twoSum(sum.high, rest.high);
  // Three terms remain: high + low + rest.low. The last one decides when `low` makes a tie.
  const beyond = high + 2 * low;
  const tie = low !== 0 && beyond - high === 2 * low;
  return tie && low * rest.low > 0 ? beyond : high;
}

/** `a * b + c` of float32 numbers with a single rounding to float32. */
export function fma32(a: number, b: number, c: number): number {
  const product = a * b; // exact: 48 bits
  const sum = product + c;
  const rounded = Math.fround(sum);
  const rest = sum - rounded;
  if (rest === 0) return rounded;
  // `sum` was rounded to 53 bits before; that matters only if it lies between two float32 numbers.
  const beyond = rounded + 2 * rest;
  if (Math.fround(beyond) !== beyond) return rounded;
  return rest * twoSum(product, c).low > 0 ? beyond : rounded;
}
