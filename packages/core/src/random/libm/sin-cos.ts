// Sine and cosine as glibc computes them together (sincos) since 2.28, after the IBM Accurate
// Mathematical Library (sysdeps/ieee754/dbl-64/s_sin.c and s_sincos.c). GCC makes one call of the
// two in PyTorch's Box-Muller transform. Each fused operation stands where GCC puts one in the
// variant for FMA.

import { fma64 } from '../fma.js';
import { sinCosTable } from './sin-cos-table.js';

export interface SinCos {
  readonly sin: number;
  readonly cos: number;
}

// Sine in powers of the square: for the table, and the Taylor series for small angles
const SN3 = -0.16666666666666488;
const SN5 = 0.008333332142857223;
const S1 = -0.16666666666666666;
const S2 = 0.008333333333332329;
const S3 = -0.00019841269834414642;
const S4 = 2.755729806860771e-6;
const S5 = -2.5022014848318398e-8;
// 1 - cosine
const CS2 = 0.5;
const CS4 = -0.04166666666666644;
const CS6 = 0.001388888740079376;

/** Rounds to a multiple of 1 / 128 when added. */
const TO_TABLE = 1.5 * 2 ** 45;
const TO_INTEGER = 1.5 * 2 ** 52;

const HALF_PI_HIGH = 1.5707963267948966;
const HALF_PI_LOW = 6.123233995736766e-17;
const TWO_OVER_PI = 0.6366197723675814;
// π/2 in four parts; few digits in the first three keep small multiples exact.
const PART1 = 1.5707963407039642;
const PART2 = -1.3909067564377153e-8;
const PART3 = -4.97899623147991e-17;
const PART4 = -1.9034889620193266e-25;

/** Sine of `a + da`, where `a` is 0 to 0.855469. */
function sinOf(a: number, da: number): number {
  if (a < 0.126) {
    const xx = a * a;
    const p = fma64(fma64(fma64(fma64(S5, xx, S4), xx, S3), xx, S2), xx, S1);
    return a + fma64(xx, fma64(p, a, -0.5 * da), da);
  }
  const table = sinCosTable();
  const rounded = TO_TABLE + a - TO_TABLE;
  const row = rounded * 512;
  const sn = table[row];
  const cs = table[row + 2];
  const x = a - rounded;
  const xx = x * x;
  const s = x + fma64(x * xx, fma64(SN5, xx, SN3), da);
  const c = fma64(x, da, xx * fma64(fma64(CS6, xx, CS4), xx, CS2));
  return sn + fma64(s, cs, fma64(-c, sn, fma64(table[row + 3], s, table[row + 1])));
}

/** Cosine of `a + da`, where `a` is 0 to 0.855469. */
function cosOf(a: number, da: number): number {
  const table = sinCosTable();
  const rounded = TO_TABLE + a - TO_TABLE;
  const row = rounded * 512;
  const sn = table[row];
  const cs = table[row + 2];
  const x = a - rounded + da;
  const xx = x * x;
  const s = fma64(x * xx, fma64(SN5, xx, SN3), x);
  const c = xx * fma64(fma64(CS6, xx, CS4), xx, CS2);
  return cs + fma64(-s, sn, fma64(-c, cs, fma64(-s, table[row + 1], table[row + 3])));
}

/** Sine and cosine of an angle from 0 to 10^8. */
export function sinCos(angle: number): SinCos {
  if (angle < 2 ** -27) return { sin: angle, cos: 1 };
  if (angle < 0.85546875) return { sin: sinOf(angle, 0), cos: cosOf(angle, 0) };
  if (angle < 2.4262638092041016) {
    const y = HALF_PI_HIGH - angle;
    const a = y + HALF_PI_LOW;
    const da = y - a + HALF_PI_LOW;
    return a < 0
      ? { sin: cosOf(-a, -da), cos: -sinOf(-a, -da) }
      : { sin: cosOf(a, da), cos: sinOf(a, da) };
  }
  const quarters = fma64(angle, TWO_OVER_PI, TO_INTEGER) - TO_INTEGER;
  const y = angle - quarters * PART1 - quarters * PART2;
  const y3 = y - quarters * PART3;
  const a = fma64(-quarters, PART4, y3);
  const da = y - y3 - quarters * PART3 + fma64(-quarters, PART4, y3 - a);
  const sin = a < 0 ? -sinOf(-a, -da) : sinOf(a, da);
  const cos = a < 0 ? cosOf(-a, -da) : cosOf(a, da);
  switch (quarters % 4) {
    case 0:
      return { sin, cos };
    case 1:
      return { sin: cos, cos: -sin };
    case 2:
      return { sin: -sin, cos: -cos };
    default:
      return { sin: -cos, cos: sin };
  }
}
