// Activations along a dim: halves that gate each other, and distributions.

import {
  argumentError,
  type DType,
  normalizeDim,
  shapeError,
  softmax,
  type Tensor,
  zerosLike,
} from '@voxgrad/core';
import { oneHot } from '../embedding.js';
import { optionsOf } from '../options.js';

/** a·sigmoid(b), a and b the halves of `x` along `dim` (the last). */
export function glu(x: Tensor, dim = -1): Tensor {
  if (x.ndim === 0)
    throw shapeError('glu does not support scalars because halving size must be even');
  const axis = normalizeDim(dim, x.ndim);
  const size = x.shape[axis];
  if (size % 2 !== 0)
    throw shapeError(`Halving dimension must be even, but dimension ${axis} is size ${size}`);
  const half = size / 2;
  return x.narrow(axis, 0, half).mul(x.narrow(axis, half, half).sigmoid());
}

/** exp(−x) / Σ exp(−x) along `dim`. */
export const softmin = (x: Tensor, dim: number, options: { dtype?: DType } = {}): Tensor =>
  softmax(x.neg(), dim, options);

export interface GumbelSoftmaxOptions {
  /** Temperature: the smaller, the closer to one-hot. */
  tau?: number;
  /** One-hot forward, with the gradient of the soft sample. */
  hard?: boolean;
  dim?: number;
}

/**
 * A sample of the Gumbel-softmax distribution of `logits` along `dim` (Jang et al. 2016,
 * arXiv:1611.01144).
 */
export function gumbelSoftmax(logits: Tensor, options: number | GumbelSoftmaxOptions = {}): Tensor {
  const { tau = 1, hard = false, dim = -1 } = optionsOf(options, 'tau');
  if (tau === 0) throw argumentError('gumbelSoftmax(): tau must not be 0');
  const noise = zerosLike(logits.detach()).exponential_().log().neg();
  const soft = softmax(logits.add(noise).div(tau), dim);
  if (!hard) return soft;
  const axis = normalizeDim(dim, soft.ndim);
  const winners = oneHot(soft.detach().argmax(axis), soft.shape[axis]);
  const order = soft.shape.map((_, d) => d).slice(0, -1);
  order.splice(axis, 0, soft.ndim - 1);
  return winners.permute(order).to(soft.dtype).sub(soft.detach()).add(soft);
}
