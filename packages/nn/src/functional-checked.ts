// torch.nn.functional as users call it: the functions of functional.ts, checked against their
// signatures.

import { checked, unseen } from '@voxgrad/core';
import * as unchecked from './functional.js';
import { FUNCTIONAL } from './signatures.js';

export * from './functional.js';

export const {
  alphaDropout,
  batchNorm,
  bilinear,
  binaryCrossEntropy,
  binaryCrossEntropyWithLogits,
  celu,
  celu_,
  cosineEmbeddingLoss,
  cosineSimilarity,
  crossEntropy,
  ctcLoss,
  diceLoss,
  dropout,
  dropout1d,
  dropout2d,
  dropout3d,
  elu,
  elu_,
  embedding,
  embeddingBag,
  featureAlphaDropout,
  focalLoss,
  gaussianNllLoss,
  gelu,
  glu,
  groupNorm,
  gumbelSoftmax,
  hardshrink,
  hardsigmoid,
  hardswish,
  hardtanh,
  hardtanh_,
  hingeEmbeddingLoss,
  huberLoss,
  instanceNorm,
  klDiv,
  l1Loss,
  layerNorm,
  leakyRelu,
  leakyRelu_,
  localResponseNorm,
  logsigmoid,
  marginRankingLoss,
  mish,
  mseLoss,
  multiHeadAttention,
  multiMarginLoss,
  multilabelMarginLoss,
  multilabelSoftMarginLoss,
  nllLoss,
  normalize,
  oneHot,
  pairwiseDistance,
  pdist,
  poissonNllLoss,
  prelu,
  relu,
  relu6,
  relu_,
  rrelu,
  rrelu_,
  scaledDotProductAttention,
  selu,
  selu_,
  silu,
  smoothL1Loss,
  softMarginLoss,
  softmin,
  softplus,
  softshrink,
  softsign,
  tanhshrink,
  threshold,
  threshold_,
  tripletMarginLoss,
  tripletMarginWithDistanceLoss,
} = checked(hidingTheirInside(unchecked), FUNCTIONAL);

/** The functions, each giving back what it makes on the way and does not return. */
function hidingTheirInside<H extends object>(home: H): H {
  const wrapped = Object.entries(home).map(([name, f]) => {
    // The distance is the user's, who may keep what is made in it.
    if (typeof f !== 'function' || name === 'tripletMarginWithDistanceLoss') return [name, f];
    const hiding = (...args: unknown[]) => unseen(() => f(...args));
    return [name, hiding];
  });
  return Object.fromEntries(wrapped);
}
