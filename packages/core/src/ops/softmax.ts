import { checkCall } from '../arguments.js';
import { defineOp, type Op } from '../autograd/op.js';
import type { DType } from '../tensor/dtype.js';
import { normalizeDim } from '../tensor/shape.js';
import type { Tensor } from '../tensor/tensor.js';
import { where } from './binary.js';
import { cast } from './cast.js';
import { toFloat } from './operands.js';
import { amax, type Dim, sum } from './reduce.js';

/**
 * The largest element over `dim`, off the tape: subtracting it cancels in value and derivative.
 * Infinite peaks become 0, so that inf − inf does not arise.
 */
function peak(x: Tensor, dim: Dim): Tensor {
  const top = amax(x.detach(), dim, { keepdim: true });
  return where(top.abs().eq(Number.POSITIVE_INFINITY), 0, top);
}

/** log Σ exp(x) over `dim`, without overflow. */
export function logsumexp(input: Tensor, dim: Dim, options: { keepdim?: boolean } = {}): Tensor {
  checkCall('logsumexp', { input }, options, { keepdim: true });
  const x = toFloat(input);
  if (x.numel === 0) return sum(x.exp(), dim, options).log();
  const top = peak(x, dim);
  const y = sum(x.sub(top).exp(), dim, { keepdim: true }).log().add(top);
  return options.keepdim ? y : y.squeeze(dim);
}

const shifted = (x: Tensor, dim: number): Tensor => x.sub(amax(x, dim, { keepdim: true }));

interface Along {
  readonly dim: number;
}

/** y = x − log Σ exp(x); dx = g − exp(y)·Σ g. */
const logSoftmaxOp: Op<Along> = defineOp({
  name: 'logSoftmax',
  forward: ([x], { dim }) => {
    const below = shifted(x, dim);
    return below.sub(sum(below.exp(), dim, { keepdim: true }).log());
  },
  saves: { outputs: [0] },
  backward: ([g], context) => [
    g === null
      ? null
      : g.sub(
          context
            .output()
            .exp()
            .mul(sum(g, context.options.dim, { keepdim: true })),
        ),
  ],
});

/** y = exp(x) / Σ exp(x); dx = y·(g − Σ g·y). */
const softmaxOp: Op<Along> = defineOp({
  name: 'softmax',
  forward: ([x], { dim }) => {
    const e = shifted(x, dim).exp();
    return e.div(sum(e, dim, { keepdim: true }));
  },
  saves: { outputs: [0] },
  backward: ([g], context) => {
    if (g === null) return [null];
    const y = context.output();
    return [y.mul(g.sub(sum(g.mul(y), context.options.dim, { keepdim: true })))];
  },
});

/** x − log Σ exp(x) along `dim`. */
export function logSoftmax(input: Tensor, dim: number, options: { dtype?: DType } = {}): Tensor {
  checkCall('logSoftmax', { input }, options, { dtype: true });
  const x = toFloat(cast(input, options.dtype ?? input.dtype));
  if (x.numel === 0) return x.clone();
  return logSoftmaxOp([x], { dim: normalizeDim(dim, x.ndim) });
}

/** exp(x) / Σ exp(x) along `dim`. */
export function softmax(input: Tensor, dim: number, options: { dtype?: DType } = {}): Tensor {
  checkCall('softmax', { input }, options, { dtype: true });
  const x = toFloat(cast(input, options.dtype ?? input.dtype));
  if (x.numel === 0) return x.clone();
  return softmaxOp([x], { dim: normalizeDim(dim, x.ndim) });
}
