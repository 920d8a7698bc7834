// Logarithm, sine and cosine of float32 numbers, as glibc computes them since 2.28 (logf and
// sincosf) after math/logf.c and math/sincosf.c by S. Nagy and W. Dijkstra in the ARM Optimized
// Routines: in float64, to somewhat more than float32. Where GCC fuses operations shows in no result
// for the angles and uniform numbers of random draws, so that none is fused here.

import { log } from './log.js';
import type { SinCos } from './sin-cos.js';
import { upperWord, withUpperWord } from './words.js';

const { fround } = Math;

// 1 / c for c near the middle of each 16th part of the numbers from 0.7 to 1.4
const INVERSES = Float64Array.of(
  1.398907162146528,
  1.3403141896637998,
  1.286432210124115,
  1.2367150214269895,
  1.1906977166711752,
  1.1479821020556429,
  1.1082251448272158,
  1.0711297413057381,
  1.036437278977283,
  1,
  0.9492859795739057,
  0.8951049428609004,
  0.8476821620351103,
  0.8050314851692001,
  0.7664671008843108,
  0.731428603316328,
);
const LOGARITHMS = INVERSES.map((inverse) => -log(inverse));
const LOWEST = 0x3fe66000; // 0.7

/** The natural logarithm of 0 or a positive, normal float32. */
export function logNarrow(x: number): number {
  if (x === 0) return -Infinity;
  const word = upperWord(x);
  const above = (word - LOWEST) | 0;
  const i = (above >>> 16) & 15;
  const z = withUpperWord(x, word - (above & 0xfff00000));
  const r = z * INVERSES[i] - 1;
  const start = LOGARITHMS[i] + (above >> 20) * Math.LN2;
  const r2 = r * r;
  const p = (0.333456765744066 * r - 0.4999997485802103 - 0.25089342214237154 * r2) * r2;
  return fround(p + (start + r));
}

const QUARTERS = 10680707.430881744; // 2^24 * 2 / π

/** Sine and cosine of a float32 angle from 0 to 120. */
export function sinCosNarrow(angle: number): SinCos {
  if (angle < 2 ** -12) return { sin: angle, cos: 1 };
  const quarters = Math.floor((Math.trunc(angle * QUARTERS) + 2 ** 23) * 2 ** -24);
  const x = angle - quarters * 1.5707963267948966;
  const x2 = x * x;
  const x3 = x2 * x;
  const x4 = x2 * x2;
  const sinRest = x3 * x2 * (0.008332178146138854 - 0.00019517298981385725 * x2);
  const sin = fround(x - x3 * 0.16666654943701084 + sinRest);
  const cosRest = x4 * x2 * (2.4390450703564542e-5 * x2 - 0.001388676379437604);
  const cos = fround(1 - 0.49999999725108224 * x2 + x4 * 0.041666623324344516 + cosRest);
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
