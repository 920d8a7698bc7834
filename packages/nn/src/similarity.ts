import {
  argumentError,
  broadcastShapes,
  checkCall,
  defineOp,
  fromHost,
  norm,
  requireTensors,
  shapeError,
  type Tensor,
  where,
} from '@voxgrad/core';
import { COSINE_SIMILARITY, NORMALIZE, PAIRWISE_DISTANCE } from './option-tables.js';

/** Options of {@link normalize}. */
export interface NormalizeOptions {
  p?: number;
  dim?: number;
  eps?: number;
}

/** x / max(‖x‖ₚ, eps) along `dim` (1). */
export function normalize(x: Tensor, options: NormalizeOptions = {}): Tensor {
  checkCall('normalize', { x }, options, NORMALIZE);
  const { p = 2, dim = 1, eps = 1e-12 } = options;
  return x.div(norm(x, p, dim, { keepdim: true }).clamp({ min: eps }));
}

// PyTorch keeps the bound out of the derivative, but divides by the bounded length there too.
const boundedNormOp = defineOp<{ readonly dim: number; readonly eps: number }>({
  name: 'norm',
  forward: ([x], { dim, eps }) => norm(x, 2, dim, { keepdim: true }).clamp({ min: eps }),
  saves: { inputs: [0], outputs: [0] },
  backward: ([g], context) => [g?.mul(context.input(0).div(context.output())) ?? null],
});

/** Options of {@link cosineSimilarity}. */
export interface CosineSimilarityOptions {
  dim?: number;
  eps?: number;
}

/** Σ a·b / (max(‖a‖, eps)·max(‖b‖, eps)) along `dim` (1); the inputs broadcast. */
export function cosineSimilarity(
  a: Tensor,
  b: Tensor,
  options: CosineSimilarityOptions = {},
): Tensor {
  checkCall('cosineSimilarity', { a, b }, options, COSINE_SIMILARITY);
  const { dim = 1, eps = 1e-8 } = options;
  const shape = broadcastShapes(a.shape, b.shape);
  const unit = (x: Tensor) => x.div(boundedNormOp([x], { dim, eps }));
  return unit(a.expand(shape))
    .mul(unit(b.expand(shape)))
    .sum(dim);
}

/** Options of {@link pairwiseDistance}. */
export interface PairwiseDistanceOptions {
  p?: number;
  /** Added to every difference, so that the distance of equal vectors has a derivative. */
  eps?: number;
  keepdim?: boolean;
}

/** ‖a − b + eps‖ₚ over the last dim. */
export function pairwiseDistance(
  a: Tensor,
  b: Tensor,
  options: PairwiseDistanceOptions = {},
): Tensor {
  checkCall('pairwiseDistance', { a, b }, options, PAIRWISE_DISTANCE);
  const { p = 2, eps = 1e-6, keepdim = false } = options;
  return norm(a.sub(b).add(eps), p, -1, { keepdim });
}

/** A distance of 0 passes nothing back, not even an infinite gradient (PyTorch's pdist). */
const distanceOp = defineOp({
  name: 'pdist',
  forward: ([y]) => y,
  saves: { outputs: [0] },
  backward: ([g], context) => [g && where(context.output().eq(0), 0, g)],
});

/** Distances ‖xᵢ − xⱼ‖ₚ of all pairs i < j of the rows of `[n, d]`, in the order of i, then j. */
export function pdist(x: Tensor, p = 2): Tensor {
  requireTensors('pdist', { x });
  if (x.ndim !== 2) throw shapeError(`pdist only supports 2D tensors, got: ${x.ndim}D`);
  if (p < 0) throw argumentError('pdist only supports non-negative p values');
  const n = x.shape[0];
  const pairs = Array.from({ length: n }, (_, i) =>
    Array.from({ length: n - 1 - i }, (__, j) => [i, i + 1 + j]),
  ).flat();
  const rows = (side: number) => {
    const index = BigInt64Array.from(pairs, (pair) => BigInt(pair[side]));
    return x.indexSelect(0, fromHost(index, 'int64', [pairs.length], { device: x.device }));
  };
  return distanceOp([norm(rows(0).sub(rows(1)), p, 1)], undefined);
}
