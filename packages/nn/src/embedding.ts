// Tables looked up by class numbers.

import {
  arange,
  argumentError,
  askingForMemory,
  checkCall,
  defineOp,
  dtypeError,
  noGrad,
  norm,
  requireTensors,
  shapeError,
  type Tensor,
  where,
} from '@voxgrad/core';
import { EMBEDDING } from './option-tables.js';

const isIndex = (x: Tensor) => x.dtype === 'int64' || x.dtype === 'int32';

/**
 * 1 at each class number of `x` (int64), else 0, along a new last dim of `numClasses`; of the
 * largest class + 1 when omitted.
 */
export function oneHot(x: Tensor, numClasses = -1): Tensor {
  requireTensors('oneHot', { x });
  if (x.dtype !== 'int64') throw dtypeError('one_hot is only applicable to index tensor.');
  let classes = numClasses;
  if (x.numel === 0) {
    if (classes <= 0)
      throw argumentError('Can not infer total number of classes from empty tensor.');
  } else if (x.device.capabilities.synchronous) {
    if (Number(x.amin().item<bigint>()) < 0)
      throw argumentError('Class values must be non-negative.');
    const needed = Number(x.amax().item<bigint>()) + 1;
    if (classes === -1) classes = needed;
    else if (classes < 1) throw argumentError('num_classes should be positive');
    else if (needed > classes)
      throw argumentError('Class values must be smaller than num_classes.');
  }
  return askingForMemory('oneHot', () =>
    x
      .unsqueeze(-1)
      .eq(arange(classes, { device: x.device }))
      .to('int64'),
  );
}

/** Options of {@link embedding}. */
export interface EmbeddingCallOptions {
  /** This row receives no gradient. */
  paddingIdx?: number;
  /** Rows that are looked up are first scaled down, in place, to this norm. */
  maxNorm?: number;
  normType?: number;
  /** Divides the gradient of a row by how often it is looked up. */
  scaleGradByFreq?: boolean;
}

/** Rows of `weight` `[numEmbeddings, d]` by the numbers in `index`: `[…]` → `[…, d]`. */
export function embedding(
  index: Tensor,
  weight: Tensor,
  options: EmbeddingCallOptions = {},
): Tensor {
  checkCall('embedding', { index, weight }, options, EMBEDDING);
  const { paddingIdx, maxNorm, normType = 2, scaleGradByFreq = false } = options;
  if (weight.ndim !== 2) throw shapeError("'weight' must be 2-D");
  if (!isIndex(index))
    throw dtypeError(
      `Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got ${index.dtype} instead (while checking arguments for embedding)`,
    );
  const rows = weight.shape[0];
  const padding = paddingIdx === undefined ? undefined : rowNumber(paddingIdx, rows);
  const flat = index.to('int64').reshape(-1);
  checkRows(flat, rows);
  if (maxNorm !== undefined) renormalize(weight, flat, maxNorm, normType);
  let picked = weight.indexSelect(0, flat);
  const share = gradientShare(flat, padding, scaleGradByFreq);
  if (share) picked = scaleGradient([picked, share.to(weight.dtype).unsqueeze(1)], undefined);
  return picked.reshape([...index.shape, weight.shape[1]]);
}

export function rowNumber(index: number, rows: number): number {
  if (index >= rows || index < -rows)
    throw argumentError('Padding_idx must be within num_embeddings');
  return index < 0 ? index + rows : index;
}

export function checkRows(index: Tensor, rows: number): void {
  if (index.numel === 0 || !index.device.capabilities.synchronous) return;
  for (const i of index.dataSync())
    if (Number(i) < 0 || Number(i) >= rows)
      throw argumentError(
        `index out of range in self: index ${i} is out of bounds for dimension 0 with size ${rows}`,
      );
}

/** Identity whose gradient is multiplied by a second input. */
const scaleGradient = defineOp({
  name: 'scaleGradient',
  forward: ([x]) => x.alias(),
  saves: { inputs: [1] },
  backward: ([g], context) => [g?.mul(context.input(1)) ?? null, null],
});

/** What part of its gradient each looked-up row passes on; undefined for all of it. */
function gradientShare(
  flat: Tensor,
  padding: number | undefined,
  byFrequency: boolean,
): Tensor | undefined {
  let share: Tensor | undefined;
  if (byFrequency && flat.numel > 0)
    share = flat.unsqueeze(1).eq(flat.unsqueeze(0)).sum(1).to('float64').reciprocal();
  if (padding === undefined) return share;
  const counted = flat.ne(padding);
  return share ? where(counted, share, 0) : counted;
}

/** Scales each row that `flat` names down to `maxNorm`, where it is longer. */
function renormalize(weight: Tensor, flat: Tensor, maxNorm: number, p: number): void {
  noGrad(() => {
    const norms = norm(weight.detach(), p, 1, { keepdim: true });
    // PyTorch's guard against division by zero.
    const scale = norms.add(1e-7).reciprocal().mul(maxNorm);
    const named = oneHot(flat, weight.shape[0]).sum(0).gt(0).unsqueeze(1);
    const long = norms.gt(maxNorm).logicalAnd(named);
    weight.copy_(weight.mul(where(long, scale, 1)));
  });
}
