// Written by scripts/signatures.mjs from the types; see there.

import { guard } from '@voxgrad/core';
import * as unchecked from './functional.js';
import { guardHiding } from './guard-hiding.js';

export * from './functional.js';

export const alphaDropout = /* @__PURE__ */ guardHiding(
  'alphaDropout',
  'x, options, more',
  unchecked.alphaDropout,
);
export const batchNorm = /* @__PURE__ */ guardHiding(
  'batchNorm',
  'x, runningMean, runningVar, ...more',
  unchecked.batchNorm,
);
export const bilinear = /* @__PURE__ */ guardHiding(
  'bilinear',
  'x1, x2, weight, bias',
  unchecked.bilinear,
);
export const binaryCrossEntropy = /* @__PURE__ */ guardHiding(
  'binaryCrossEntropy',
  'input, target, options',
  unchecked.binaryCrossEntropy,
);
export const binaryCrossEntropyWithLogits = /* @__PURE__ */ guardHiding(
  'binaryCrossEntropyWithLogits',
  'input, target, options',
  unchecked.binaryCrossEntropyWithLogits,
);
export const celu = /* @__PURE__ */ guardHiding('celu', 'x, options, more', unchecked.celu);
export const celu_ = /* @__PURE__ */ guardHiding('celu_', 'x, options', unchecked.celu_);
export const cosineEmbeddingLoss = /* @__PURE__ */ guardHiding(
  'cosineEmbeddingLoss',
  'a, b, target, options',
  unchecked.cosineEmbeddingLoss,
);
export const cosineSimilarity = /* @__PURE__ */ guardHiding(
  'cosineSimilarity',
  'a, b, options',
  unchecked.cosineSimilarity,
);
export const crossEntropy = /* @__PURE__ */ guardHiding(
  'crossEntropy',
  'input, target, options',
  unchecked.crossEntropy,
);
export const ctcLoss = /* @__PURE__ */ guardHiding(
  'ctcLoss',
  'logProbs, targets, inputLengths, targetLengths, options',
  unchecked.ctcLoss,
);
export const diceLoss = /* @__PURE__ */ guardHiding(
  'diceLoss',
  'input, target, options',
  unchecked.diceLoss,
);
export const dropout = /* @__PURE__ */ guardHiding(
  'dropout',
  'x, options, more',
  unchecked.dropout,
);
export const dropout1d = /* @__PURE__ */ guardHiding(
  'dropout1d',
  'x, options, more',
  unchecked.dropout1d,
);
export const dropout2d = /* @__PURE__ */ guardHiding(
  'dropout2d',
  'x, options, more',
  unchecked.dropout2d,
);
export const dropout3d = /* @__PURE__ */ guardHiding(
  'dropout3d',
  'x, options, more',
  unchecked.dropout3d,
);
export const elu = /* @__PURE__ */ guardHiding('elu', 'x, options, more', unchecked.elu);
export const elu_ = /* @__PURE__ */ guardHiding('elu_', 'x, options', unchecked.elu_);
export const embedding = /* @__PURE__ */ guardHiding(
  'embedding',
  'index, weight, options',
  unchecked.embedding,
);
export const embeddingBag = /* @__PURE__ */ guardHiding(
  'embeddingBag',
  'index, weight, options',
  unchecked.embeddingBag,
);
export const featureAlphaDropout = /* @__PURE__ */ guardHiding(
  'featureAlphaDropout',
  'x, options, more',
  unchecked.featureAlphaDropout,
);
export const focalLoss = /* @__PURE__ */ guardHiding(
  'focalLoss',
  'input, target, options',
  unchecked.focalLoss,
);
export const gaussianNllLoss = /* @__PURE__ */ guardHiding(
  'gaussianNllLoss',
  'input, target, variance, options',
  unchecked.gaussianNllLoss,
);
export const gelu = /* @__PURE__ */ guardHiding('gelu', 'x, options', unchecked.gelu);
export const glu = /* @__PURE__ */ guardHiding('glu', 'x, #dim?', unchecked.glu);
export const groupNorm = /* @__PURE__ */ guardHiding(
  'groupNorm',
  'x, #numGroups, ...given',
  unchecked.groupNorm,
);
export const gumbelSoftmax = /* @__PURE__ */ guardHiding(
  'gumbelSoftmax',
  'logits, options, more',
  unchecked.gumbelSoftmax,
);
export const hardshrink = /* @__PURE__ */ guardHiding(
  'hardshrink',
  'x, options',
  unchecked.hardshrink,
);
export const hardsigmoid = /* @__PURE__ */ guardHiding(
  'hardsigmoid',
  'x, options',
  unchecked.hardsigmoid,
);
export const hardswish = /* @__PURE__ */ guardHiding(
  'hardswish',
  'x, options',
  unchecked.hardswish,
);
export const hardtanh = /* @__PURE__ */ guardHiding('hardtanh', 'x, options', unchecked.hardtanh);
export const hardtanh_ = /* @__PURE__ */ guardHiding(
  'hardtanh_',
  'x, options',
  unchecked.hardtanh_,
);
export const hingeEmbeddingLoss = /* @__PURE__ */ guardHiding(
  'hingeEmbeddingLoss',
  'input, target, options',
  unchecked.hingeEmbeddingLoss,
);
export const huberLoss = /* @__PURE__ */ guardHiding(
  'huberLoss',
  'input, target, options',
  unchecked.huberLoss,
);
export const instanceNorm = /* @__PURE__ */ guardHiding(
  'instanceNorm',
  'x, ...given',
  unchecked.instanceNorm,
);
export const klDiv = /* @__PURE__ */ guardHiding(
  'klDiv',
  'input, target, options',
  unchecked.klDiv,
);
export const l1Loss = /* @__PURE__ */ guardHiding(
  'l1Loss',
  'input, target, options',
  unchecked.l1Loss,
);
export const layerNorm = /* @__PURE__ */ guardHiding(
  'layerNorm',
  'x, normalizedShape, ...given',
  unchecked.layerNorm,
);
export const leakyRelu = /* @__PURE__ */ guardHiding(
  'leakyRelu',
  'x, options, more',
  unchecked.leakyRelu,
);
export const leakyRelu_ = /* @__PURE__ */ guardHiding(
  'leakyRelu_',
  'x, options',
  unchecked.leakyRelu_,
);
export const localResponseNorm = /* @__PURE__ */ guardHiding(
  'localResponseNorm',
  'x, #size, options',
  unchecked.localResponseNorm,
);
export const logsigmoid = /* @__PURE__ */ guardHiding('logsigmoid', 'x', unchecked.logsigmoid);
export const marginRankingLoss = /* @__PURE__ */ guardHiding(
  'marginRankingLoss',
  'a, b, target, options',
  unchecked.marginRankingLoss,
);
export const mish = /* @__PURE__ */ guardHiding('mish', 'x, options', unchecked.mish);
export const mseLoss = /* @__PURE__ */ guardHiding(
  'mseLoss',
  'input, target, options',
  unchecked.mseLoss,
);
export const multiHeadAttention = /* @__PURE__ */ guardHiding(
  'multiHeadAttention',
  'query, key, value, #numHeads, weights, options',
  unchecked.multiHeadAttention,
);
export const multiMarginLoss = /* @__PURE__ */ guardHiding(
  'multiMarginLoss',
  'input, target, options',
  unchecked.multiMarginLoss,
);
export const multilabelMarginLoss = /* @__PURE__ */ guardHiding(
  'multilabelMarginLoss',
  'input, target, options',
  unchecked.multilabelMarginLoss,
);
export const multilabelSoftMarginLoss = /* @__PURE__ */ guardHiding(
  'multilabelSoftMarginLoss',
  'input, target, options',
  unchecked.multilabelSoftMarginLoss,
);
export const nllLoss = /* @__PURE__ */ guardHiding(
  'nllLoss',
  'logProbabilities, target, options',
  unchecked.nllLoss,
);
export const normalize = /* @__PURE__ */ guardHiding(
  'normalize',
  'x, options',
  unchecked.normalize,
);
export const oneHot = /* @__PURE__ */ guardHiding('oneHot', 'x, #numClasses?', unchecked.oneHot);
export const pairwiseDistance = /* @__PURE__ */ guardHiding(
  'pairwiseDistance',
  'a, b, options',
  unchecked.pairwiseDistance,
);
export const pdist = /* @__PURE__ */ guardHiding('pdist', 'x, #p?', unchecked.pdist);
export const poissonNllLoss = /* @__PURE__ */ guardHiding(
  'poissonNllLoss',
  'input, target, options',
  unchecked.poissonNllLoss,
);
export const prelu = /* @__PURE__ */ guardHiding('prelu', 'x, weight', unchecked.prelu);
export const relu = /* @__PURE__ */ guardHiding('relu', 'x, options', unchecked.relu);
export const relu6 = /* @__PURE__ */ guardHiding('relu6', 'x, options', unchecked.relu6);
export const relu_ = /* @__PURE__ */ guardHiding('relu_', 'x', unchecked.relu_);
export const rrelu = /* @__PURE__ */ guardHiding('rrelu', 'x, options', unchecked.rrelu);
export const rrelu_ = /* @__PURE__ */ guardHiding('rrelu_', 'x, options', unchecked.rrelu_);
export const scaledDotProductAttention = /* @__PURE__ */ guardHiding(
  'scaledDotProductAttention',
  'query, key, value, options',
  unchecked.scaledDotProductAttention,
);
export const selu = /* @__PURE__ */ guardHiding('selu', 'x, options', unchecked.selu);
export const selu_ = /* @__PURE__ */ guardHiding('selu_', 'x', unchecked.selu_);
export const silu = /* @__PURE__ */ guardHiding('silu', 'x, options', unchecked.silu);
export const smoothL1Loss = /* @__PURE__ */ guardHiding(
  'smoothL1Loss',
  'input, target, options',
  unchecked.smoothL1Loss,
);
export const softMarginLoss = /* @__PURE__ */ guardHiding(
  'softMarginLoss',
  'input, target, options',
  unchecked.softMarginLoss,
);
export const softmin = /* @__PURE__ */ guardHiding(
  'softmin',
  'x, #dim, options',
  unchecked.softmin,
);
export const softplus = /* @__PURE__ */ guardHiding(
  'softplus',
  'x, options, more',
  unchecked.softplus,
);
export const softshrink = /* @__PURE__ */ guardHiding(
  'softshrink',
  'x, options',
  unchecked.softshrink,
);
export const softsign = /* @__PURE__ */ guardHiding('softsign', 'x', unchecked.softsign);
export const tanhshrink = /* @__PURE__ */ guardHiding('tanhshrink', 'x', unchecked.tanhshrink);
export const threshold = /* @__PURE__ */ guardHiding(
  'threshold',
  'x, #limit, #value, options',
  unchecked.threshold,
);
export const threshold_ = /* @__PURE__ */ guardHiding(
  'threshold_',
  'x, #limit, #value',
  unchecked.threshold_,
);
export const tripletMarginLoss = /* @__PURE__ */ guardHiding(
  'tripletMarginLoss',
  'anchor, positive, negative, options',
  unchecked.tripletMarginLoss,
);
export const tripletMarginWithDistanceLoss = /* @__PURE__ */ guard(
  'tripletMarginWithDistanceLoss',
  'anchor, positive, negative, options',
  unchecked.tripletMarginWithDistanceLoss,
);
