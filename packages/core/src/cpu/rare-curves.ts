// Curves whose coefficients weigh a lot: the functions that are made of them bring them to the cpu
// device, so that a page without those functions is without the numbers too.

import { VoxgradError } from '../errors.js';
import { shared } from '../shared.js';

export type Curve = (x: number, y: number) => number;
export type RareCurve = 'erfinv' | 'erfinv32' | 'lgamma' | 'digamma' | 'zeta';

const brought = shared('cpu.curves', () => new Map<RareCurve, Curve>());

/** `made`, a function that needs `curves` on the cpu device. */
export function withCurves<F>(curves: Partial<Record<RareCurve, Curve>>, made: F): F {
  for (const [name, curve] of Object.entries(curves)) brought.set(name as RareCurve, curve);
  return made;
}

export function curveOf(name: RareCurve): Curve {
  const curve = brought.get(name);
  if (curve) return curve;
  throw new VoxgradError(
    'ARGUMENT',
    `the cpu device computes ${name} once the function of this name is imported from @voxgrad/core`,
  );
}
