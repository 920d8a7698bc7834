// The inverse of the error function with the bits of PyTorch (calc_erfinv in ATen/native/Math.h):
// quotients of polynomials by G. Pavlis (1996), and two steps of Newton's method. The last digits
// of these steps are noise, which near 1 counts several units.

import { fma64 } from '../fma.js';
import { erf } from './erf.js';
import { exp } from './exp.js';
import { log } from './log.js';

const TWO_BY_ROOT_PI = 2 / Math.sqrt(Math.PI);

/** Within 1e-4 of the result. */
function start(y: number): number {
  const size = Math.abs(y);
  if (size <= 0.7) {
    const z = y * y;
    const p = fma64(fma64(fma64(-0.140543331, z, 0.914624893), z, -1.645349621), z, 0.886226899);
    const q = fma64(fma64(fma64(0.012229801, z, -0.329097515), z, 1.442710462), z, -2.118377725);
    return (y * p) / fma64(q, z, 1);
  }
  const z = Math.sqrt(-log((1 - size) / 2));
  const p = fma64(fma64(fma64(1.641345311, z, 3.429567803), z, -1.624906493), z, -1.970840454);
  return (Math.sign(y) * p) / fma64(fma64(1.6370678, z, 3.5438892), z, 1);
}

/** The x with erf(x) = y; ±inf at ±1, NaN beyond. */
export function erfinv(y: number): number {
  const size = Math.abs(y);
  if (!(size < 1)) return size === 1 ? y * Infinity : NaN;
  let x = start(y);
  for (let step = 0; step < 2; step++) x -= (erf(x) - y) / (TWO_BY_ROOT_PI * exp(-x * x));
  return x;
}
