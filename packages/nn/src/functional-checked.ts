// Written by scripts/signatures.mjs from the types; see there.

import { guard } from '@voxgrad/core';
import * as unchecked from './functional.js';
import { guardHiding } from './guard-hiding.js';

export * from './functional.js';

/** Dropout that keeps the mean 0 and variance 1 of SELU networks. Off unless `training`. */
export const alphaDropout = /* @__PURE__ */ guardHiding(
  'alphaDropout',
  'x, options, more',
  unchecked.alphaDropout,
);
/**
 * Normalises each channel of `[N, C, …]` to mean 0 and variance 1, then scales and shifts.
 * Running statistics are updated in place, with the unbiased variance.
 */
export const batchNorm = /* @__PURE__ */ guardHiding(
  'batchNorm',
  'x, runningMean, runningVar, ...more',
  unchecked.batchNorm,
);
/**
 * y[…, o] = Σ x1[…, i]·weight[o, i, j]·x2[…, j] + bias[o]
 * @param weight `[out, in1, in2]`
 */
export const bilinear = /* @__PURE__ */ guardHiding(
  'bilinear',
  'x1, x2, weight, bias',
  unchecked.bilinear,
);
/** −(t·log p + (1 − t)·log(1 − p)) of probabilities `input`, with targets of 0 to 1. */
export const binaryCrossEntropy = /* @__PURE__ */ guardHiding(
  'binaryCrossEntropy',
  'input, target, options',
  unchecked.binaryCrossEntropy,
);
/** {@link binaryCrossEntropy} of sigmoid(input), without its loss of accuracy. */
export const binaryCrossEntropyWithLogits = /* @__PURE__ */ guardHiding(
  'binaryCrossEntropyWithLogits',
  'input, target, options',
  unchecked.binaryCrossEntropyWithLogits,
);
/** x where x > 0, else alpha·(exp(x / alpha) − 1): the ELU with a continuous derivative. */
export const celu = /* @__PURE__ */ guardHiding('celu', 'x, options, more', unchecked.celu);
/** {@link celu} into its input. */
export const celu_ = /* @__PURE__ */ guardHiding('celu_', 'x, options', unchecked.celu_);
/** 1 − cos(a, b) where target is 1, max(0, cos(a, b) − margin) where it is −1; margin 0. */
export const cosineEmbeddingLoss = /* @__PURE__ */ guardHiding(
  'cosineEmbeddingLoss',
  'a, b, target, options',
  unchecked.cosineEmbeddingLoss,
);
/** Σ a·b / (max(‖a‖, eps)·max(‖b‖, eps)) along `dim` (1); the inputs broadcast. */
export const cosineSimilarity = /* @__PURE__ */ guardHiding(
  'cosineSimilarity',
  'a, b, options',
  unchecked.cosineSimilarity,
);
/**
 * Cross entropy of unnormalised scores.
 * @param input `[N, C]`, `[C]` or `[N, C, d1, …]`
 * @param target int64 class numbers without the class axis, or probabilities of the size of input
 */
export const crossEntropy = /* @__PURE__ */ guardHiding(
  'crossEntropy',
  'input, target, options',
  unchecked.crossEntropy,
);
/**
 * −log p(target | input), summed over all alignments. The mean divides each loss by its target
 * length first, as in PyTorch. The derivative is that of `logProbs` as given; PyTorch's takes the
 * log softmax before it for granted, and differs where there is none.
 * @param logProbs log probabilities `[T, N, C]` or `[T, C]`
 * @param targets class numbers `[N, S]`, `[S]`, or those of all samples one after another
 */
export const ctcLoss = /* @__PURE__ */ guardHiding(
  'ctcLoss',
  'logProbs, targets, inputLengths, targetLengths, options',
  unchecked.ctcLoss,
);
/**
 * 1 − (2·Σpt + smoothNr) / (Σp + Σt + smoothDr) for each sample and class, summed over space;
 * with `jaccard` the denominator is 2·(Σp + Σt − Σpt) + smoothDr (Milletari et al. 2016, "V-Net",
 * arXiv:1606.04797, in MONAI's form).
 * @param input `[N, C, …]`
 * @param target of the same size, or int64 class numbers `[N, …]`
 */
export const diceLoss = /* @__PURE__ */ guardHiding(
  'diceLoss',
  'input, target, options',
  unchecked.diceLoss,
);
/** Zeroes elements with probability `p` (0.5) and divides the others by 1 − p. */
export const dropout = /* @__PURE__ */ guardHiding(
  'dropout',
  'x, options, more',
  unchecked.dropout,
);
/** Dropout of whole channels of `[N, C, L]` or `[C, L]`. */
export const dropout1d = /* @__PURE__ */ guardHiding(
  'dropout1d',
  'x, options, more',
  unchecked.dropout1d,
);
/** Dropout of whole channels of `[N, C, H, W]`. A 3-D input counts as `[N, C, L]`, as in PyTorch. */
export const dropout2d = /* @__PURE__ */ guardHiding(
  'dropout2d',
  'x, options, more',
  unchecked.dropout2d,
);
/** Dropout of whole channels of `[N, C, D, H, W]` or `[C, D, H, W]`. */
export const dropout3d = /* @__PURE__ */ guardHiding(
  'dropout3d',
  'x, options, more',
  unchecked.dropout3d,
);
/** x where x > 0, else alpha·(eˣ − 1), alpha 1. */
export const elu = /* @__PURE__ */ guardHiding('elu', 'x, options, more', unchecked.elu);
/** {@link elu} into its input. */
export const elu_ = /* @__PURE__ */ guardHiding('elu_', 'x, options', unchecked.elu_);
/** Rows of `weight` `[numEmbeddings, d]` by the numbers in `index`: `[…]` → `[…, d]`. */
export const embedding = /* @__PURE__ */ guardHiding(
  'embedding',
  'index, weight, options',
  unchecked.embedding,
);
/**
 * Rows of `weight` by number, reduced bag by bag: `index` `[bags, n]`, or 1-D with `offsets`, →
 * `[bags, d]`. Rows of `paddingIdx` are left out; an empty bag is 0.
 */
export const embeddingBag = /* @__PURE__ */ guardHiding(
  'embeddingBag',
  'index, weight, options',
  unchecked.embeddingBag,
);
/** Alpha dropout of whole channels of `[N, C, …]`. Off unless `training`. */
export const featureAlphaDropout = /* @__PURE__ */ guardHiding(
  'featureAlphaDropout',
  'x, options, more',
  unchecked.featureAlphaDropout,
);
/**
 * (1 − q)^gamma·(−log q), q the probability given to the truth (Lin et al. 2017, "Focal Loss for
 * Dense Object Detection", arXiv:1708.02002).
 * @param input logits; `[N, C, …]` for the softmax form
 * @param target of the size of the input; for the softmax form also int64 class numbers `[N, …]`
 */
export const focalLoss = /* @__PURE__ */ guardHiding(
  'focalLoss',
  'input, target, options',
  unchecked.focalLoss,
);
/**
 * (log variance + (input − target)² / variance) / 2. `variance` has the size of the input, or
 * size 1 (or nothing) in place of its last dim.
 */
export const gaussianNllLoss = /* @__PURE__ */ guardHiding(
  'gaussianNllLoss',
  'input, target, variance, options',
  unchecked.gaussianNllLoss,
);
/** x·Φ(x), Φ the normal distribution function (Hendrycks and Gimpel 2016, arXiv:1606.08415). */
export const gelu = /* @__PURE__ */ guardHiding('gelu', 'x, options', unchecked.gelu);
/** a·sigmoid(b), a and b the halves of `x` along `dim` (the last). */
export const glu = /* @__PURE__ */ guardHiding('glu', 'x, #dim?', unchecked.glu);
/** Normalises `[N, C, …]` over groups of channels; weight and bias are `[C]`. */
export const groupNorm = /* @__PURE__ */ guardHiding(
  'groupNorm',
  'x, #numGroups, ...given',
  unchecked.groupNorm,
);
/**
 * A sample of the Gumbel-softmax distribution of `logits` along `dim` (Jang et al. 2016,
 * arXiv:1611.01144).
 */
export const gumbelSoftmax = /* @__PURE__ */ guardHiding(
  'gumbelSoftmax',
  'logits, options, more',
  unchecked.gumbelSoftmax,
);
/** x outside [−lambd, lambd], else 0. */
export const hardshrink = /* @__PURE__ */ guardHiding(
  'hardshrink',
  'x, options',
  unchecked.hardshrink,
);
/** relu6(x + 3) / 6 */
export const hardsigmoid = /* @__PURE__ */ guardHiding(
  'hardsigmoid',
  'x, options',
  unchecked.hardsigmoid,
);
/** x·relu6(x + 3) / 6 */
export const hardswish = /* @__PURE__ */ guardHiding(
  'hardswish',
  'x, options',
  unchecked.hardswish,
);
/** x limited to [minVal, maxVal] ([−1, 1]); unlike `clamp`, no gradient passes at the bounds. */
export const hardtanh = /* @__PURE__ */ guardHiding('hardtanh', 'x, options', unchecked.hardtanh);
/** {@link hardtanh} into its input. */
export const hardtanh_ = /* @__PURE__ */ guardHiding(
  'hardtanh_',
  'x, options',
  unchecked.hardtanh_,
);
/** The input where target is 1, max(0, margin − input) where it is −1; margin 1. */
export const hingeEmbeddingLoss = /* @__PURE__ */ guardHiding(
  'hingeEmbeddingLoss',
  'input, target, options',
  unchecked.hingeEmbeddingLoss,
);
/** d² / 2 where |d| < delta, else delta·(|d| − delta / 2), with d = input − target. */
export const huberLoss = /* @__PURE__ */ guardHiding(
  'huberLoss',
  'input, target, options',
  unchecked.huberLoss,
);
/**
 * Normalises each channel of each sample of `[N, C, …]`: batch norm of one sample with N·C
 * channels. Running statistics take the mean over the samples.
 */
export const instanceNorm = /* @__PURE__ */ guardHiding(
  'instanceNorm',
  'x, ...given',
  unchecked.instanceNorm,
);
/** Kullback–Leibler divergence: target·(log target − input), the input in log probabilities. */
export const klDiv = /* @__PURE__ */ guardHiding(
  'klDiv',
  'input, target, options',
  unchecked.klDiv,
);
/** |input − target| */
export const l1Loss = /* @__PURE__ */ guardHiding(
  'l1Loss',
  'input, target, options',
  unchecked.l1Loss,
);
/** Normalises over the last dims, whose sizes are `normalizedShape`; weight and bias have them too. */
export const layerNorm = /* @__PURE__ */ guardHiding(
  'layerNorm',
  'x, normalizedShape, ...given',
  unchecked.layerNorm,
);
/** x where x > 0, else negativeSlope·x (0.01). */
export const leakyRelu = /* @__PURE__ */ guardHiding(
  'leakyRelu',
  'x, options, more',
  unchecked.leakyRelu,
);
/** {@link leakyRelu} into its input. */
export const leakyRelu_ = /* @__PURE__ */ guardHiding(
  'leakyRelu_',
  'x, options',
  unchecked.leakyRelu_,
);
/**
 * x / (k + alpha·mean of x² over `size` neighbouring channels)^beta for `[N, C, …]`; channels
 * outside count as 0 (Krizhevsky et al. 2012, "ImageNet Classification with Deep CNNs").
 */
export const localResponseNorm = /* @__PURE__ */ guardHiding(
  'localResponseNorm',
  'x, #size, options',
  unchecked.localResponseNorm,
);
/** log(sigmoid(x)), exact at both ends. */
export const logsigmoid = /* @__PURE__ */ guardHiding('logsigmoid', 'x', unchecked.logsigmoid);
/** max(0, −target·(a − b) + margin): target 1 wants a above b, −1 below; margin 0. */
export const marginRankingLoss = /* @__PURE__ */ guardHiding(
  'marginRankingLoss',
  'a, b, target, options',
  unchecked.marginRankingLoss,
);
/** x·tanh(softplus(x)) */
export const mish = /* @__PURE__ */ guardHiding('mish', 'x, options', unchecked.mish);
/** (input − target)² */
export const mseLoss = /* @__PURE__ */ guardHiding(
  'mseLoss',
  'input, target, options',
  unchecked.mseLoss,
);
/**
 * Attention of several heads with projections before and after.
 * @param query `[L, N, E]` or `[L, E]`
 * @param key `[S, N, Ek]` or `[S, Ek]`
 * @param value `[S, N, Ev]` or `[S, Ev]`
 * @returns the output in the size of the query, and the weights `[N, L, S]` (`[N, heads, L, S]`
 *   when not averaged), or null
 */
export const multiHeadAttention = /* @__PURE__ */ guardHiding(
  'multiHeadAttention',
  'query, key, value, #numHeads, weights, options',
  unchecked.multiHeadAttention,
);
/** Σ over wrong classes of max(0, margin − x[target] + x[i])ᵖ / C for `[N, C]` or `[C]`; margin 1. */
export const multiMarginLoss = /* @__PURE__ */ guardHiding(
  'multiMarginLoss',
  'input, target, options',
  unchecked.multiMarginLoss,
);
/**
 * Σ over right classes j and wrong ones i of max(0, 1 − x[j] + x[i]) / C for `[N, C]` or `[C]`.
 * @param target int64 of the size of the input: the right classes, ended by a −1
 */
export const multilabelMarginLoss = /* @__PURE__ */ guardHiding(
  'multilabelMarginLoss',
  'input, target, options',
  unchecked.multilabelMarginLoss,
);
/** Mean over the classes (the last dim) of the binary cross entropy of each with logits. */
export const multilabelSoftMarginLoss = /* @__PURE__ */ guardHiding(
  'multilabelSoftMarginLoss',
  'input, target, options',
  unchecked.multilabelSoftMarginLoss,
);
/**
 * Negative log likelihood.
 * @param logProbabilities `[N, C]`, `[C]`, or with spatial dims `[N, C, d1, …]`
 * @param target int64 class numbers: `[N]`, `[]` or `[N, d1, …]`
 */
export const nllLoss = /* @__PURE__ */ guardHiding(
  'nllLoss',
  'logProbabilities, target, options',
  unchecked.nllLoss,
);
/** x / max(‖x‖ₚ, eps) along `dim` (1). */
export const normalize = /* @__PURE__ */ guardHiding(
  'normalize',
  'x, options',
  unchecked.normalize,
);
/**
 * 1 at each class number of `x` (int64), else 0, along a new last dim of `numClasses`; of the
 * largest class + 1 when omitted.
 */
export const oneHot = /* @__PURE__ */ guardHiding('oneHot', 'x, #numClasses?', unchecked.oneHot);
/** ‖a − b + eps‖ₚ over the last dim. */
export const pairwiseDistance = /* @__PURE__ */ guardHiding(
  'pairwiseDistance',
  'a, b, options',
  unchecked.pairwiseDistance,
);
/** Distances ‖xᵢ − xⱼ‖ₚ of all pairs i < j of the rows of `[n, d]`, in the order of i, then j. */
export const pdist = /* @__PURE__ */ guardHiding('pdist', 'x, #p?', unchecked.pdist);
/** Negative log likelihood of counts: exp(input) − target·input, or input − target·log(input + eps). */
export const poissonNllLoss = /* @__PURE__ */ guardHiding(
  'poissonNllLoss',
  'input, target, options',
  unchecked.poissonNllLoss,
);
/** x where x > 0, else w·x. `weight` has one element, or one per channel (dim 1). */
export const prelu = /* @__PURE__ */ guardHiding('prelu', 'x, weight', unchecked.prelu);
/** max(x, 0) */
export const relu = /* @__PURE__ */ guardHiding('relu', 'x, options', unchecked.relu);
/** min(max(x, 0), 6) */
export const relu6 = /* @__PURE__ */ guardHiding('relu6', 'x, options', unchecked.relu6);
/** {@link relu} into its input. */
export const relu_ = /* @__PURE__ */ guardHiding('relu_', 'x', unchecked.relu_);
/**
 * x where x > 0, else a·x: in training `a` is drawn from U(lower, upper) for each element that is
 * not positive, in order; otherwise it is their mean.
 */
export const rrelu = /* @__PURE__ */ guardHiding('rrelu', 'x, options', unchecked.rrelu);
/** {@link rrelu} into its input. */
export const rrelu_ = /* @__PURE__ */ guardHiding('rrelu_', 'x, options', unchecked.rrelu_);
/** softmax(q·kᵀ·scale + mask)·v for q `[…, L, E]`, k `[…, S, E]`, v `[…, S, Ev]` → `[…, L, Ev]`. */
export const scaledDotProductAttention = /* @__PURE__ */ guardHiding(
  'scaledDotProductAttention',
  'query, key, value, options',
  unchecked.scaledDotProductAttention,
);
/** scale·(x where x > 0, else alpha·(eˣ − 1)) with the constants that keep mean 0 and variance 1. */
export const selu = /* @__PURE__ */ guardHiding('selu', 'x, options', unchecked.selu);
/** {@link selu} into its input. */
export const selu_ = /* @__PURE__ */ guardHiding('selu_', 'x', unchecked.selu_);
/** x·sigmoid(x) */
export const silu = /* @__PURE__ */ guardHiding('silu', 'x, options', unchecked.silu);
/** d² / (2·beta) where |d| < beta, else |d| − beta / 2, with d = input − target. */
export const smoothL1Loss = /* @__PURE__ */ guardHiding(
  'smoothL1Loss',
  'input, target, options',
  unchecked.smoothL1Loss,
);
/** log(1 + exp(−target·input)), target ±1. */
export const softMarginLoss = /* @__PURE__ */ guardHiding(
  'softMarginLoss',
  'input, target, options',
  unchecked.softMarginLoss,
);
/** exp(−x) / Σ exp(−x) along `dim`. */
export const softmin = /* @__PURE__ */ guardHiding(
  'softmin',
  'x, #dim, options',
  unchecked.softmin,
);
/** log(1 + exp(beta·x)) / beta, a smooth ReLU. */
export const softplus = /* @__PURE__ */ guardHiding(
  'softplus',
  'x, options, more',
  unchecked.softplus,
);
/** x drawn towards 0 by lambd, to 0 within [−lambd, lambd]. */
export const softshrink = /* @__PURE__ */ guardHiding(
  'softshrink',
  'x, options',
  unchecked.softshrink,
);
/** x / (1 + |x|) */
export const softsign = /* @__PURE__ */ guardHiding('softsign', 'x', unchecked.softsign);
/** x − tanh(x) */
export const tanhshrink = /* @__PURE__ */ guardHiding('tanhshrink', 'x', unchecked.tanhshrink);
/** x where x > threshold, else value. */
export const threshold = /* @__PURE__ */ guardHiding(
  'threshold',
  'x, #limit, #value, options',
  unchecked.threshold,
);
/** {@link threshold} into its input. */
export const threshold_ = /* @__PURE__ */ guardHiding(
  'threshold_',
  'x, #limit, #value',
  unchecked.threshold_,
);
/** max(0, ‖a − p‖ − ‖a − n‖ + margin) over the last dim; margin 1. */
export const tripletMarginLoss = /* @__PURE__ */ guardHiding(
  'tripletMarginLoss',
  'anchor, positive, negative, options',
  unchecked.tripletMarginLoss,
);
/** {@link tripletMarginLoss} with a distance of one's own. */
export const tripletMarginWithDistanceLoss = /* @__PURE__ */ guard(
  'tripletMarginWithDistanceLoss',
  'anchor, positive, negative, options',
  unchecked.tripletMarginWithDistanceLoss,
);
