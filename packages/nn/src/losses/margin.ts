// Losses that are zero once a margin is kept.

import {
  argumentError,
  checkCall,
  formatShape,
  fromHost,
  minimum,
  sameShape,
  shapeError,
  type Tensor,
  where,
} from '@voxgrad/core';
import { oneHot } from '../embedding.js';
import { pairwiseDistance } from '../similarity.js';
import {
  LOSS,
  MARGIN,
  MULTI_MARGIN,
  TRIPLET_MARGIN,
  TRIPLET_MARGIN_WITH_DISTANCE,
} from './option-tables.js';
import { type LossOptions, reduceLoss } from './reduction.js';

/** Options of {@link marginRankingLoss} and {@link hingeEmbeddingLoss} and {@link cosineEmbeddingLoss}. */
export interface MarginOptions extends LossOptions {
  margin?: number;
}

/** max(0, x), with the gradient 1 at 0 as PyTorch's clamp_min. */
const hinge = (x: Tensor) => x.clamp({ min: 0 });

/** x where it is positive: NaN counts as kept, as in PyTorch's multi_margin_loss. */
const excess = (x: Tensor) => where(x.gt(0), x, 0);

/** The input where target is 1, max(0, margin − input) where it is −1; margin 1. */
export function hingeEmbeddingLoss(
  input: Tensor,
  target: Tensor,
  options: MarginOptions = {},
): Tensor {
  checkCall('hingeEmbeddingLoss', { input, target }, options, MARGIN);
  const { margin = 1, reduction } = options;
  const apart = where(target.ne(1), hinge(input.neg().add(margin)), 0);
  return reduceLoss(apart.add(where(target.ne(-1), input, 0)), reduction);
}

/** max(0, −target·(a − b) + margin): target 1 wants a above b, −1 below; margin 0. */
export function marginRankingLoss(
  a: Tensor,
  b: Tensor,
  target: Tensor,
  options: MarginOptions = {},
): Tensor {
  checkCall('marginRankingLoss', { a, b, target }, options, MARGIN);
  const { margin = 0, reduction } = options;
  if (a.ndim !== b.ndim || a.ndim !== target.ndim)
    throw shapeError(
      'margin_ranking_loss : All input tensors should have same dimension but got sizes: ' +
        `input1: ${torchSize(a)}, input2: ${torchSize(b)}, target: ${torchSize(target)} `,
    );
  return reduceLoss(hinge(target.neg().mul(a.sub(b)).add(margin)), reduction);
}

const torchSize = (x: Tensor) => `torch.Size(${formatShape(x.shape)})`;

/** 1 − cos(a, b) where target is 1, max(0, cos(a, b) − margin) where it is −1; margin 0. */
export function cosineEmbeddingLoss(
  a: Tensor,
  b: Tensor,
  target: Tensor,
  options: MarginOptions = {},
): Tensor {
  checkCall('cosineEmbeddingLoss', { a, b, target }, options, MARGIN);
  const { margin = 0, reduction } = options;
  if (target.ndim > 1)
    throw shapeError('0D or 1D target tensor expected, multi-target not supported');
  const rank = target.ndim + 1;
  if (a.ndim !== rank || b.ndim !== rank)
    throw shapeError(
      `${target.ndim}D target tensor expects ${rank}D input tensors, but found inputs with sizes ${formatShape(a.shape)} and ${formatShape(b.shape)}.`,
    );
  const square = (x: Tensor) => x.mul(x).sum(-1).add(1e-12);
  const cosine = a
    .mul(b)
    .sum(-1)
    .div(square(a).mul(square(b)).sqrt());
  const together = where(target.eq(1), cosine.neg().add(1), 0);
  const apart = where(target.eq(-1), hinge(cosine.sub(margin)), 0);
  return reduceLoss(together.add(apart), reduction);
}

/** Options of {@link multiMarginLoss}. */
export interface MultiMarginOptions extends MarginOptions {
  /** Power of the hinge, 1 or 2. */
  p?: 1 | 2;
  /** A factor per class of the target. */
  weight?: Tensor | null;
}

/** Σ over wrong classes of max(0, margin − x[target] + x[i])ᵖ / C for `[N, C]` or `[C]`; margin 1. */
export function multiMarginLoss(
  input: Tensor,
  target: Tensor,
  options: MultiMarginOptions = {},
): Tensor {
  checkCall('multiMarginLoss', { input, target }, options, MULTI_MARGIN);
  const { p = 1, margin = 1, weight, reduction } = options;
  if (p !== 1 && p !== 2) throw argumentError('only p == 1 and p == 2 supported');
  if (weight && weight.ndim !== 1) throw shapeError('weight must be one-dimensional');
  const x = input.ndim < 2 ? input.reshape(1, -1) : input;
  const classes = target.reshape(-1);
  if (classes.shape[0] !== x.shape[0])
    throw shapeError(
      `inconsistent target size, got: ${formatShape(target.shape)} (input ${formatShape(input.shape)})`,
    );
  const index = classes.unsqueeze(1);
  const over = excess(x.sub(x.gather(1, index)).add(margin));
  const powered = p === 1 ? over : over.mul(over);
  const wrong = oneHot(classes, x.shape[1]).eq(0);
  const losses = where(wrong, powered, 0).sum(1).div(x.shape[1]);
  const weighted = weight ? losses.mul(weight.indexSelect(0, classes)) : losses;
  return reduceLoss(target.ndim === 0 ? weighted.squeeze(0) : weighted, reduction);
}

/**
 * Σ over right classes j and wrong ones i of max(0, 1 − x[j] + x[i]) / C for `[N, C]` or `[C]`.
 * @param target int64 of the size of the input: the right classes, ended by a −1
 */
export function multilabelMarginLoss(
  input: Tensor,
  target: Tensor,
  options: LossOptions = {},
): Tensor {
  checkCall('multilabelMarginLoss', { input, target }, options, LOSS);
  const size = input.shape.at(-1) ?? 1;
  const x = input.reshape(-1, size);
  const listed = target.reshape(-1, size);
  if (!sameShape(input.shape, target.shape))
    throw shapeError(
      `inconsistent size ${formatShape(target.shape)} for argument #2 'target' (input ${formatShape(input.shape)})`,
    );
  const valid = beforeTheEnd(listed);
  const safe = where(valid, listed, 0);
  const right = oneHot(safe, size).mul(valid.unsqueeze(2)).sum(1).gt(0);
  const scores = x.gather(1, safe).unsqueeze(2); // [N, right class, 1]
  const over = excess(x.unsqueeze(1).sub(scores).add(1));
  const counts = valid.unsqueeze(2).logicalAnd(right.logicalNot().unsqueeze(1));
  const losses = where(counts, over, 0).sum([1, 2]).div(size);
  return reduceLoss(input.ndim < 2 ? losses.squeeze(0) : losses, options.reduction);
}

/** True for the entries of each row before its first negative one. */
function beforeTheEnd(listed: Tensor): Tensor {
  const [rows, size] = listed.shape;
  const entries = listed.dataSync();
  const valid = new Uint8Array(rows * size);
  for (let row = 0; row < rows; row++)
    for (let i = row * size; i < (row + 1) * size && entries[i] >= 0; i++) valid[i] = 1;
  return fromHost(valid, 'bool', [rows, size], { device: listed.device });
}

/** Options of {@link tripletMarginLoss}. */
export interface TripletMarginOptions extends MarginOptions {
  /** The norm of the distance. */
  p?: number;
  eps?: number;
  /** Takes the distance of positive and negative where it is the smaller one. */
  swap?: boolean;
}

/** max(0, ‖a − p‖ − ‖a − n‖ + margin) over the last dim; margin 1. */
export function tripletMarginLoss(
  anchor: Tensor,
  positive: Tensor,
  negative: Tensor,
  options: TripletMarginOptions = {},
): Tensor {
  checkCall('tripletMarginLoss', { anchor, positive, negative }, options, TRIPLET_MARGIN);
  const { p = 2, eps = 1e-6, ...rest } = options;
  if (anchor.ndim !== positive.ndim || anchor.ndim !== negative.ndim)
    throw shapeError(
      `All inputs should have same dimension but got ${anchor.ndim}D, ${positive.ndim}D and ${negative.ndim}D inputs.`,
    );
  const distanceFunction = (x: Tensor, y: Tensor) => pairwiseDistance(x, y, { p, eps });
  return tripletMarginWithDistanceLoss(anchor, positive, negative, { ...rest, distanceFunction });
}

/** Options of {@link tripletMarginWithDistanceLoss}. */
export interface TripletMarginWithDistanceOptions extends MarginOptions {
  distanceFunction?: (a: Tensor, b: Tensor) => Tensor;
  swap?: boolean;
}

/** {@link tripletMarginLoss} with a distance of one's own. */
export function tripletMarginWithDistanceLoss(
  anchor: Tensor,
  positive: Tensor,
  negative: Tensor,
  options: TripletMarginWithDistanceOptions = {},
): Tensor {
  checkCall(
    'tripletMarginWithDistanceLoss',
    { anchor, positive, negative },
    options,
    TRIPLET_MARGIN_WITH_DISTANCE,
  );
  const { distanceFunction: distance = pairwiseDistance, margin = 1, swap = false } = options;
  const near = distance(anchor, positive);
  let far = distance(anchor, negative);
  if (swap) far = minimum(far, distance(positive, negative));
  return reduceLoss(hinge(near.sub(far).add(margin)), options.reduction);
}
