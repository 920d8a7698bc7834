// In-place random forms. The numbers are drawn in the order of the tensor's memory, as PyTorch's
// kernels do, and written once all are drawn.

import { checkCall, requireTensors } from '../arguments.js';
import { dtypeError, shapeError } from '../errors.js';
import type { OptionTable } from '../options.js';
import { isFloatDType } from '../random/arrays.js';
import {
  drawn,
  drawnFloats,
  type Fill,
  type FloatFill,
  type GeneratorOption,
} from '../random/drawn.js';
import * as fills from '../random/fill.js';
import { memoryOrder } from '../random/memory-order.js';
import type { Tensor } from '../tensor/tensor.js';
import { overwrite } from './overwrite.js';
import { numbersOf, sample } from './random.js';
import { expand, permute } from './views.js';

export type InPlaceRandomOptions = GeneratorOption;

const IN_PLACE_RANDOM_OPTIONS: OptionTable<InPlaceRandomOptions> = { generator: true };

function checkOverlap({ shape, strides }: Tensor): void {
  if (shape.some((size, dim) => size > 1 && strides[dim] === 0))
    throw shapeError(
      'unsupported operation: more than one element of the written-to tensor refers to a single ' +
        'memory location. Please clone() the tensor before performing the operation.',
    );
}

function refill(x: Tensor, operation: string, fill: Fill, options: GeneratorOption): Tensor {
  checkCall(operation, { x }, options, { generator: true });
  checkOverlap(x);
  return overwrite(x, drawn(x, x.dtype, fill, options), operation);
}

function refillFloats(
  x: Tensor,
  operation: string,
  fill: FloatFill,
  options: GeneratorOption,
): Tensor {
  checkCall(operation, { x }, options, { generator: true });
  checkOverlap(x);
  return overwrite(x, drawnFloats(operation, x, x.dtype, fill, options), operation);
}

/** Uniform on [from, to), up to rounding. */
export const uniform_ = (x: Tensor, from = 0, to = 1, options: InPlaceRandomOptions = {}): Tensor =>
  refillFloats(
    x,
    'uniform_',
    (out, dtype, generator) => fills.fillUniform(out, dtype, from, to, generator),
    options,
  );

/** Normal with `mean` and standard deviation `std`, by Box and Muller. */
export const normal_ = (x: Tensor, mean = 0, std = 1, options: InPlaceRandomOptions = {}): Tensor =>
  refillFloats(
    x,
    'normal_',
    (out, dtype, generator, rowMajor) =>
      fills.fillNormal(out, dtype, mean, std, generator, rowMajor),
    options,
  );

/** 1 with probability `p`, else 0; a tensor `p` broadcasts, and gets a gradient of zeros. */
export function bernoulli_(
  x: Tensor,
  p: number | Tensor = 0.5,
  options: InPlaceRandomOptions = {},
): Tensor {
  checkCall('bernoulli_', { x }, options, IN_PLACE_RANDOM_OPTIONS);
  if (typeof p === 'number')
    return refill(
      x,
      'bernoulli_',
      (out, generator) => fills.fillBernoulli(out, p, generator),
      options,
    );
  requireTensors('bernoulli_', { p });
  checkOverlap(x);
  const { dtype } = p;
  if (!isFloatDType(dtype))
    throw dtypeError(`bernoulli_(): expected floating-point probabilities, but got ${dtype}`);
  const value = sample('bernoulli_', [p], ([given]) => {
    const inOrder = permute(expand(given, x.shape), memoryOrder(x.shape, x.strides));
    const fill: Fill = (out, generator) =>
      fills.bernoulliFrom(numbersOf(inOrder), dtype, out, generator);
    return drawn(x, x.dtype, fill, options);
  });
  return overwrite(x, value, 'bernoulli_');
}

/** Exponential with rate `lambda`: by the logarithm of a uniform number. */
export const exponential_ = (x: Tensor, lambda = 1, options: InPlaceRandomOptions = {}): Tensor =>
  refillFloats(
    x,
    'exponential_',
    (out, dtype, generator) => fills.fillExponential(out, dtype, lambda, generator),
    options,
  );

/** The number of trials until one of probability `p` succeeds: 1, 2, …; into integers too. */
export const geometric_ = (x: Tensor, p: number, options: InPlaceRandomOptions = {}): Tensor =>
  refill(x, 'geometric_', (out, generator) => fills.fillGeometric(out, p, generator), options);

/** Cauchy: half of the numbers lie within `sigma` of `median`. By the tangent of a uniform number. */
export const cauchy_ = (
  x: Tensor,
  median = 0,
  sigma = 1,
  options: InPlaceRandomOptions = {},
): Tensor =>
  refillFloats(
    x,
    'cauchy_',
    (out, dtype, generator) => fills.fillCauchy(out, dtype, median, sigma, generator),
    options,
  );

/** Exponentials of normal numbers of `mean` and `std`. */
export const logNormal_ = (
  x: Tensor,
  mean = 1,
  std = 2,
  options: InPlaceRandomOptions = {},
): Tensor =>
  refillFloats(
    x,
    'logNormal_',
    (out, dtype, generator) => fills.fillLogNormal(out, dtype, mean, std, generator),
    options,
  );

type Integer = number | bigint;
type Bound = Integer | null | undefined;

/**
 * Integers of [from, to). `x.random_()` goes from 0 up to the largest number of the dtype, of a
 * float up to the last integer before two of them are one; `x.random_(to)` from 0; and
 * `x.random_(from, null)` up to the largest.
 */
export function random_(
  x: Tensor,
  first?: Bound | InPlaceRandomOptions,
  second?: Bound | InPlaceRandomOptions,
  third: InPlaceRandomOptions = {},
): Tensor {
  requireTensors('random_', { x });
  const { dtype } = x;
  if (isOptions(first)) return random_(x, undefined, undefined, first);
  if (isOptions(second)) return random_(x, first, undefined, second);
  const fill: Fill = (out, generator) => {
    if (second === null) fills.fillFrom(out, first ?? 0, generator, dtype);
    else if (second !== undefined) fills.fillRandint(out, first ?? 0, second, generator, dtype);
    else if (first === undefined || first === null) fills.fillRandom(out, generator, dtype);
    else fills.fillRandint(out, 0, first, generator, dtype);
  };
  return refill(x, 'random_', fill, third);
}

const isOptions = (value: Bound | InPlaceRandomOptions): value is InPlaceRandomOptions =>
  typeof value === 'object' && value !== null;
