// Random numbers written into host arrays, in order, with the draws of PyTorch's CPU kernels
// (ATen/native/cpu/DistributionTemplates.h, ATen/core/TransformationHelper.h). 16-bit floats are
// written as the numbers that they stand for, into a Float32Array.

import { argumentError } from '../errors.js';
import {
  DIGITS,
  type FloatArray,
  type FloatDType,
  fillWith,
  type IntegerArray,
  ROUND,
} from './arrays.js';
import { fma32, fma64 } from './fma.js';
import type { Generator } from './generator.js';

export type { FloatArray, FloatDType, IntegerArray } from './arrays.js';
export * from './continuous.js';
export * from './integers.js';
export { fillNormal } from './normal.js';
export { fillPoisson } from './poisson.js';

const LARGEST: Readonly<Record<FloatDType, number>> = {
  float64: Number.MAX_VALUE,
  float32: 3.4028234663852886e38,
  float16: 65504,
  bfloat16: 3.3895313892515355e38,
};

/** `from` to `to`, which is left out up to rounding. */
export function fillUniform(
  out: FloatArray,
  dtype: FloatDType,
  from: number,
  to: number,
  generator: Generator,
): void {
  checkUniform(dtype, from, to);
  if (dtype === 'float64') {
    const range = to - from;
    for (let i = 0; i < out.length; i++) out[i] = fma64(generator.uniform64(), range, from);
    return;
  }
  const round = ROUND[dtype];
  const start = round(from);
  const range = round(round(to) - start);
  const digits = DIGITS[dtype];
  for (let i = 0; i < out.length; i++)
    out[i] = round(fma32(generator.uniform(digits), range, start));
}

function checkUniform(dtype: FloatDType, from: number, to: number): void {
  const largest = LARGEST[dtype];
  for (const [name, bound] of Object.entries({ from, to }))
    if (!(Math.abs(bound) <= largest)) throw argumentError(`${name} is out of bounds for ${dtype}`);
  if (from > to)
    throw argumentError(
      `uniform_ expects to return a [from, to) range, but found from=${from} > to=${to}`,
    );
  if (to - from > largest)
    throw argumentError(
      `uniform_ expects to-from <= ${largest} (${dtype}), but found to=${to} and from=${from} which ` +
        'result in to-from to exceed the limit',
    );
}

/** 1 with probability `p`, else 0 (`bernoulli_(p)`): a float64 draw for each, whatever the dtype. */
export function fillBernoulli(out: IntegerArray, p: number, generator: Generator): void {
  checkProbability(p);
  fillWith(out, () => (generator.uniform64() < p ? 1 : 0));
}

/**
 * 1 with the probability at the same place, else 0 (`bernoulli(probabilities)`). `dtype` is that of
 * the probabilities: all but float64 draw float32 numbers.
 */
export function bernoulliFrom(
  probabilities: ArrayLike<number>,
  dtype: FloatDType,
  out: IntegerArray,
  generator: Generator,
): void {
  if (probabilities.length !== out.length)
    throw argumentError(
      `expected one probability for each of ${out.length} elements, but got ${probabilities.length}`,
    );
  for (let i = 0; i < probabilities.length; i++) checkProbability(probabilities[i]);
  const digits = dtype === 'float64' ? 53 : 24;
  fillWith(out, (i) => (generator.uniform(digits) < probabilities[i] ? 1 : 0));
}

function checkProbability(p: number): void {
  if (p >= 0 && p <= 1) return;
  throw argumentError(`bernoulli_ expects p to be in [0, 1], but got p=${p}`);
}
