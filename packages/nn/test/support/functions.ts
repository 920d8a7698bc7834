// One row per function of nn.functional that core does not have, for derivatives.test.ts.

import { manualSeed, type NestedList, type Tensor, tensor } from '@voxgrad/core';
import { filled } from '../../../core/test/support/numbers.js';
import { functional as F } from '../../src/index.js';

export interface FunctionRow {
  readonly name: keyof typeof F;
  readonly note: string;
  readonly inputs: () => Tensor[];
  readonly run: (...xs: Tensor[]) => Tensor | Tensor[];
}

const rows: FunctionRow[] = [];

type Shape = readonly number[];

/** Values of both signs; each input its own, so that nothing ties. */
const wide = (shapes: readonly Shape[]) => shapes.map((s, i) => filled(s, -2 - i / 9, 2 + i / 7));
/** Probabilities, none close to 0 or 1. */
const shares = (shape: Shape) => filled(shape, 0.1, 0.9);

function row(
  name: keyof typeof F,
  run: FunctionRow['run'],
  shapes: readonly Shape[],
  inputs: () => Tensor[] = () => wide(shapes),
): void {
  const note = run
    .toString()
    .replace(/\s+/g, ' ')
    .replaceAll(/__vite_ssr_import_\d+__\./g, '');
  rows.push({ name, note, run, inputs });
}

const whole = (list: NestedList) => tensor(list, { dtype: 'int64' });
const numbers = (list: NestedList) => tensor(list, { dtype: 'float64' });

/** The same chance in every evaluation. */
const seeded = (run: () => Tensor): Tensor => {
  manualSeed(5);
  return run();
};

// ---- activations ----

const VECTOR: readonly Shape[] = [[3, 4]];
row('relu', (x) => F.relu(x), VECTOR);
row('relu6', (x) => F.relu6(x.mul(4)), VECTOR);
row('leakyRelu', (x) => F.leakyRelu(x, 0.2), VECTOR);
row('prelu', (x, w) => F.prelu(x, w), [[2, 3, 2], [3]]);
row('prelu', (x, w) => F.prelu(x, w), [[2, 3], [1]]);
row('rrelu', (x) => seeded(() => F.rrelu(x, { training: true })), VECTOR);
row('rrelu', (x) => F.rrelu(x), VECTOR);
row('elu', (x) => F.elu(x, 1.5), VECTOR);
row('celu', (x) => F.celu(x, 0.5), VECTOR);
row('selu', (x) => F.selu(x), VECTOR);
row('gelu', (x) => F.gelu(x), VECTOR);
row('gelu', (x) => F.gelu(x, { approximate: 'tanh' }), VECTOR);
row('silu', (x) => F.silu(x), VECTOR);
row('mish', (x) => F.mish(x), VECTOR);
row('softplus', (x) => F.softplus(x, { beta: 2, threshold: 3 }), VECTOR);
row('softsign', (x) => F.softsign(x), VECTOR);
row('logsigmoid', (x) => F.logsigmoid(x), VECTOR);
row('tanhshrink', (x) => F.tanhshrink(x), VECTOR);
row('hardshrink', (x) => F.hardshrink(x), VECTOR);
row('softshrink', (x) => F.softshrink(x), VECTOR);
row('hardsigmoid', (x) => F.hardsigmoid(x.mul(2)), VECTOR);
row('hardswish', (x) => F.hardswish(x.mul(2)), VECTOR);
row('hardtanh', (x) => F.hardtanh(x, { minVal: -0.5, maxVal: 1.2 }), VECTOR);
row('threshold', (x) => F.threshold(x, 0.3, 7), VECTOR);
row('glu', (x) => F.glu(x, 0), [[4, 3]]);
row('softmin', (x) => F.softmin(x, 1), VECTOR);
row('gumbelSoftmax', (x) => seeded(() => F.gumbelSoftmax(x, { tau: 0.7 })), VECTOR);

// ---- dropout ----

const train = { p: 0.4, training: true };
row('dropout', (x) => seeded(() => F.dropout(x, train)), VECTOR);
row('dropout1d', (x) => seeded(() => F.dropout1d(x, train)), [[2, 4, 3]]);
row('dropout2d', (x) => seeded(() => F.dropout2d(x, train)), [[2, 4, 1, 2]]);
row('dropout3d', (x) => seeded(() => F.dropout3d(x, train)), [[2, 4, 1, 2, 1]]);
row('alphaDropout', (x) => seeded(() => F.alphaDropout(x, train)), VECTOR);
row('featureAlphaDropout', (x) => seeded(() => F.featureAlphaDropout(x, train)), [[2, 4, 2]]);

// ---- normalisation ----

const channels: readonly Shape[] = [[3, 2, 4], [2], [2]];
row('batchNorm', (x, weight, bias) => F.batchNorm(x, { weight, bias, training: true }), channels);
row('instanceNorm', (x, weight, bias) => F.instanceNorm(x, { weight, bias }), channels);
row('layerNorm', (x, weight, bias) => F.layerNorm(x, [4], { weight, bias }), [[3, 4], [4], [4]]);
row('groupNorm', (x, weight, bias) => F.groupNorm(x, 2, { weight, bias }), [[2, 4, 2], [4], [4]]);
row('localResponseNorm', (x) => F.localResponseNorm(x, 3, { alpha: 0.5, k: 2 }), [[1, 4, 3]]);
row('normalize', (x) => F.normalize(x), VECTOR);
row('normalize', (x) => F.normalize(x, { p: 3, dim: 0 }), VECTOR);

// ---- distances ----

row('cosineSimilarity', (a, b) => F.cosineSimilarity(a, b), [
  [3, 4],
  [1, 4],
]);
row('pairwiseDistance', (a, b) => F.pairwiseDistance(a, b, { p: 3 }), [
  [3, 4],
  [3, 4],
]);
row('pdist', (x) => F.pdist(x), [[4, 2]]);

// ---- bilinear, attention, embedding ----

row('bilinear', (a, b, w, bias) => F.bilinear(a, b, w, bias), [[2, 3], [2, 2], [4, 3, 2], [4]]);
const heads: readonly Shape[] = [
  [2, 3, 4],
  [2, 5, 4],
  [2, 5, 2],
];
row('scaledDotProductAttention', (q, k, v) => F.scaledDotProductAttention(q, k, v), heads);
row(
  'scaledDotProductAttention',
  (q, k, v) => F.scaledDotProductAttention(q, k, v, { isCausal: true, scale: 0.3 }),
  heads,
);
row(
  'multiHeadAttention',
  (x, inProjWeight, outProjWeight) =>
    F.multiHeadAttention(x, x, x, 2, {
      inProjWeight,
      outProjWeight,
      outProjBias: null,
    })[0],
  [
    [3, 2, 4],
    [12, 4],
    [4, 4],
  ],
);
row('embedding', (w) => F.embedding(whole([[2, 0, 2]]), w, { paddingIdx: 1 }), [[3, 2]]);
for (const mode of ['sum', 'mean', 'max'] as const)
  row(
    'embeddingBag',
    (w) => F.embeddingBag(whole([2, 0, 1, 2]), w, { offsets: whole([0, 1]), mode }),
    [[3, 2]],
  );

// ---- losses ----

const pair: readonly Shape[] = [
  [3, 4],
  [3, 4],
];
const signs = numbers([1, -1, 1]);
const classes = whole([2, 0, 3]);
row('mseLoss', (x, y) => F.mseLoss(x, y), pair);
row('l1Loss', (x, y) => F.l1Loss(x, y, { reduction: 'sum' }), pair);
row('smoothL1Loss', (x, y) => F.smoothL1Loss(x, y, { beta: 0.7 }), pair);
row('huberLoss', (x, y) => F.huberLoss(x, y, { delta: 0.7 }), pair);
row('poissonNllLoss', (x) => F.poissonNllLoss(x, shares([3, 4]), { full: true }), VECTOR);
row(
  'gaussianNllLoss',
  (x, y, v) => F.gaussianNllLoss(x, y, v, { full: true }),
  [],
  () => [...wide(pair), filled([3, 4], 0.5, 2)],
);
row(
  'binaryCrossEntropy',
  (x, y) => F.binaryCrossEntropy(x, y),
  [],
  () => [shares([3, 4]), filled([3, 4], 0.2, 0.8)],
);
row(
  'binaryCrossEntropyWithLogits',
  (x) => F.binaryCrossEntropyWithLogits(x, shares([3, 4]), { posWeight: numbers([1, 2, 3, 0.5]) }),
  VECTOR,
);
row('softMarginLoss', (x) => F.softMarginLoss(x, signs.unsqueeze(1).expand(3, 4)), VECTOR);
row('multilabelSoftMarginLoss', (x) => F.multilabelSoftMarginLoss(x, shares([3, 4])), VECTOR);
row('crossEntropy', (x) => F.crossEntropy(x, classes, { labelSmoothing: 0.2 }), VECTOR);
row('nllLoss', (x) => F.nllLoss(x, classes, { weight: numbers([1, 2, 3, 0.5]) }), VECTOR);
row('klDiv', (x) => F.klDiv(x, shares([3, 4]), { reduction: 'batchmean' }), VECTOR);
row('klDiv', (x, y) => F.klDiv(x, y, { logTarget: true }), pair);
row('hingeEmbeddingLoss', (x) => F.hingeEmbeddingLoss(x, signs), [[3]]);
row('marginRankingLoss', (a, b) => F.marginRankingLoss(a, b, signs, { margin: 0.4 }), [[3], [3]]);
row('cosineEmbeddingLoss', (a, b) => F.cosineEmbeddingLoss(a, b, signs, { margin: -0.9 }), pair);
row('multiMarginLoss', (x) => F.multiMarginLoss(x, classes, { p: 2, margin: 0.9 }), VECTOR);
row(
  'multilabelMarginLoss',
  (x) =>
    F.multilabelMarginLoss(
      x,
      whole([
        [2, 0, -1, 1],
        [3, -1, 0, 0],
        [1, 2, 3, -1],
      ]),
    ),
  VECTOR,
);
const triple: readonly Shape[] = [...pair, [3, 4]];
row('tripletMarginLoss', (a, p, n) => F.tripletMarginLoss(a, p, n, { swap: true }), triple);
row(
  'tripletMarginWithDistanceLoss',
  (a, p, n) =>
    F.tripletMarginWithDistanceLoss(a, p, n, {
      distanceFunction: (x, y) => x.sub(y).square().sum(-1),
      margin: 3,
    }),
  triple,
);
row('diceLoss', (x) => F.diceLoss(x, shares([2, 3, 4]).round(), { sigmoid: true }), [[2, 3, 4]]);
row('focalLoss', (x) => F.focalLoss(x, shares([3, 4]).round(), { gamma: 1.5 }), VECTOR);
row(
  'focalLoss',
  (x) =>
    F.focalLoss(
      x,
      whole([
        [2, 0],
        [1, 1],
      ]),
      { softmax: true, alpha: 0.3 },
    ),
  [[2, 3, 2]],
);
row(
  'ctcLoss',
  (x) =>
    F.ctcLoss(
      x.logSoftmax(2),
      whole([
        [1, 2],
        [2, 2],
      ]),
      [5, 4],
      [2, 1],
    ),
  [[5, 2, 3]],
);

export const functionRows: readonly FunctionRow[] = rows;
