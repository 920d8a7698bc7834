// The logarithm of |Γ| and its derivatives. Formulas: M. Abramowitz and I. A. Stegun, "Handbook of
// Mathematical Functions" (1964), chapters 6 and 23.

/** B₂, B₄, … */
const BERNOULLI = [
  1 / 6,
  -1 / 30,
  1 / 42,
  -1 / 30,
  5 / 66,
  -691 / 2730,
  7 / 6,
  -3617 / 510,
  43867 / 798,
  -174611 / 330,
];

/** Beyond this, a higher polygamma at a negative argument is given up rather than summed for minutes. */
const FARTHEST = 1e6;
/** From here on the asymptotic series reach float64. */
const LARGE = 10;

const EULER = 0.5772156649015329;

/** ζ(k) − 1 for k = 2, 3, …, 28 */
const ZETA_LESS_1 = [
  0.6449340668482264, 0.2020569031595943, 0.08232323371113819, 0.03692775514336993,
  0.01734306198444914, 0.008349277381922827, 0.00407735619794434, 0.0020083928260822143,
  0.0009945751278180853, 0.0004941886041194645, 0.0002460865533080483, 0.00012271334757848915,
  6.124813505870483e-5, 3.058823630702049e-5, 1.528225940865187e-5, 7.637197637899763e-6,
  3.81729326499984e-6, 1.908212716553939e-6, 9.539620338727962e-7, 4.769329867878064e-7,
  2.38450502727733e-7, 1.1921992596531106e-7, 5.960818905125948e-8, 2.980350351465228e-8,
  1.4901554828365043e-8, 7.45071178983543e-9, 3.725334024788457e-9,
];

/** ln Γ(2 + z) for |z| ≤ 1/2 (6.1.33 with the recurrence). */
const aroundTwo = (z: number): number =>
  ZETA_LESS_1.reduceRight(
    (sum, coefficient, i) => (((-1) ** i * coefficient) / (i + 2) + sum) * z,
    0,
  ) *
    z +
  z * (1 - EULER);

/** |sin(πx)|, exact at whole numbers. */
const sinPi = (x: number): number => Math.abs(Math.sin(Math.PI * (x - Math.round(x))));

export function lgamma(x: number): number {
  if (x === -Infinity) return Infinity;
  if (x < 0) return Math.log(Math.PI / sinPi(x)) - lgamma(1 - x); // 6.1.17
  if (x < 0.5) return lgamma(1 + x) - Math.log(x);
  if (x <= 1.5) return aroundTwo(x - 1) - Math.log1p(x - 1);
  if (x < LARGE) {
    let [rest, product] = [x, 1];
    while (rest > 2.5) product *= --rest;
    return Math.log(product) + aroundTwo(rest - 2);
  }
  if (x === Infinity) return x;
  // Stirling, 6.1.40
  const square = 1 / (x * x);
  const tail = BERNOULLI.reduceRight(
    (sum, b, i) => sum * square + b / ((2 * i + 2) * (2 * i + 1)),
    0,
  );
  return (x - 0.5) * Math.log(x) - x + 0.5 * Math.log(2 * Math.PI) + tail / x;
}

/** ψ, the derivative of lgamma. */
export function digamma(x: number): number {
  if (x === 0) return Object.is(x, -0) ? Infinity : -Infinity;
  if (x < 0) {
    if (Number.isInteger(x) || x === -Infinity) return NaN;
    const rest = x - Math.round(x);
    return digamma(1 - x) - Math.PI / Math.tan(Math.PI * rest); // 6.3.7
  }
  let [at, sum] = [x, 0];
  for (; at < LARGE; at++) sum -= 1 / at;
  if (at === Infinity) return at;
  // 6.3.18
  const square = 1 / (at * at);
  const tail = BERNOULLI.reduceRight((rest, b, i) => rest * square + b / (2 * i + 2), 0);
  return sum + Math.log(at) - 0.5 / at - tail * square;
}

/** Hurwitz's ζ(s, q) = Σ (q + k)^−s for s > 1, by Euler and Maclaurin's sum (23.1.30). */
export function zeta(s: number, q: number): number {
  if (s === 1) return Infinity;
  if (!(s > 1) || Number.isNaN(q)) return NaN;
  if (q <= 0 && Number.isInteger(q)) return Infinity;
  if (q < 0 && !Number.isInteger(s)) return NaN;
  if (q === Infinity) return 0;
  if (q === -Infinity) return NaN;
  // Reflection: there are as many terms to the left of 0 as q is large.
  if (q < 0 && s === 2) return (Math.PI / sinPi(q)) ** 2 - zeta(2, 1 - q);
  if (q < -FARTHEST) return NaN;
  let [at, sum] = [q, 0];
  for (; at < LARGE + s; at++) sum += at ** -s;
  let tail = 0;
  let factor = s / at; // s(s + 1) … (s + 2i) / ((2i + 2)! at^(2i + 1)), but for the 2
  BERNOULLI.forEach((b, i) => {
    tail += (b * factor) / 2;
    factor *= ((s + 2 * i + 1) * (s + 2 * i + 2)) / ((2 * i + 3) * (2 * i + 4) * at * at);
  });
  return sum + at ** (1 - s) / (s - 1) + at ** -s * (0.5 + tail); // the first power may not underflow yet
}
