// Random numbers written into host arrays, in row-major order, with the draws of PyTorch's CPU
// kernels (ATen/native/cpu/DistributionTemplates.h, ATen/core/TransformationHelper.h).

import { argumentError } from '../errors.js';
import type { FloatArray, FloatDType, IntegerArray } from './arrays.js';
import { fma32, fma64 } from './fma.js';
import type { Generator } from './generator.js';

export type { FloatArray, FloatDType, IntegerArray } from './arrays.js';
export { fillNormal } from './normal.js';

/** `from` to `to`, which is left out up to rounding. */
export function fillUniform(
  out: FloatArray,
  dtype: FloatDType,
  from: number,
  to: number,
  generator: Generator,
): void {
  if (!(from <= to)) {
    throw argumentError(
      `uniform_ expects to return a [from, to) range, but found from=${from} > to=${to}`,
    );
  }
  if (dtype === 'float64') {
    const range = to - from;
    for (let i = 0; i < out.length; i++) out[i] = fma64(generator.uniform64(), range, from);
    return;
  }
  const start = Math.fround(from);
  const range = Math.fround(Math.fround(to) - start);
  for (let i = 0; i < out.length; i++) out[i] = fma32(generator.uniform32(), range, start);
}

/** 1 with probability `p`, else 0 (`bernoulli_(p)`): a float64 draw for each, whatever the dtype. */
export function fillBernoulli(out: IntegerArray, p: number, generator: Generator): void {
  checkProbability(p);
  fillIntegers(out, () => (generator.uniform64() < p ? 1 : 0));
}

/** 1 with the probability at the same place, else 0 (`bernoulli(probabilities)`). */
export function bernoulliFrom(
  probabilities: ArrayLike<number>,
  dtype: FloatDType,
  out: IntegerArray,
  generator: Generator,
): void {
  if (probabilities.length !== out.length) {
    throw argumentError(
      `expected one probability for each of ${out.length} elements, but got ${probabilities.length}`,
    );
  }
  for (let i = 0; i < probabilities.length; i++) checkProbability(probabilities[i]);
  const draw = () => (dtype === 'float32' ? generator.uniform32() : generator.uniform64());
  fillIntegers(out, (i) => (draw() < probabilities[i] ? 1 : 0));
}

/** Integers from `low` to `high` - 1: one draw each, or two if the range is 2^32 or more. */
export function fillRandint(
  out: IntegerArray,
  low: number | bigint,
  high: number | bigint,
  generator: Generator,
): void {
  const base = toInteger('low', low);
  const range = toInteger('high', high) - base;
  if (range <= 0n) {
    throw argumentError(
      `random_ expects 'from' to be less than 'to', but got from=${low} >= to=${high}`,
    );
  }
  if (range >= 2n ** 32n) {
    fillIntegers(out, () => base + (generator.uint64() % range));
    return;
  }
  const narrow = Number(range);
  const start = Number(base);
  const safe = Number.isSafeInteger(start) && Number.isSafeInteger(start + narrow);
  fillIntegers(out, () => {
    const offset = generator.uint32() % narrow;
    return safe ? start + offset : base + BigInt(offset);
  });
}

/** A random order of 0 to n - 1: the shuffle of Fisher and Yates from the front (`randperm`). */
export function fillPermutation(out: IntegerArray, generator: Generator): void {
  const { length } = out;
  fillIntegers(out, (i) => i);
  const cells: Cells = out;
  for (let i = 0; i < length - 1; i++) {
    const other = i + (generator.uint32() % (length - i));
    const kept = cells[i];
    cells[i] = cells[other];
    cells[other] = kept;
  }
}

interface Cells {
  [index: number]: number | bigint;
}

function fillIntegers(out: IntegerArray, draw: (i: number) => number | bigint): void {
  const convert: (value: number | bigint) => number | bigint =
    out instanceof BigInt64Array ? BigInt : Number;
  const cells: Cells = out;
  for (let i = 0; i < out.length; i++) cells[i] = convert(draw(i));
}

function toInteger(name: string, value: number | bigint): bigint {
  if (typeof value === 'bigint' || Number.isInteger(value)) return BigInt(value);
  throw argumentError(`randint expects ${name} to be an integer, but got ${String(value)}`);
}

function checkProbability(p: number): void {
  if (p >= 0 && p <= 1) return;
  throw argumentError(`bernoulli_ expects p to be in [0, 1], but got p=${p}`);
}
