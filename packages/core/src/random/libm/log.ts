// The natural logarithm as glibc computes it since 2.28, after math/log.c by S. Nagy in the ARM
// Optimized Routines. Each fused operation stands where GCC puts one in the variant for FMA.

import { fma64 } from '../fma.js';
import { INVERSES, LOGARITHMS } from './log-table.js';
import { upperWord, withUpperWord } from './words.js';

const SMALLEST_NORMAL = 2 ** -1022;
const NEAR_ONE_FROM = 1 - 2 ** -4;
const NEAR_ONE_TO = 1.064697265625;
const LOWEST = 0x3fe60000; // 0.6875

const LN2_HIGH = 0.6931471805598903; // so short that small multiples are exact
const LN2_LOW = 5.497923018708371e-14;

// log(1 + r) - r in powers of r from r^2 on, for |r| < 1/128
const A0 = -0.5000000000000001;
const A1 = 0.33333333331825593;
const A2 = -0.2499999999622955;
const A3 = 0.20000304511814496;
const A4 = -0.16667054827627667;

// The same from r^3 on, for |r| < 1/16
const B1 = 0.3333333333333352;
const B2 = -0.24999999999998432;
const B3 = 0.19999999999320328;
const B4 = -0.16666666669929706;
const B5 = 0.14285715076560868;
const B6 = -0.12499997863982555;
const B7 = 0.11110712032936046;
const B8 = -0.10000486757818193;
const B9 = 0.09181994006195467;
const B10 = -0.08328363062289341;

export function log(x: number): number {
  if (x >= NEAR_ONE_FROM && x < NEAR_ONE_TO) return logNearOne(x - 1);
  if (x >= SMALLEST_NORMAL && x < Infinity) return logNormal(x, 0);
  if (x > 0 && x < Infinity) return logNormal(x * 2 ** 52, -52);
  return Math.log(x); // infinite or NaN
}

/** log(2^k z) = k log 2 + log c + log(1 + r) with r = z / c - 1. */
function logNormal(x: number, scale: number): number {
  const word = upperWord(x);
  const above = (word - LOWEST) | 0;
  const i = (above >>> 13) & 127;
  const z = withUpperWord(x, word - (above & 0xfff00000));
  const k = (above >> 20) + scale;
  const r = fma64(z, INVERSES[i], -1);
  const w = k * LN2_HIGH + LOGARITHMS[i]; // exact
  const high = w + r;
  const low = fma64(k, LN2_LOW, w - high + r);
  const r2 = r * r;
  const p = fma64(fma64(r, A4, A3), r2, fma64(A2, r, A1));
  return fma64(r * r2, p, fma64(r2, A0, low)) + high;
}

function logNearOne(r: number): number {
  const r2 = r * r;
  const r3 = r * r2;
  const p1 = fma64(r2, B3, fma64(B2, r, B1));
  const p4 = fma64(r2, B6, fma64(B5, r, B4));
  const p7 = fma64(r3, B10, fma64(r2, B9, fma64(B8, r, B7)));
  const p = fma64(fma64(p7, r3, p4), r3, p1);
  // The upper half of r has an exact square.
  const shifted = r * 2 ** 27;
  const rHigh = r + shifted - shifted;
  const half = 0.5 * (rHigh * rHigh);
  const high = r - half;
  const low = fma64(-0.5 * (r - rHigh), r + rHigh, r - high - half);
  return high + fma64(p, r3, low);
}
