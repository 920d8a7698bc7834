import { argumentError, formatShape, sameShape, type Tensor } from '@voxgrad/core';

/** The loss of each element (`'none'`), their mean, or their sum. */
export type Reduction = 'mean' | 'sum' | 'none';

/** How a loss is reduced. */
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

const warned = new Set<string>();

/** PyTorch broadcasts, and warns that this is likely not what was meant: once for the same sizes. */
export function expectSameSize(operation: string, input: Tensor, target: Tensor): void {
  if (sameShape(input.shape, target.shape)) return;
  const warning =
    `${operation}(): Using a target size (torch.Size(${formatShape(target.shape)})) that is different to the ` +
    `input size (torch.Size(${formatShape(input.shape)})). This will likely lead to incorrect results due to ` +
    'broadcasting. Please ensure they have the same size.';
  if (warned.has(warning)) return;
  warned.add(warning);
  console.warn(warning);
}
