// exp and its relatives: x = n·ln 2 + r with |r| ≤ ln 2 / 2, and eʳ − 1 = r + q by its series, where
// the small q carries the rounding errors. After fdlibm (Sun Microsystems, 1993), without its cases.

import { i32x4, i64x2 } from '../../emit/integers.js';
import type { Vector } from '../../emit/lanes.js';
import {
  d,
  LN2_HIGH,
  LN2_LOW,
  type Maths,
  magnitude,
  polynomial,
  ROUNDER,
  withSign,
} from './maths.js';

/** 1/2!, 1/3!, … */
const inverseFactorials = (count: number): number[] => {
  let factorial = 1;
  return Array.from({ length: count }, (_, i) => {
    factorial *= i + 2;
    return 1 / factorial;
  });
};
const TERMS = inverseFactorials(12);
const SHORT_TERMS = inverseFactorials(7);

interface Reduced {
  /** n as an integer in the low 32 bits of each lane. */
  readonly n: Vector;
  /** eʳ − 1 = r + q. */
  readonly r: Vector;
  readonly q: Vector;
}

function reduce(m: Maths, x: Vector): Reduced {
  const rounder = m.constant(ROUNDER);
  const n = m.hold(d.add(d.mul(x, m.constant(Math.LOG2E)), rounder));
  const whole = m.hold(d.sub(n, rounder));
  const series = (r: Vector) => d.mul(d.mul(r, r), polynomial(m, m.short ? SHORT_TERMS : TERMS, r));
  if (m.short) {
    const r = m.hold(d.sub(x, d.mul(whole, m.constant(Math.LN2))));
    return { n, r, q: series(r) };
  }
  const high = m.hold(d.sub(x, d.mul(whole, m.constant(LN2_HIGH))));
  const low = m.hold(d.mul(whole, m.constant(LN2_LOW)));
  const r = m.hold(d.sub(high, low));
  return { n, r, q: d.add(series(r), d.sub(d.sub(high, r), low)) };
}

/** 2ⁿ for n in −1022 … 1023, from the low 32 bits of each lane. */
const power = (n: Vector): Vector => i64x2.shl(i32x4.add(n, i32x4.constant(1023)), 52);

/** y · 2ⁿ with one rounding, for n in −2044 … 2046. */
function scaled(m: Maths, y: Vector, n: Vector): Vector {
  if (m.short) return d.mul(y, power(n));
  const half = m.hold(i32x4.shrS(n, 1));
  return d.mul(d.mul(y, power(half)), power(i32x4.sub(n, half)));
}

const clamped = (m: Maths, x: Vector, low: number, high: number): Vector =>
  d.upper(d.lower(x, m.constant(high)), m.constant(low)); // keeps NaN

export function exp(m: Maths, x: Vector): Vector {
  const within = m.hold(m.short ? clamped(m, x, -700, 700) : clamped(m, x, -746, 710));
  const { n, r, q } = reduce(m, within);
  return scaled(m, d.add(m.constant(1), d.add(r, q)), n);
}

/** eˣ − 1 of x in −50 … 710. */
function expm1Within(m: Maths, x: Vector): Vector {
  const { n, r, q } = reduce(m, x);
  const one = m.constant(1);
  // 2ⁿ (1 − 2⁻ⁿ + r + q); beyond 2⁶⁰ the second term does not count.
  const back = i32x4.neg(i32x4.min(n, i32x4.constant(60)));
  const rest = m.hold(d.sub(one, power(back)));
  const sum = m.hold(d.add(rest, r));
  const lost = d.add(d.sub(rest, sum), r);
  return scaled(m, d.add(sum, d.add(lost, q)), n);
}

export const expm1 = (m: Maths, x: Vector): Vector =>
  withSign(m, expm1Within(m, m.hold(clamped(m, x, -50, m.short ? 700 : 710))), x);

/** t / (t + 2), where t = e²ˣ − 1. */
export function tanh(m: Maths, x: Vector): Vector {
  const size = m.hold(d.lower(magnitude(x), m.constant(22)));
  const t = m.hold(expm1Within(m, m.hold(d.add(size, size))));
  return withSign(m, d.div(t, d.add(t, m.constant(2))), x);
}

export function sigmoid(m: Maths, x: Vector): Vector {
  const one = m.constant(1);
  return d.div(one, d.add(one, exp(m, m.hold(d.neg(x)))));
}

export function exp2(m: Maths, x: Vector): Vector {
  const within = m.hold(m.short ? clamped(m, x, -1000, 1000) : clamped(m, x, -1080, 1030));
  const rounder = m.constant(ROUNDER);
  const n = m.hold(d.add(within, rounder));
  const part = m.hold(d.sub(within, d.sub(n, rounder))); // exact, at most 1/2
  // r = part · ln 2, with what the product loses.
  const r = m.hold(d.mul(part, m.constant(Math.LN2)));
  const series = d.mul(d.mul(r, r), polynomial(m, m.short ? SHORT_TERMS : TERMS, r));
  return scaled(m, d.add(m.constant(1), d.add(r, series)), n);
}
