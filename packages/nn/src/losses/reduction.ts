import { argumentError, formatShape, sameShape, shapeError, type Tensor } from '@voxgrad/core';

export type Reduction = 'mean' | 'sum' | 'none';

export interface LossOptions {
  reduction?: Reduction;
}

/** One number of many: their mean (the default) or sum, or all of them with 'none'. */
export function reduceLoss(loss: Tensor, reduction: Reduction = 'mean'): Tensor {
  if (reduction === 'mean') return loss.mean();
  if (reduction === 'sum') return loss.sum();
  if (reduction === 'none') return loss;
  throw argumentError(
    `${String(reduction)} is not a valid value for reduction; use 'mean', 'sum' or 'none'`,
  );
}

/** Nothing is broadcast by accident: PyTorch only warns here. */
export function requireSameSize(operation: string, input: Tensor, target: Tensor): void {
  if (!sameShape(input.shape, target.shape))
    throw shapeError(
      `${operation}(): expected input and target of the same size, but got ${formatShape(input.shape)} and ${formatShape(target.shape)}`,
    );
}
