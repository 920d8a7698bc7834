// The tangent as glibc 2.36 computes it, after the IBM Accurate Mathematical Library
// (sysdeps/ieee754/dbl-64/s_tan.c). Each fused operation stands where GCC puts one in the variant
// for FMA.

import { fma64 } from '../fma.js';
import { tanTable } from './tan-table.js';

// tan in powers of the square: without a table, and with one
const D3 = 0.3333333333333333;
const D5 = 0.1333333333332673;
const D7 = 0.05396825411095433;
const D9 = 0.021869380598167253;
const D11 = 0.008896546349534924;
const E0 = 0.3333333333332254;
const E1 = 0.13333354920669913;

const TINY = 1.2589993048095494e-8;
const SMALL = 0.060799986124038696;
const QUARTER_PI = 0.7869997024536133;
const TO_INTEGER = 1.5 * 2 ** 52;
const TWO_OVER_PI = 0.6366197723675814;
// π/2 in three parts; few digits in the first two keep small multiples exact.
const PART1 = 1.5707963407039642;
const PART2 = -1.3909067564377153e-8;
const PART3 = -4.9789962505147994e-17;

/** tan a - a + da for a small angle. */
function growth(a: number, da: number): number {
  const aa = a * a;
  const p = fma64(fma64(fma64(fma64(D11, aa, D9), aa, D7), aa, D5), aa, D3);
  return fma64(a * aa, p, da);
}

/** tan(a + da), or its inverse, for `a` from 0.0608 to 0.787: by the addition theorem. */
function byTable(a: number, da: number, inverse: boolean): number {
  const { angle, tan, cot } = tanTable()[Math.trunc(fma64(256, a, -15.5))];
  const z = a - angle + da;
  const zz = z * z;
  const tanZ = fma64(z * zz, fma64(zz, E1, E0), z);
  const product = (tan + cot) * tanZ;
  return inverse ? cot - product / (tanZ + tan) : tan + product / (cot - tanZ);
}

/** 1 / (high + low), where `low` is small: a quotient with its remainder. */
function reciprocal(high: number, low: number): number {
  const quotient = 1 / high;
  const product = quotient * high;
  const remainder = 1 - product - fma64(quotient, high, -product);
  const rest = fma64(-low, quotient, remainder) / high;
  const sum = quotient + rest;
  return quotient - sum + rest + sum;
}

/** The tangent of an angle from -25 to 25. */
export function tan(angle: number): number {
  const size = Math.abs(angle);
  if (size <= TINY) return angle;
  if (size <= SMALL) return tanSmall(angle);
  if (size <= QUARTER_PI) return Math.sign(angle) * byTable(size, 0, false);
  const quarters = fma64(angle, TWO_OVER_PI, TO_INTEGER) - TO_INTEGER;
  const y = angle - quarters * PART1 - quarters * PART2;
  const a = fma64(-quarters, PART3, y);
  const da = fma64(-quarters, PART3, y - a);
  const odd = quarters % 2 !== 0; // tan(x + π/2) = -1 / tan x
  if (Math.abs(a) > SMALL) {
    const sign = Math.sign(a);
    return (odd ? -sign : sign) * byTable(sign * a, sign * da, odd);
  }
  const rest = growth(a, da);
  const sum = a + rest;
  if (!odd) return sum;
  return -reciprocal(sum, Math.abs(a) > Math.abs(rest) ? a - sum + rest : rest - sum + a);
}

/** tan x for small x, as one fused sum. */
const tanSmall = (x: number): number => growth(x, x);
