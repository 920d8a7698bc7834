import {
  argumentError,
  checkCall,
  shapeError,
  type Tensor,
  VoxgradError,
  where,
  zeros,
} from '@voxgrad/core';
import { type EmbeddingCallOptions, embedding, rowNumber } from './embedding.js';
import { EMBEDDING_BAG } from './option-tables.js';

/** How the rows of a bag are joined. */
export type BagMode = 'sum' | 'mean' | 'max';

/** Options of {@link embeddingBag}. */
export interface EmbeddingBagCallOptions extends EmbeddingCallOptions {
  /** First position of each bag in a 1-D index. */
  offsets?: Tensor;
  /** 'mean' by default. */
  mode?: BagMode;
  /** A factor per looked-up row; for mode 'sum'. */
  perSampleWeights?: Tensor;
  /** `offsets` ends with the length of the index. */
  includeLastOffset?: boolean;
}

/**
 * Rows of `weight` by number, reduced bag by bag: `index` `[bags, n]`, or 1-D with `offsets`, →
 * `[bags, d]`. Rows of `paddingIdx` are left out; an empty bag is 0.
 */
export function embeddingBag(
  index: Tensor,
  weight: Tensor,
  options: EmbeddingBagCallOptions = {},
): Tensor {
  checkCall('embeddingBag', { index, weight }, options, EMBEDDING_BAG);
  const {
    mode = 'mean',
    perSampleWeights,
    offsets,
    includeLastOffset = false,
    ...lookup
  } = options;
  const { paddingIdx } = lookup;
  checkMode(mode, perSampleWeights, lookup.scaleGradByFreq);
  const starts = bagStarts(index, offsets, includeLastOffset);
  const flat = index.reshape(-1);
  const rows = embedding(flat, weight, lookup);
  const factors = perSampleWeights?.reshape(-1).unsqueeze(1);
  const padding = paddingIdx === undefined ? -1 : rowNumber(paddingIdx, weight.shape[0]);
  const counted = flat.ne(padding).unsqueeze(1);
  const bags = starts.slice(0, -1).map((start, bag) => {
    const part = (x: Tensor) => x.narrow(0, start, starts[bag + 1] - start);
    return reduceBag(mode, part(factors ? rows.mul(factors) : rows), part(counted));
  });
  const { dtype, device } = weight;
  if (bags.length === 0) return zeros([0, weight.shape[1]], { dtype, device });
  return bags[0].cat(bags.slice(1));
}

/** `[n, d]` and which of its rows count → `[1, d]`. */
function reduceBag(mode: BagMode, rows: Tensor, counted: Tensor): Tensor {
  if (rows.shape[0] === 0) return rows.sum(0, { keepdim: true });
  const present = where(counted, rows, 0);
  if (mode === 'sum') return present.sum(0, { keepdim: true });
  if (mode === 'mean') {
    const count = counted.sum(0, { keepdim: true }).clamp({ min: 1 }).to(rows.dtype);
    return present.sum(0, { keepdim: true }).div(count);
  }
  // The first of equal maxima takes the whole gradient.
  const winners = where(counted, rows.detach(), Number.NEGATIVE_INFINITY).argmax(0, {
    keepdim: true,
  });
  return present.gather(0, winners);
}

function checkMode(mode: BagMode, factors: Tensor | undefined, byFrequency = false): void {
  if (mode !== 'sum' && mode !== 'mean' && mode !== 'max')
    throw argumentError('mode has to be one of sum, mean or max');
  if (mode === 'max' && byFrequency)
    throw argumentError('max mode does not support scaling the gradient by the frequency');
  if (factors && mode !== 'sum')
    throw new VoxgradError(
      'UNSUPPORTED',
      `embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for mode='sum' (got mode='${mode}').`,
    );
}

/** Where each bag begins, and at the end where the last one stops. */
function bagStarts(index: Tensor, offsets: Tensor | undefined, lastIncluded: boolean): number[] {
  if (index.ndim === 2) {
    if (offsets)
      throw argumentError(
        'if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed length sequences. However, found offsets',
      );
    const [bags, size] = index.shape;
    return Array.from({ length: bags + 1 }, (_, bag) => bag * size);
  }
  if (index.ndim !== 1)
    throw shapeError(`input has to be 1D or 2D Tensor, but got Tensor of dimension ${index.ndim}`);
  if (!offsets) throw argumentError('offsets has to be a 1D Tensor but got None');
  if (offsets.ndim !== 1) throw shapeError('offsets has to be a 1D Tensor');
  const starts = Array.from(offsets.dataSync(), Number);
  if (starts.length > 0 && starts[0] !== 0)
    throw argumentError(
      `offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position 0. However, got ${starts[0]}`,
    );
  const last = starts.at(-1) ?? 0;
  if (last > index.shape[0])
    throw argumentError(
      `offsets[-1] can not be greater than input's length ${index.shape[0]} but got offsets[-1] of ${last}`,
    );
  return lastIncluded ? starts : [...starts, index.shape[0]];
}
