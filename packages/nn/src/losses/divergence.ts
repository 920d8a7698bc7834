import { checkCall, type Tensor, xlogy } from '@voxgrad/core';
import { KL_DIV } from './option-tables.js';
import { type Reduction, reduceLoss } from './reduction.js';

/** Options of {@link klDiv}. */
export interface KlDivOptions {
  /** 'batchmean' divides the sum by the size of the first dim, as the divergence is defined. */
  reduction?: Reduction | 'batchmean';
  /** Whether the target holds log probabilities too. */
  logTarget?: boolean;
}

/** Kullback–Leibler divergence: target·(log target − input), the input in log probabilities. */
export function klDiv(input: Tensor, target: Tensor, options: KlDivOptions = {}): Tensor {
  checkCall('klDiv', { input, target }, options, KL_DIV);
  const { reduction = 'mean', logTarget = false } = options;
  const loss = logTarget
    ? target.exp().mul(target.sub(input))
    : xlogy(target, target).sub(target.mul(input));
  if (reduction !== 'batchmean') return reduceLoss(loss, reduction);
  return input.ndim === 0 ? loss.sum() : loss.sum().div(input.shape[0]);
}
