// Numbers with 192 binary digits after the point, as integers: for tables of exact functions.

const DIGITS = 192n;
const ONE = 1n << DIGITS;

/** `numerator / 2^digits`. */
export const dyadic = (numerator: number, digits: number): bigint =>
  BigInt(numerator) << (DIGITS - BigInt(digits));

export const divide = (a: bigint, b: bigint): bigint => (a << DIGITS) / b;

/** The nearest float64. */
export const toNumber = (a: bigint): number => Number(a) * 2 ** -192;

/** The nearest float64, and the float64 nearest to what it leaves. */
export function toPair(a: bigint): readonly [high: number, low: number] {
  const high = Number(a);
  return [high * 2 ** -192, toNumber(a - BigInt(high))];
}

/** Sine and cosine of an angle of about 1, by their Taylor series. */
export function sinCosOf(x: bigint): { sin: bigint; cos: bigint } {
  const sums = [0n, 0n, 0n, 0n]; // of every fourth term
  let term = ONE;
  for (let n = 0; term !== 0n; n++) {
    sums[n % 4] += term;
    term = ((term * x) >> DIGITS) / BigInt(n + 1);
  }
  return { cos: sums[0] - sums[2], sin: sums[1] - sums[3] };
}

/** 2^(i / 128) for i from 0 to 127. */
export function rootsOfTwo(): bigint[] {
  let root = BigInt(2 ** (1 / 128) * 2 ** 53) << (DIGITS - 53n);
  // Newton's rule for root^128 = 2; each round doubles the digits.
  for (let round = 0; round < 4; round++) {
    let power = root;
    for (let doubling = 0; doubling < 7; doubling++) power = (power * power) >> DIGITS;
    root += (root * (2n * ONE - power)) >> (DIGITS + 8n);
  }
  const powers = [ONE];
  for (let i = 1; i < 128; i++) powers.push((powers[i - 1] * root) >> DIGITS);
  return powers;
}
