// Random tensors: the streams of PyTorch's CPU generator.

import { checkCall } from '../arguments.js';
import { getDevice } from '../device/registry.js';
import { argumentError, askingForMemory, dtypeError } from '../errors.js';
import { checkOptions, type OptionTable } from '../options.js';
import { DIGITS, isFloatDType } from '../random/arrays.js';
import { drawn, drawnFloats, type GeneratorOption, type Pattern } from '../random/drawn.js';
import { fillNormal, fillPermutation, fillRandint, fillUniform } from '../random/fill.js';
import { denseStrides } from '../random/memory-order.js';
import { type CreateOptions, like } from './create.js';
import { bytesPerElement, checkDType, type DType, getDefaultDtype } from './dtype.js';
import { checkShape } from './shape.js';
import type { Tensor } from './tensor.js';

/** Options of {@link rand} and {@link randn} and {@link randint} and {@link randperm}. */
export interface RandomOptions extends CreateOptions, GeneratorOption {}

function pattern(operation: string, shape: readonly number[], options: RandomOptions): Pattern {
  checkOptions(operation, options, RANDOM_OPTIONS);
  return { shape: checkShape(shape, operation), device: getDevice(options.device) };
}

/** A tensor of the shape of `x`, drawn in the order in which the memory of `x` lies. */
const patternLike = (x: Tensor, options: RandomOptions): Pattern => ({
  shape: x.shape,
  strides: denseStrides(x.shape, x.strides),
  device: getDevice(options.device),
});

const RANDOM_OPTIONS: OptionTable<RandomOptions> = {
  dtype: true,
  device: true,
  requiresGrad: true,
  generator: true,
};

const floatDtype = (options: RandomOptions): DType =>
  checkDType(options.dtype ?? getDefaultDtype());

function finished(made: Tensor, options: RandomOptions): Tensor {
  if (options.requiresGrad) made.requiresGrad = true;
  return made;
}

function uniform(operation: string, where: Pattern, options: RandomOptions): Tensor {
  const made = askingForMemory(operation, () =>
    drawnFloats(
      operation,
      where,
      floatDtype(options),
      (out, dtype, generator) => fillUniform(out, dtype, 0, 1, generator),
      options,
    ),
  );
  return finished(made, options);
}

function normal(operation: string, where: Pattern, options: RandomOptions): Tensor {
  const made = askingForMemory(operation, () =>
    drawnFloats(
      operation,
      where,
      floatDtype(options),
      (out, dtype, generator, rowMajor) => fillNormal(out, dtype, 0, 1, generator, rowMajor),
      options,
    ),
  );
  return finished(made, options);
}

/** Uniform on [0, 1), in steps of the dtype's precision. */
export const rand = (shape: readonly number[], options: RandomOptions = {}): Tensor =>
  uniform('rand', pattern('rand', shape, options), options);

/** Standard normal, by Box and Muller: from 16 elements on in blocks, below one pair at a time. */
export const randn = (shape: readonly number[], options: RandomOptions = {}): Tensor =>
  normal('randn', pattern('randn', shape, options), options);

/** {@link rand} with the shape, dtype and device of `x`, drawn in the order of its memory. */
export function randLike(x: Tensor, options?: RandomOptions): Tensor {
  const all = likeRandom('randLike', x, options);
  return uniform('randLike', patternLike(x, all), all);
}

/** {@link randn} with the shape, dtype and device of `x`, drawn in the order of its memory. */
export function randnLike(x: Tensor, options?: RandomOptions): Tensor {
  const all = likeRandom('randnLike', x, options);
  return normal('randnLike', patternLike(x, all), all);
}

function likeRandom(operation: string, x: Tensor, options?: RandomOptions): RandomOptions {
  checkCall(operation, { x }, options, RANDOM_OPTIONS);
  return like(x, options);
}

type Integer = number | bigint;

function integers(
  where: Pattern,
  low: Integer,
  high: Integer,
  dtype: DType,
  options: RandomOptions,
): Tensor {
  const made = askingForMemory('randint', () =>
    drawn(
      where,
      checkDType(dtype),
      (out, generator) => fillRandint(out, low, high, generator, dtype),
      options,
    ),
  );
  return finished(made, options);
}

/** Integers of [0, high), int64 unless another dtype is given. */
export function randint(high: Integer, shape: readonly number[], options?: RandomOptions): Tensor;
/** Integers of [low, high), int64 unless another dtype is given: a word modulo the range. */
export function randint(
  low: Integer,
  high: Integer,
  shape: readonly number[],
  options?: RandomOptions,
): Tensor;
export function randint(
  first: Integer,
  second: Integer | readonly number[],
  third?: readonly number[] | RandomOptions,
  fourth?: RandomOptions,
): Tensor {
  if (typeof second === 'object') return randint(0, first, second, optionsOf(third));
  if (!isShape(third))
    throw argumentError(`randint(): expected a list of sizes, but got ${String(third)}`);
  const options = fourth ?? {};
  const where = pattern('randint', third, options);
  return integers(where, first, second, options.dtype ?? 'int64', options);
}

/** Integers of [0, high) with the shape, dtype and device of `x`, in the order of its memory. */
export function randintLike(x: Tensor, high: Integer, options?: RandomOptions): Tensor;
/** Integers of [low, high) with the shape, dtype and device of `x`, in the order of its memory. */
export function randintLike(
  x: Tensor,
  low: Integer,
  high: Integer,
  options?: RandomOptions,
): Tensor;
export function randintLike(
  x: Tensor,
  first: Integer,
  second?: Integer | RandomOptions,
  third?: RandomOptions,
): Tensor {
  if (typeof second !== 'number' && typeof second !== 'bigint')
    return randintLike(x, 0, first, second);
  const options = likeRandom('randintLike', x, third);
  return integers(patternLike(x, options), first, second, options.dtype ?? x.dtype, options);
}

const isShape = (value: unknown): value is readonly number[] => Array.isArray(value);

const optionsOf = (value: readonly number[] | RandomOptions | undefined): RandomOptions =>
  value === undefined || isShape(value) ? {} : value;

/** A random order of 0 … n − 1, int64 unless another dtype is given: Fisher and Yates' shuffle. */
export function randperm(n: number, options: RandomOptions = {}): Tensor {
  const where = pattern('randperm', [n], options);
  const dtype = checkDType(options.dtype ?? 'int64');
  if (dtype === 'bool') throw dtypeError("randperm(): not implemented for 'bool'");
  if (n > permutable(dtype))
    throw argumentError(`randperm(): n cannot be greater than ${permutable(dtype)} for ${dtype}`);
  const made = askingForMemory('randperm', () => drawn(where, dtype, fillPermutation, options));
  return finished(made, options);
}

/** The longest permutation whose numbers `dtype` tells apart. */
function permutable(dtype: DType): number {
  if (isFloatDType(dtype)) return 2 ** DIGITS[dtype] + 1;
  return 2 ** (8 * bytesPerElement(dtype) - (dtype === 'uint8' ? 0 : 1)) - 1;
}
