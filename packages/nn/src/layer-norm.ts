// Normalisations that look at one sample at a time and keep no statistics.

import {
  argumentError,
  checkCall,
  embed,
  formatShape,
  numberList,
  requireTensors,
  sameShape,
  shapeError,
  type Tensor,
} from '@voxgrad/core';
import { AFFINE_NORM, LOCAL_RESPONSE_NORM } from './option-tables.js';
import { type TensorsThenOptions, tensorsThenOptions } from './positional.js';

const TENSORS = ['weight', 'bias'] as const;

/** Weight and bias of a norm, and what is added to the variance. */
export interface AffineNormOptions {
  weight?: Tensor | null;
  bias?: Tensor | null;
  /** Added to the variance. */
  eps?: number;
}

/** (x − mean) / √(variance + eps) over `dims`. */
function standardize(x: Tensor, dims: readonly number[], eps: number): Tensor {
  const centred = x.sub(x.mean(dims, { keepdim: true }));
  const variance = centred.mul(centred).mean(dims, { keepdim: true });
  return centred.mul(variance.add(eps).rsqrt());
}

function affine(y: Tensor, weight: Tensor | null | undefined, bias: Tensor | null | undefined) {
  const scaled = weight ? y.mul(weight) : y;
  return bias ? scaled.add(bias) : scaled;
}

/** Normalises over the last dims, whose sizes are `normalizedShape`; weight and bias have them too. */
export function layerNorm(
  x: Tensor,
  normalizedShape: number | readonly number[],
  ...given: TensorsThenOptions<AffineNormOptions>
): Tensor {
  requireTensors('layerNorm', { x });
  const options = tensorsThenOptions('layerNorm', TENSORS, AFFINE_NORM, given);
  const shape = numberList('layerNorm', 'normalizedShape', normalizedShape);
  const { weight, bias, eps = 1e-5 } = options;
  if (shape.length === 0)
    throw shapeError(
      'Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got normalized_shape = []',
    );
  for (const [name, value] of Object.entries({ weight, bias }))
    if (value && !sameShape(value.shape, shape))
      throw shapeError(
        `Expected ${name} to be of same shape as normalized_shape, but got ${name} of shape ${formatShape(value.shape)} and normalized_shape = ${formatShape(shape)}`,
      );
  const first = x.ndim - shape.length;
  if (first < 0 || !sameShape(x.shape.slice(first), shape))
    throw shapeError(
      `Given normalized_shape=${formatShape(shape)}, expected input with shape [*, ${shape.join(', ')}], but got input of size${formatShape(x.shape)}`,
    );
  if (x.numel === 0) return affine(x.clone(), weight, bias);
  const dims = shape.map((_, d) => first + d);
  return affine(standardize(x, dims, eps), weight, bias);
}

/** Normalises `[N, C, …]` over groups of channels; weight and bias are `[C]`. */
export function groupNorm(
  x: Tensor,
  numGroups: number,
  ...given: TensorsThenOptions<AffineNormOptions>
): Tensor {
  requireTensors('groupNorm', { x });
  const options = tensorsThenOptions('groupNorm', TENSORS, AFFINE_NORM, given);
  const { weight, bias, eps = 1e-5 } = options;
  if (x.ndim < 2)
    throw shapeError(`Expected at least 2 dimensions for input tensor but received ${x.ndim}`);
  const [batch, channels, ...spatial] = x.shape;
  if (!Number.isInteger(numGroups) || numGroups < 1)
    throw argumentError(`Expected num groups to be greater than 0, got ${numGroups}`);
  if (channels % numGroups !== 0)
    throw shapeError(
      `Expected number of channels in input to be divisible by num_groups, but got input of shape ${formatShape(x.shape)} and num_groups=${numGroups}`,
    );
  if (spatial.reduce((n, size) => n * size, (batch * channels) / numGroups) === 1)
    throw shapeError(
      `Expected more than 1 value per channel when training, got input size ${formatShape([(batch * channels) / numGroups, numGroups, ...spatial])}`,
    );
  for (const [name, value] of Object.entries({ weight, bias }))
    if (value && !sameShape(value.shape, [channels]))
      throw shapeError(
        `Expected ${name} to be a vector of size equal to the number of channels in input, but got ${name} of shape ${formatShape(value.shape)} and input of shape ${formatShape(x.shape)}`,
      );
  const along = x.shape.map((_, axis) => (axis === 1 ? channels : 1));
  const grouped =
    x.numel === 0 ? x.clone() : standardize(x.reshape(batch, numGroups, -1), [2], eps);
  return affine(grouped.reshape(x.shape), weight?.reshape(along), bias?.reshape(along));
}

/** Options of {@link localResponseNorm}. */
export interface LocalResponseNormOptions {
  alpha?: number;
  beta?: number;
  k?: number;
}

/**
 * x / (k + alpha·mean of x² over `size` neighbouring channels)^beta for `[N, C, …]`; channels
 * outside count as 0 (Krizhevsky et al. 2012, "ImageNet Classification with Deep CNNs").
 */
export function localResponseNorm(
  x: Tensor,
  size: number,
  options: LocalResponseNormOptions = {},
): Tensor {
  checkCall('localResponseNorm', { x }, options, LOCAL_RESPONSE_NORM);
  const { alpha = 1e-4, beta = 0.75, k = 1 } = options;
  if (x.ndim < 3)
    throw shapeError(`Expected 3D or higher dimensionality input (got ${x.ndim} dimensions)`);
  if (x.numel === 0) return x;
  const wide = x.shape.map((n, axis) => (axis === 1 ? n + size - 1 : n));
  const before = x.shape.map((_, axis) => (axis === 1 ? Math.floor(size / 2) : 0));
  const squares = embed(x.mul(x), wide, before);
  let total = squares.narrow(1, 0, x.shape[1]);
  for (let i = 1; i < size; i++) total = total.add(squares.narrow(1, i, x.shape[1]));
  return x.div(total.div(size).mul(alpha).add(k).pow(beta));
}
