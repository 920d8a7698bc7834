// Logarithm, exponential, sine, cosine and tangent for float64 random numbers.
//
// `Math.log`, `Math.sin` and the others differ between JavaScript engines and from the C library
// under PyTorch: with V8 one normal number in fifteen has another last bit. The functions here are
// rounded from about 80 bits. They give the same numbers in every engine, and those of glibc in
// more than 998 of 1000 cases.

import { type Pair, twoProduct, twoSum } from './fma.js';

// Arithmetic on pairs: T. J. Dekker, "A floating-point technique for extending the available
// precision", Numerische Mathematik 18 (1971).

function add(a: Pair, b: Pair): Pair {
  const high = twoSum(a.high, b.high);
  const low = twoSum(a.low, b.low);
  const sum = twoSum(high.high, high.low + low.high);
  return twoSum(sum.high, sum.low + low.low);
}

function multiply(a: Pair, b: Pair): Pair {
  const product = twoProduct(a.high, b.high);
  return twoSum(product.high, product.low + (a.high * b.low + a.low * b.high));
}

function divide(a: Pair, b: Pair): Pair {
  const quotient = a.high / b.high;
  const { high, low } = twoProduct(quotient, b.high);
  return twoSum(quotient, (a.high - high - low + a.low - quotient * b.low) / b.high);
}

const pair = (high: number, low = 0): Pair => ({ high, low });
const negate = (a: Pair): Pair => pair(-a.high, -a.low);
const scale = (a: Pair, power: number): Pair => pair(a.high * power, a.low * power);

/** A power series: the first coefficients are pairs; the rest, which weighs little, are numbers. */
interface Series {
  readonly head: readonly Pair[];
  readonly tail: readonly number[];
}

/** The coefficients for j from `first` to `last`; the first `pairs` of them to twice the digits. */
function series(
  first: number,
  last: number,
  pairs: number,
  coefficient: (j: number) => readonly [numerator: number, denominator: number],
): Series {
  const head: Pair[] = [];
  const tail: number[] = [];
  for (let j = first; j <= last; j++) {
    const [numerator, denominator] = coefficient(j);
    if (head.length < pairs) head.push(divide(pair(numerator), pair(denominator)));
    else tail.push(numerator / denominator);
  }
  return { head, tail };
}

function evaluate({ head, tail }: Series, x: Pair): Pair {
  const rest = tail.reduceRight((sum, coefficient) => sum * x.high + coefficient, 0);
  return head.reduceRight((sum, coefficient) => add(multiply(sum, x), coefficient), pair(rest));
}

function factorial(n: number): number {
  let product = 1;
  for (let i = 2; i <= n; i++) product *= i;
  return product;
}

// atanh(s) / s = 1 + s^2 / 3 + s^4 / 5 + …, and the Taylor series of sin(r) / r and cos(r), all
// without the leading 1 and in powers of the square; that of exp(r), without the leading 1.
const ATANH = series(1, 17, 4, (j) => [1, 2 * j + 1]);
const SIN = series(1, 12, 4, (j) => [(-1) ** j, factorial(2 * j + 1)]);
const COS = series(1, 12, 4, (j) => [(-1) ** j, factorial(2 * j)]);

const EXP = series(1, 20, 9, (j) => [1, factorial(j)]);

const LN2 = pair(Math.LN2, 2.3190468138462996e-17);

/** The natural logarithm of 0 or a positive, normal float64. */
export function log(x: number): number {
  if (x === 0) return -Infinity;
  const exponent = Math.round(Math.log2(x));
  const m = x * 2 ** -exponent; // about 0.71 to 1.41
  // log m = 2 atanh s with s = (m - 1) / (m + 1)
  const s = divide(pair(m - 1), twoSum(m, 1));
  const square = multiply(s, s);
  const logM = scale(add(s, multiply(s, multiply(square, evaluate(ATANH, square)))), 2);
  return add(multiply(pair(exponent), LN2), logM).high;
}

/** e to the power of a float64. */
export function exp(x: number): number {
  const exponent = Math.round(x / LN2.high);
  if (!(Math.abs(exponent) < 1100)) return Math.exp(x); // 0, infinite or NaN
  const r = add(pair(x), negate(multiply(pair(exponent), LN2))); // |r| is at most ln 2 / 2
  const m = add(pair(1), multiply(r, evaluate(EXP, r))).high;
  const half = Math.trunc(exponent / 2); // 2^exponent itself may lie outside float64
  return m * 2 ** half * 2 ** (exponent - half);
}

// π/2 in three parts
const HALF_PI = pair(1.5707963267948966, 6.123233995736766e-17);
const HALF_PI_REST = -1.4973849048591833e-33;

interface SinCos<T> {
  readonly sin: T;
  readonly cos: T;
}

function sinCosPairs(angle: number): SinCos<Pair> {
  const quarters = Math.round(angle / HALF_PI.high);
  const first = twoProduct(quarters, HALF_PI.high);
  const second = twoProduct(quarters, HALF_PI.low);
  let r = add(pair(angle - first.high, -first.low), negate(second));
  r = add(r, pair(-quarters * HALF_PI_REST)); // |r| is at most π/4
  const square = multiply(r, r);
  const sin = add(r, multiply(r, multiply(square, evaluate(SIN, square))));
  const cos = add(pair(1), multiply(square, evaluate(COS, square)));
  switch (quarters % 4) {
    case 0:
      return { sin, cos };
    case 1:
      return { sin: cos, cos: negate(sin) };
    case 2:
      return { sin: negate(sin), cos: negate(cos) };
    default:
      return { sin: negate(cos), cos: sin };
  }
}

/** Sine and cosine of an angle from 0 to 2π. */
export function sinCos(angle: number): SinCos<number> {
  const { sin, cos } = sinCosPairs(angle);
  return { sin: sin.high, cos: cos.high };
}

/** The tangent of an angle from -2π to 2π. */
export function tan(angle: number): number {
  const { sin, cos } = sinCosPairs(Math.abs(angle));
  const positive = divide(sin, cos).high;
  return angle < 0 ? -positive : positive;
}
