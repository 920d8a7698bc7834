// The exponential as glibc computes it since 2.28, after math/exp.c by S. Nagy in the ARM Optimized
// Routines. Each fused operation stands where GCC puts one in the variant for FMA.

import { fma64 } from '../fma.js';
import { rootsOfTwo, toPair } from './fixed-point.js';
import { scaled } from './words.js';

interface Root {
  readonly value: number;
  /** What `value` lacks to 2^(i / 128), relative to it. */
  readonly rest: number;
}

let roots: readonly Root[] | undefined;

/** 2^(i / 128), made at the first use. */
function root(i: number): Root {
  roots ??= rootsOfTwo().map((exact) => {
    const [value, rest] = toPair(exact);
    return { value, rest: rest / value };
  });
  return roots[i];
}

const PARTS = 184.6649652337873; // 128 / log 2
const TO_INTEGER = 1.5 * 2 ** 52;
const PART_HIGH = -0.005415212348111709; // -log 2 / 128 in two parts, the first with few digits
const PART_LOW = -1.2864023111638346e-14;
// (exp(r) - 1 - r) / r^2 for |r| < log 2 / 256
const C2 = 0.49999999999996786;
const C3 = 0.16666666666665886;
const C4 = 0.0416666808410674;
const C5 = 0.008333335853059549;

export function exp(x: number): number {
  if (!(Math.abs(x) < 1024)) return Math.exp(x); // 0, infinite or NaN
  if (Math.abs(x) < 2 ** -54) return 1 + x;
  const n = fma64(x, PARTS, TO_INTEGER) - TO_INTEGER;
  const r = fma64(n, PART_LOW, fma64(n, PART_HIGH, x));
  const i = n & 127;
  const exponent = (n - i) / 128;
  const { value, rest } = root(i);
  const r2 = r * r;
  const p = fma64(fma64(C3, r, C2), r2, r + rest);
  const growth = fma64(r2 * r2, fma64(r, C5, C4), p); // exp(r) - 1
  if (Math.abs(x) < 512) {
    const scale = scaled(value, exponent);
    return fma64(scale, growth, scale);
  }
  if (x > 0) {
    const scale = scaled(value, exponent - 1009);
    return fma64(scale, growth, scale) * 2 ** 1009;
  }
  return belowNormal(scaled(value, exponent + 1022), growth);
}

/** `(scale + scale * growth) * 2^-1022`, rounded once also where that has fewer digits. */
function belowNormal(scale: number, growth: number): number {
  const product = scale * growth;
  const sum = scale + product;
  if (sum >= 1) return sum * 2 ** -1022;
  const high = 1 + sum;
  const low = 1 - high + sum + (scale - sum + product);
  return (high + low - 1) * 2 ** -1022;
}
