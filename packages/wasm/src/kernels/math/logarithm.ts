// Logarithms: x = 2ᵏ (1 + f) with √½ ≤ 1 + f < √2, and log(1 + f) by the series in f / (2 + f).
// After fdlibm and FreeBSD's msun (Sun Microsystems, 1993), without their cases.

import { i64x2 } from '../../emit/integers.js';
import { bits, type Vector } from '../../emit/lanes.js';
import { d, LN2_HIGH, LN2_LOW, type Maths, polynomial } from './maths.js';

const TERMS = [
  6.666666666666735e-1, 3.999999999940942e-1, 2.857142874366239e-1, 2.222219843214978e-1,
  1.818357216161805e-1, 1.531383769920937e-1, 1.479819860511659e-1,
];
const SHORT_TERMS = [2 / 3, 2 / 5, 2 / 7, 2 / 9, 2 / 11];

/** The high 20 bits of √½, and the distance from there to 1, as float64 bits. */
const ROOT = 0x3fe6a09en << 32n;
const TO_ONE = (0x3ff00000n - 0x3fe6a09en) << 32n;
const MANTISSA = (1n << 52n) - 1n;

interface Parts {
  readonly k: Vector;
  readonly f: Vector;
}

/** k and f of a positive, normal number. */
function split(m: Maths, x: Vector): Parts {
  const moved = m.hold(i64x2.add(x, m.whole(TO_ONE)));
  // The exponent becomes a number as the low bits of 2⁵² + exponent.
  const exponent = bits.or(i64x2.shrU(moved, 52), m.constant(2 ** 52));
  const k = m.hold(d.sub(exponent, m.constant(2 ** 52 + 1023)));
  const significand = i64x2.add(bits.and(moved, m.whole(MANTISSA)), m.whole(ROOT));
  return { k, f: m.hold(d.sub(significand, m.constant(1))) };
}

/** The same for every positive number: subnormal ones are made normal first. */
function splitAny(m: Maths, x: Vector): Parts {
  if (m.short) return split(m, x); // float32 has no number that is subnormal as float64
  const tiny = m.hold(d.lt(x, m.constant(2 ** -1022)));
  const { k, f } = split(m, m.hold(bits.select(tiny, d.mul(x, m.constant(2 ** 54)), x)));
  return { k: m.hold(d.sub(k, bits.and(tiny, m.constant(54)))), f };
}

/** f²/2, and s·(f²/2 + R), where log(1 + f) = f − f²/2 + s·(f²/2 + R). */
function series(m: Maths, f: Vector): { half: Vector; rest: Vector } {
  const half = m.hold(d.mul(d.mul(m.constant(0.5), f), f));
  const s = m.hold(d.div(f, d.add(m.constant(2), f)));
  const z = m.hold(d.mul(s, s));
  const R = d.mul(z, polynomial(m, m.short ? SHORT_TERMS : TERMS, z));
  return { half, rest: m.hold(d.mul(s, d.add(half, R))) };
}

/** `y` for finite `x` above `zeroAt`; −∞ there, ∞ for ∞, NaN for the rest. */
function bounded(m: Maths, y: Vector, x: Vector, zeroAt: number): Vector {
  const zero = m.constant(zeroAt);
  const infinite = m.constant(Infinity);
  const inside = bits.and(d.gt(x, zero), d.lt(x, infinite));
  const atZero = bits.and(d.eq(x, zero), m.constant(-Infinity));
  const above = bits.and(d.eq(x, infinite), infinite);
  const wrong = bits.andNot(m.constant(Number.NaN), d.ge(x, zero));
  return bits.select(inside, y, bits.or(bits.or(atZero, above), wrong));
}

export function log(m: Maths, x: Vector): Vector {
  const { k, f } = splitAny(m, x);
  const { half, rest } = series(m, f);
  const low = d.add(rest, d.mul(k, m.constant(LN2_LOW)));
  const y = d.sub(d.mul(k, m.constant(LN2_HIGH)), d.sub(d.sub(half, low), f));
  return bounded(m, y, x, 0);
}

export function log1p(m: Maths, x: Vector): Vector {
  const one = m.constant(1);
  const u = m.hold(d.add(one, x));
  // What the sum lost, as the share that it is of u.
  const lost = bits.select(
    d.ge(u, m.constant(2)),
    d.sub(one, d.sub(u, x)),
    d.sub(x, d.sub(u, one)),
  );
  const parts = split(m, u);
  // Near 1 + 0 nothing needs to be added at all.
  const near = m.hold(d.eq(parts.k, d.zero));
  const c = bits.andNot(d.div(lost, u), near);
  const f = m.hold(bits.select(near, x, parts.f));
  const { half, rest } = series(m, f);
  const low = d.add(rest, d.add(d.mul(parts.k, m.constant(LN2_LOW)), c));
  const y = d.add(d.mul(parts.k, m.constant(LN2_HIGH)), d.sub(f, d.sub(half, low)));
  // Zero keeps its sign.
  return bits.select(d.eq(x, d.zero), x, bounded(m, y, x, -1));
}

/** log in another base: k · step + (f − f²/2 + …) / ln base, the factors in two parts each. */
interface Base {
  readonly high: number;
  readonly low: number;
  readonly stepHigh: number;
  readonly stepLow: number;
}

const BASE2: Base = {
  high: 1.4426950407214463,
  low: 1.6751713164886512e-10,
  stepHigh: 1,
  stepLow: 0,
};
const BASE10: Base = {
  high: 0.4342944818781689,
  low: 2.5082946711645275e-11,
  stepHigh: 0.30102999566361177,
  stepLow: 3.694239077158931e-13,
};

function logTo(m: Maths, base: Base, x: Vector): Vector {
  const { k, f } = splitAny(m, x);
  const { half, rest } = series(m, f);
  // The upper half of the bits of log(1 + f) times `high` is exact.
  const high = m.hold(bits.and(d.sub(f, half), m.whole(-(1n << 32n))));
  const low = m.hold(d.add(d.sub(d.sub(f, high), half), rest));
  const product = m.hold(d.mul(high, m.constant(base.high)));
  const small = d.add(
    d.mul(d.add(low, high), m.constant(base.low)),
    d.mul(low, m.constant(base.high)),
  );
  const steps = m.hold(d.mul(k, m.constant(base.stepHigh)));
  const sum = m.hold(d.add(steps, product));
  const lost = d.add(d.sub(steps, sum), product);
  const y = d.add(sum, d.add(lost, d.add(small, d.mul(k, m.constant(base.stepLow)))));
  return bounded(m, y, x, 0);
}

export const log2 = (m: Maths, x: Vector): Vector => logTo(m, BASE2, x);
export const log10 = (m: Maths, x: Vector): Vector => logTo(m, BASE10, x);
