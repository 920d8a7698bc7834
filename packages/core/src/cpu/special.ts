// The error function, its complement and its inverse, to about one unit in the last place.

import { twoProduct } from '../random/fma.js';

// erfc(x) = exp(−x²) · s(t) / (1 + 2x) with t = (x − 3.75) / (x + 3.75), where s is almost
// constant: M. M. Shepherd and J. G. Laframboise, "Chebyshev approximation of (1 + 2x) exp(x²)
// erfc x in 0 ≤ x < ∞", Mathematics of Computation 36 (1981). The coefficients were computed anew
// to 50 digits; what is left out is below 3e-18.
const SCALED = Float64Array.of(
  1.1775789345674017,
  -0.004590054580646478,
  -0.08424913336651792,
  0.05920993999819189,
  -0.026658668435305753,
  0.009074997670705265,
  -0.002413163540417608,
  0.0004907758365258086,
  -6.916973302501207e-5,
  4.13902798607301e-6,
  7.74038306619849e-7,
  -2.1886401049234397e-7,
  1.076499946567091e-8,
  4.521959811218287e-9,
  -7.754400208831351e-10,
  -6.318088340886684e-11,
  2.86879501093067e-11,
  1.9455868545777347e-13,
  -9.65469674843344e-13,
  3.25254814814874e-14,
  3.3478119482868056e-14,
  -1.864562880419313e-15,
  -1.2507950530688648e-15,
  7.418235256624044e-17,
  5.068148904796111e-17,
);

/** Clenshaw's recurrence. */
function chebyshev(coefficients: Float64Array, t: number): number {
  let [b, before] = [0, 0];
  for (let j = coefficients.length - 1; j > 0; j--)
    [b, before] = [coefficients[j] + 2 * t * b - before, b];
  return coefficients[0] + t * b - before;
}

/** erfc of a positive number. */
function erfcPositive(x: number): number {
  if (x > 28) return 0; // below the smallest float64
  const { high, low } = twoProduct(x, x); // an error of x² would count x² times
  const scaled = chebyshev(SCALED, (x - 3.75) / (x + 3.75));
  return (Math.exp(-high) * (1 - low) * scaled) / (1 + 2 * x);
}

const TWO_BY_ROOT_PI = 2 / Math.sqrt(Math.PI);

// Maclaurin: erf(x) = 2/√π · Σ (−1)ⁿ x²ⁿ⁺¹ / (n! (2n + 1)); 14 terms serve up to 0.5.
const ERF = Float64Array.from({ length: 14 }, (_, n) => {
  let factorial = 1;
  for (let i = 2; i <= n; i++) factorial *= i;
  return ((-1) ** n * TWO_BY_ROOT_PI) / (factorial * (2 * n + 1));
});

const erfSmall = (x: number): number =>
  x * ERF.reduceRight((sum, coefficient) => sum * x * x + coefficient, 0);

export function erf(x: number): number {
  if (Math.abs(x) <= 0.5) return erfSmall(x);
  return x > 0 ? 1 - erfcPositive(x) : x < 0 ? erfcPositive(-x) - 1 : x;
}

export function erfc(x: number): number {
  if (Math.abs(x) <= 0.5) return 1 - erfSmall(x);
  return x > 0 ? erfcPositive(x) : x < 0 ? 2 - erfcPositive(-x) : x;
}
