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

/**
 * `a * b + c` with a single rounding to float64, unless the product comes near the smallest numbers
 * (2^-969). Written out, without pairs: millions of them stand behind a million normal numbers.
 */
export function fma64(a: number, b: number, c: number): number {
  const product = a * b;
  const scaledA = SPLIT * a;
  const scaledB = SPLIT * b;
  const a1 = scaledA - (scaledA - a);
  const b1 = scaledB - (scaledB - b);
  const a2 = a - a1;
  const b2 = b - b1;
  const lostByProduct = a2 * b2 - (product - a1 * b1 - a2 * b1 - a1 * b2);
  const sum = product + c;
  const ofC = sum - product;
  const lostBySum = product - (sum - ofC) + (c - ofC);
  const lost = lostByProduct + lostBySum;
  const high = sum + lost;
  // `sum` is 0 or outweighs `lost`: where a sum cancels, it loses nothing.
  const low = lost - (high - sum);
  // Only if `low` makes a tie does it matter that `lost` was rounded too.
  if (low !== 0 && high + 2 * low - high === 2 * low) {
    const third = twoSum(lostByProduct, lostBySum).low;
    return third !== 0 && third > 0 === low > 0 ? high + 2 * low : high;
  }
  return high - high === 0 ? high : a * b + c; // beyond the range of the splitting
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
