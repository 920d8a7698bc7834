import { bits, type Vector } from '../../emit/lanes.js';
import { exp2 } from './exponential.js';
import { log2 } from './logarithm.js';
import { d, type Maths, magnitude, SIGN } from './maths.js';

/**
 * xᵉ = 2^(e · log₂ x) for float32 in float64 lanes; for float64 the exponent would need more digits
 * than it has.
 */
export function power(m: Maths, x: Vector, e: Vector): Vector {
  const size = m.hold(magnitude(x));
  const y = exp2(m, m.hold(d.mul(e, m.hold(log2({ ...m, short: false }, size)))));
  const infinite = m.constant(Infinity);
  const one = m.constant(1);
  const whole = m.hold(d.eq(e, d.nearest(e)));
  const half = m.hold(d.mul(e, m.constant(0.5)));
  const odd = bits.and(whole, d.ne(half, d.nearest(half)));
  const signed = bits.or(y, bits.and(bits.and(x, m.whole(SIGN)), odd));
  // The root of a finite negative number.
  const wrong = bits.andNot(bits.and(d.lt(x, d.zero), d.gt(x, m.constant(-Infinity))), whole);
  const defined = bits.select(m.hold(wrong), m.constant(Number.NaN), signed);
  const unity = bits.or(
    bits.or(d.eq(e, d.zero), d.eq(x, one)),
    bits.and(d.eq(x, m.constant(-1)), d.eq(magnitude(e), infinite)),
  );
  return bits.select(m.hold(unity), one, defined);
}
