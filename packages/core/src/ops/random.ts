// Sampling from tensors of parameters. The gradient by a parameter is zero, as in PyTorch.

import { checkCall, requireTensors } from '../arguments.js';
import { defineOp } from '../autograd/op.js';
import { getDevice } from '../device/registry.js';
import { argumentError, dtypeError, shapeError } from '../errors.js';
import { checkOptions } from '../options.js';
import { isFloatDType } from '../random/arrays.js';
import { drawn, drawnFloats, type GeneratorOption } from '../random/drawn.js';
import {
  bernoulliFrom,
  fillBernoulli,
  fillExponential,
  fillNormal,
  fillPoisson,
} from '../random/fill.js';
import {
  checkWeights,
  drawWithoutReplacement,
  drawWithReplacement,
} from '../random/multinomial.js';
import { fromHost, zeros } from '../tensor/create.js';
import { checkDType, getDefaultDtype, torchName } from '../tensor/dtype.js';
import type { RandomOptions } from '../tensor/random.js';
import { broadcastShapes, checkShape } from '../tensor/shape.js';
import { Tensor } from '../tensor/tensor.js';
import { add, mul } from './binary.js';
import { cast } from './cast.js';

/** What `draw` makes of the inputs; each of them gets a gradient of zeros. */
export const sample = (
  name: string,
  inputs: readonly Tensor[],
  draw: (inputs: readonly Tensor[]) => Tensor,
): Tensor =>
  defineOp({
    name,
    forward: draw,
    backward: (_, context) =>
      context.inputs.map(({ shape, dtype, device }) => Tensor.filled(shape, 0, dtype, device)),
  })(inputs, undefined);

/** The elements as float64, in row-major order. */
export const numbersOf = (x: Tensor): Float64Array =>
  Float64Array.from(cast(x.detach(), 'float64').dataSync(), Number);

/**
 * 1 with the probability at the same place of `x`, else 0, of the dtype of `x`. With a number `p`
 * as the probability, `x` gives shape and dtype only.
 */
export function bernoulli(
  x: Tensor,
  p?: number | GeneratorOption,
  options: GeneratorOption = {},
): Tensor {
  checkCall('bernoulli', { x }, options, { generator: true });
  if (typeof p === 'object') return bernoulli(x, undefined, p);
  const { device, dtype, shape } = x;
  if (p !== undefined)
    return sample('bernoulli', [x], () =>
      drawn(
        { shape, device },
        dtype,
        (out, generator) => fillBernoulli(out, p, generator),
        options,
      ),
    );
  return sample('bernoulli', [x], ([probabilities]) =>
    drawnFloats(
      'bernoulli',
      { shape, device },
      dtype,
      (out, kind, generator) => bernoulliFrom(numbersOf(probabilities), kind, out, generator),
      options,
    ),
  );
}

/** A number of events for each rate in `rates` (see random/poisson.ts for the algorithms). */
export const poisson = (rates: Tensor, options: GeneratorOption = {}): Tensor => {
  checkCall('poisson', { rates }, options, { generator: true });
  return sample('poisson', [rates], ([x]) =>
    drawnFloats(
      'poisson',
      { shape: x.shape, device: x.device },
      x.dtype,
      (out, _dtype, generator) => fillPoisson(out, numbersOf(x), generator),
      options,
    ),
  );
};

/** Normal numbers of the given means and standard deviations, which broadcast; the dtype of the first tensor. */
export function normal(mean: Tensor, std?: Tensor | number, options?: GeneratorOption): Tensor;
export function normal(mean: number, std: Tensor, options?: GeneratorOption): Tensor;
/** Normal numbers of one mean and standard deviation, of `shape`. */
export function normal(
  mean: number,
  std: number,
  shape: readonly number[],
  options?: RandomOptions,
): Tensor;
export function normal(
  mean: Tensor | number,
  std: Tensor | number = 1,
  third: readonly number[] | GeneratorOption = {},
  fourth: RandomOptions = {},
): Tensor {
  if (typeof mean === 'number' && typeof std === 'number') {
    if (!isShape(third))
      throw argumentError(`normal(): expected a list of sizes, but got ${String(third)}`);
    return normalOf(third, mean, std, fourth);
  }
  const options = isShape(third) ? {} : third;
  for (const [name, value] of Object.entries({ mean, std }))
    if (typeof value !== 'number') requireTensors('normal', { [name]: value });
  checkOptions('normal', options, { generator: true });
  if (std instanceof Tensor && !numbersOf(std).every((x) => x >= 0))
    throw argumentError('normal expects all elements of std >= 0.0');
  const tensors = [mean, std].filter((x) => x instanceof Tensor);
  return sample('normal', tensors, () => {
    const [{ dtype, device }] = tensors;
    const shape = broadcastShapes(...tensors.map((x) => x.shape));
    const deviation = typeof std === 'number' ? std : 1;
    const standard = normalOf(shape, 0, deviation, { ...options, dtype, device });
    const scaled = std instanceof Tensor ? cast(mul(standard, std), dtype) : standard;
    return cast(add(scaled, mean), dtype);
  });
}

const isShape = (value: unknown): value is readonly number[] => Array.isArray(value);

function normalOf(
  shape: readonly number[],
  mean: number,
  std: number,
  options: RandomOptions,
): Tensor {
  const made = drawnFloats(
    'normal',
    { shape: checkShape(shape, 'normal'), device: getDevice(options.device) },
    checkDType(options.dtype ?? getDefaultDtype()),
    (out, dtype, generator) => fillNormal(out, dtype, mean, std, generator),
    options,
  );
  return options.requiresGrad ? made.requiresGrad_() : made;
}

/** Options of {@link multinomial}. */
export interface MultinomialOptions extends GeneratorOption {
  /** Whether an index may be drawn again; no by default. */
  replacement?: boolean;
}

/**
 * `count` indices for each row of weights (`[categories]` or `[rows, categories]`), which need not
 * sum to 1. PyTorch's third positional argument, `replacement`, is taken as well as an option.
 */
export function multinomial(
  weights: Tensor,
  count: number,
  options: boolean | MultinomialOptions = {},
): Tensor {
  requireTensors('multinomial', { weights });
  if (typeof options === 'boolean') return multinomial(weights, count, { replacement: options });
  checkOptions('multinomial', options, { replacement: true, generator: true });
  const { replacement = false } = options;
  const { shape, dtype } = weights;
  checkMultinomial(weights, count, replacement);
  const categories = shape[shape.length - 1];
  const resultShape = [...shape.slice(0, -1), count];
  if (shape[0] === 0) return zeros(resultShape, { dtype: 'int64', device: weights.device });
  const rows = rowsOf(weights, categories);
  const kind = isFloatDType(dtype) ? dtype : 'float32';
  let indices: number[];
  if (replacement) {
    indices = drawWithReplacement(rows, count, kind, options.generator);
  } else {
    checkWeights(rows);
    const exponentials = drawnFloats(
      'multinomial',
      { shape, strides: weights.strides, device: getDevice('cpu') },
      dtype,
      (out, own, generator) => fillExponential(out, own, 1, generator),
      options,
    );
    indices = drawWithoutReplacement(rows, rowsOf(exponentials, categories), count, kind);
  }
  return fromHost(BigInt64Array.from(indices, BigInt), 'int64', resultShape, {
    device: weights.device,
  });
}

function checkMultinomial({ shape, dtype }: Tensor, count: number, replacement: boolean): void {
  if (shape.length !== 1 && shape.length !== 2) throw shapeError('prob_dist must be 1 or 2 dim');
  if (!isFloatDType(dtype))
    throw dtypeError(
      `multinomial only supports floating-point dtypes for input, got: ${torchName(dtype)}`,
    );
  if (!(Number.isInteger(count) && count > 0))
    throw argumentError('cannot sample n_sample <= 0 samples');
  const categories = shape[shape.length - 1];
  if (!replacement && count > categories)
    throw argumentError('cannot sample n_sample > prob_dist.size(-1) samples without replacement');
  if (categories > 2 ** 24) throw argumentError('number of categories cannot exceed 2^24');
}

function rowsOf(x: Tensor, length: number): Float64Array[] {
  const numbers = numbersOf(x);
  return Array.from({ length: numbers.length / Math.max(length, 1) }, (_, row) =>
    numbers.subarray(row * length, (row + 1) * length),
  );
}
