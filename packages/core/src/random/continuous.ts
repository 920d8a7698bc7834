// Transformed uniform and normal numbers (ATen/core/TransformationHelper.h). Everything is computed
// in float64 from one float64 draw, whatever the dtype, and rounded at the end.

import { argumentError } from '../errors.js';
import { type FloatDType, fillWith, type IntegerArray, ROUND } from './arrays.js';
import { exp, log, tan } from './elementary.js';
import { fma64 } from './fma.js';
import type { Generator } from './generator.js';
import { standardNormal } from './normal.js';

/** Rate `lambda`, mean 1 / lambda: the logarithm of the complement of a uniform number. */
export function fillExponential(
  out: IntegerArray,
  dtype: FloatDType,
  lambda: number,
  generator: Generator,
): void {
  if (!(lambda >= 0))
    throw argumentError(`exponential_ expects lambda >= 0.0, but found lambda=${lambda}`);
  const scale = -1 / lambda;
  const round = ROUND[dtype];
  fillWith(out, () => round(scale * log(1 - generator.uniform64())));
}

/** Centre `median`, half the width at half the height `sigma`: by the tangent. */
export function fillCauchy(
  out: IntegerArray,
  dtype: FloatDType,
  median: number,
  sigma: number,
  generator: Generator,
): void {
  const round = ROUND[dtype];
  fillWith(out, () => round(fma64(sigma, tan(Math.PI * (generator.uniform64() - 0.5)), median)));
}

/** Exponentials of normal numbers with `mean` and `std`, which come one by one. */
export function fillLogNormal(
  out: IntegerArray,
  dtype: FloatDType,
  mean: number,
  std: number,
  generator: Generator,
): void {
  if (!(std > 0)) throw argumentError(`log_normal_ expects std > 0.0, but found std=${std}`);
  const round = ROUND[dtype];
  fillWith(out, () => round(exp(fma64(standardNormal(generator), std, mean))));
}

/** Trials up to the first success with probability `p`: 1, 2, … Also into integers. */
export function fillGeometric(out: IntegerArray, p: number, generator: Generator): void {
  if (!(p > 0 && p < 1))
    throw argumentError(`geometric_ expects p to be in (0, 1), but got p=${p}`);
  const failure = log(1 - p);
  fillWith(out, () => {
    const trials = Math.ceil(log(generator.uniform64()) / failure);
    // Infinite for a uniform number of 0, and always where 1 - p rounds to 1.
    return out instanceof BigInt64Array && !Number.isFinite(trials) ? LOWEST : trials;
  });
}

/** What C makes of an infinite float64 as an int64 on x86. */
const LOWEST = -(2n ** 63n);
