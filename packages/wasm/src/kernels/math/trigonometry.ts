// sin and cos of moderate numbers: x = n·π/2 + r, where π/2 is taken in four parts so that nothing is
// lost where x is near a multiple of it. After fdlibm (Sun Microsystems, 1993).

import { i64x2 } from '../../emit/integers.js';
import { bits, type Vector } from '../../emit/lanes.js';
import { d, type Maths, ROUNDER } from './maths.js';

/** The largest number that is reduced rightly: n times a part of π/2 must be exact. */
export const TRIGONOMETRIC_LIMIT = 2 ** 20;

/** π/2 = HALF_PI[0] + … + HALF_PI[3]; the first three have 33 bits. */
const HALF_PI = [
  1.5707963267341256, 6.077100506303966e-11, 2.0222662487111665e-21, 8.4784276603689e-32,
];

const SIN = [
  8.33333333332249e-3, -1.984126982985795e-4, 2.7557313707070068e-6, -2.5050760253406863e-8,
  1.58969099521155e-10,
];
const SIN_FIRST = -0.16666666666666632;
const COS = [
  0.0416666666666666, -1.388888888887411e-3, 2.480158728947673e-5, -2.7557314351390663e-7,
  2.087572321298175e-9, -1.1359647557788195e-11,
];

const horner = (m: Maths, terms: readonly number[], z: Vector): Vector =>
  terms.map((c) => m.constant(c)).reduceRight((sum, c) => d.add(c, d.mul(z, sum)));

/** The function whose quadrant is n + `turn`. */
function wave(m: Maths, x: Vector, turn: 0n | 1n): Vector {
  const rounder = m.constant(ROUNDER);
  const n = m.hold(d.add(d.mul(x, m.constant(2 / Math.PI)), rounder));
  const whole = m.hold(d.sub(n, rounder));
  const part = (i: number) => d.mul(whole, m.constant(HALF_PI[i]));
  const first = m.hold(d.sub(x, part(0)));
  const second = m.hold(d.neg(part(1)));
  const sum = m.hold(d.add(first, second));
  const ofSecond = m.hold(d.sub(sum, first));
  const lost = d.add(d.sub(first, d.sub(sum, ofSecond)), d.sub(second, ofSecond));
  const rest = m.hold(d.sub(d.sub(lost, part(2)), part(3)));
  const r = m.hold(d.add(sum, rest));
  const low = m.hold(d.add(d.sub(sum, r), rest));

  const z = m.hold(d.mul(r, r));
  const half = m.constant(0.5);
  const cube = m.hold(d.mul(z, r));
  const bent = d.mul(z, d.sub(d.mul(half, low), d.mul(cube, horner(m, SIN, z))));
  const sine = m.hold(d.sub(r, d.sub(d.sub(bent, low), d.mul(cube, m.constant(SIN_FIRST)))));
  const one = m.constant(1);
  const halfSquare = m.hold(d.mul(half, z));
  const near = m.hold(d.sub(one, halfSquare));
  const fine = d.sub(d.mul(z, d.mul(z, horner(m, COS, z))), d.mul(r, low));
  const cosine = m.hold(d.add(near, d.add(d.sub(d.sub(one, near), halfSquare), fine)));

  const quadrant = m.hold(i64x2.add(n, m.whole(turn)));
  const odd = i64x2.eq(bits.and(quadrant, m.whole(1n)), m.whole(1n));
  const sign = i64x2.shl(bits.and(quadrant, m.whole(2n)), 62);
  return bits.xor(bits.select(odd, cosine, sine), sign);
}

/** Of |x| ≤ {@link TRIGONOMETRIC_LIMIT}. */
export const sin = (m: Maths, x: Vector): Vector => bits.select(d.eq(x, d.zero), x, wave(m, x, 0n)); // zero keeps its sign
export const cos = (m: Maths, x: Vector): Vector => wave(m, x, 1n);
