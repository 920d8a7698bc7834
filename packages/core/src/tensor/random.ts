// Random tensors: the streams of PyTorch's CPU generator.

import { argumentError, dtypeError } from '../errors.js';
import { fillNormal, fillPermutation, fillRandint, fillUniform } from '../random/fill.js';
import { defaultGenerator, type Generator } from '../random/generator.js';
import { type CreateOptions, converted, fromHost, like } from './create.js';
import { checkDType, getDefaultDtype } from './dtype.js';
import { checkShape, numelOf } from './shape.js';
import type { Tensor } from './tensor.js';

export interface RandomOptions extends CreateOptions {
  generator?: Generator;
}

type FloatDType = 'float32' | 'float64';

function randomFloat(
  operation: string,
  shape: readonly number[],
  options: RandomOptions,
  fill: (
    out: Float32Array<ArrayBuffer> | Float64Array<ArrayBuffer>,
    dtype: FloatDType,
    g: Generator,
  ) => void,
): Tensor {
  const dtype = checkDType(options.dtype ?? getDefaultDtype());
  if (dtype !== 'float32' && dtype !== 'float64')
    throw dtypeError(`${operation}(): expected float32 or float64, but got ${dtype}`);
  const size = numelOf(checkShape(shape, operation));
  const out = dtype === 'float32' ? new Float32Array(size) : new Float64Array(size);
  fill(out, dtype, options.generator ?? defaultGenerator());
  return fromHost(out, dtype, shape, options);
}

/** Uniform on [0, 1). */
export const rand = (shape: readonly number[], options: RandomOptions = {}): Tensor =>
  randomFloat('rand', shape, options, (out, dtype, g) => fillUniform(out, dtype, 0, 1, g));

/** Standard normal. */
export const randn = (shape: readonly number[], options: RandomOptions = {}): Tensor =>
  randomFloat('randn', shape, options, (out, dtype, g) => fillNormal(out, dtype, 0, 1, g));

/** Integers of [low, high), int64 unless another dtype is given. */
export function randint(
  low: number,
  high: number,
  shape: readonly number[],
  options: RandomOptions = {},
): Tensor {
  if (!(high > low))
    throw argumentError(
      `random_ expects 'from' to be less than 'to', but got from=${low} >= to=${high}`,
    );
  const dtype = checkDType(options.dtype ?? 'int64');
  const out = new BigInt64Array(numelOf(checkShape(shape, 'randint')));
  fillRandint(out, low, high, options.generator ?? defaultGenerator());
  const made = fromHost(out, 'int64', shape, { device: options.device });
  return dtype === 'int64' ? made : converted(made, dtype, options);
}

/** A random order of 0 … n − 1, int64. */
export function randperm(n: number, options: RandomOptions = {}): Tensor {
  const out = new BigInt64Array(checkShape([n], 'randperm')[0]);
  fillPermutation(out, options.generator ?? defaultGenerator());
  return fromHost(out, 'int64', [n], options);
}

export const randLike = (x: Tensor, options?: CreateOptions): Tensor =>
  rand(x.shape, like(x, options));
export const randnLike = (x: Tensor, options?: CreateOptions): Tensor =>
  randn(x.shape, like(x, options));
