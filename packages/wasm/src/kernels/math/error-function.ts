import { bits, type Vector } from '../../emit/lanes.js';
import { exp } from './exponential.js';
import { d, type Maths, magnitude, polynomial, withSign } from './maths.js';

/** Maclaurin: erf(x) = x · Σ (−1)ⁿ x²ⁿ · 2/√π / (n! (2n + 1)); 18 terms serve up to 1. */
const SERIES = Array.from({ length: 18 }, (_, n) => {
  let factorial = 1;
  for (let i = 2; i <= n; i++) factorial *= i;
  return ((-1) ** n * 2) / Math.sqrt(Math.PI) / (factorial * (2 * n + 1));
});
const SHORT_SERIES = SERIES.slice(0, 12);

/** From here on erf(x) rounds to 1. */
const END = 6;
const CENTER = 2;
const variable = (x: number): number => (x - CENTER) / (x + CENTER);
const [FROM, TO] = [variable(0.5), variable(END)];
const MIDDLE = (FROM + TO) / 2;
const REACH = (TO - FROM) / 2;

// The polynomial in u = (variable − MIDDLE) / REACH, −1 ≤ u ≤ 1, that interpolates exp(x²) · erfc(x) at
// Chebyshev's nodes; computed to 60 digits with mpmath.
const TERMS = [
  0.27736900762083944, -0.24857010886981212, 0.07669952688522068, -0.013234851812970697,
  0.00017899240481160624, 0.00036235876005138193, -1.3901031786942896e-5, -1.4983397243318447e-5,
  -2.619628412428553e-7, 7.239378224346575e-7, 1.0223848325021195e-7, -2.6596903854646224e-8,
  -1.0795516176960511e-8, -3.782063304389413e-10, 6.459641314279783e-10, 1.7518628341736413e-10,
  -6.3599834245836e-12, -1.4523495396840342e-11, -2.0826601821301677e-12, 4.059474927025122e-13,
];
const SHORT_TERMS = [
  0.27736900762519057, -0.24857010886984585, 0.0766995265716394, -0.013234851810606484,
  0.00017899608138869372, 0.0003623587364200264, -1.3916878971950782e-5, -1.4983331691187625e-5,
  -2.3080623020443659e-7, 7.239443769035915e-7, 7.340777351688603e-8, -2.6864939988546874e-8,
];

/** The series up to 1, then 1 − erfc(x) with erfc(x) = exp(−x²) · p(u). */
export function erf(m: Maths, x: Vector): Vector {
  const size = m.hold(d.lower(magnitude(x), m.constant(END)));
  const square = m.hold(d.mul(size, size));
  const near = d.mul(size, polynomial(m, m.short ? SHORT_SERIES : SERIES, square));
  const ratio = d.div(d.sub(size, m.constant(CENTER)), d.add(size, m.constant(CENTER)));
  const u = m.hold(d.mul(d.sub(ratio, m.constant(MIDDLE)), m.constant(1 / REACH)));
  const factor = m.hold(polynomial(m, m.short ? SHORT_TERMS : TERMS, u));
  const far = d.sub(m.constant(1), d.mul(exp(m, m.hold(d.neg(square))), factor));
  const y = bits.select(d.le(size, m.constant(1)), m.hold(near), m.hold(far));
  return withSign(m, y, x);
}
