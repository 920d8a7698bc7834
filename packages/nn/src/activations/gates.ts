// Activations along a dim: halves that gate each other, and distributions.

import {
  argumentError,
  checkCall,
  type DType,
  defineOp,
  normalizeDim,
  requireTensors,
  shapeError,
  softmax,
  type Tensor,
  zerosLike,
} from '@voxgrad/core';
import { oneHot } from '../embedding.js';
import { GUMBEL_SOFTMAX } from '../option-tables.js';
import { optionsOf } from '../options.js';

const gatedOp = defineOp({
  name: 'glu',
  forward: ([a, b]) => a.mul(b.sigmoid()),
  saves: { inputs: [0, 1] },
  backward: ([g], context) => {
    if (g === null) return [null, null];
    const s = context.input(1).sigmoid();
    // The slope of the gate first: it may be 0 where g·a would be ∞.
    return [g.mul(s), s.neg().add(1).mul(s).mul(g).mul(context.input(0))];
  },
});

/** a·sigmoid(b), a and b the halves of `x` along `dim` (the last). */
export function glu(x: Tensor, dim = -1): Tensor {
  requireTensors('glu', { x });
  if (x.ndim === 0)
    throw shapeError('glu does not support scalars because halving size must be even');
  const axis = normalizeDim(dim, x.ndim);
  const size = x.shape[axis];
  if (size % 2 !== 0)
    throw shapeError(`Halving dimension must be even, but dimension ${axis} is size ${size}`);
  const half = size / 2;
  return gatedOp([x.narrow(axis, 0, half), x.narrow(axis, half, half)], undefined);
}

/** exp(−x) / Σ exp(−x) along `dim`. */
export const softmin = (x: Tensor, dim: number, options: { dtype?: DType } = {}): Tensor => {
  checkCall('softmin', { x }, options, { dtype: true });
  return softmax(x.neg(), dim, options);
};

/** Options of {@link gumbelSoftmax}. */
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
export function gumbelSoftmax(
  logits: Tensor,
  options: number | GumbelSoftmaxOptions = {},
  more?: Omit<GumbelSoftmaxOptions, 'tau'>,
): Tensor {
  requireTensors('gumbelSoftmax', { logits });
  const {
    tau = 1,
    hard = false,
    dim = -1,
  } = optionsOf('gumbelSoftmax', GUMBEL_SOFTMAX, 'tau', options, more);
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
