import { type Tensor, where } from '@voxgrad/core';
import { type Reduction, reduceLoss } from './reduction.js';

export interface KlDivOptions {
  /** 'batchmean' divides the sum by the size of the first dim, as the divergence is defined. */
  reduction?: Reduction | 'batchmean';
  /** Whether the target holds log probabilities too. */
  logTarget?: boolean;
}

/** Kullback–Leibler divergence: target·(log target − input), the input in log probabilities. */
export function klDiv(input: Tensor, target: Tensor, options: KlDivOptions = {}): Tensor {
  const { reduction = 'mean', logTarget = false } = options;
  const loss = logTarget
    ? target.exp().mul(target.sub(input))
    : entropyTerm(target).sub(target.mul(input));
  if (reduction !== 'batchmean') return reduceLoss(loss, reduction);
  return input.ndim === 0 ? loss.sum() : loss.sum().div(input.shape[0]);
}

/** t·log t, 0 at 0. */
function entropyTerm(t: Tensor): Tensor {
  const zero = t.eq(0);
  const safe = where(zero, 1, t);
  return where(zero, 0, safe.mul(safe.log()));
}
