// The options of the functions, by name: for the functions themselves and for the modules over them.

import type { OptionTable } from '@voxgrad/core';
import type { GumbelSoftmaxOptions } from './activations/gates.js';
import type {
  HardtanhOptions,
  LeakyReluOptions,
  RReluOptions,
  ShrinkOptions,
} from './activations/piecewise.js';
import type { EluOptions, GeluOptions, SoftplusOptions } from './activations/smooth.js';
import type { ScaledDotProductAttentionOptions } from './attention.js';
import type { DropoutOptions } from './dropout.js';
import type { EmbeddingCallOptions } from './embedding.js';
import type { EmbeddingBagCallOptions } from './embedding-bag.js';
import type { KaimingOptions, XavierOptions } from './init.js';
import type { DiracOptions, InitOptions, OrthogonalOptions } from './init-structured.js';
import type { AffineNormOptions, LocalResponseNormOptions } from './layer-norm.js';
import type { AttentionMasks, MultiHeadAttentionOptions } from './multi-head-attention.js';
import type { BatchNormOptions, InstanceNormOptions } from './normalization.js';
import type { InPlaceOptions } from './options.js';
import type {
  CosineSimilarityOptions,
  NormalizeOptions,
  PairwiseDistanceOptions,
} from './similarity.js';

export const GUMBEL_SOFTMAX: OptionTable<GumbelSoftmaxOptions> = {
  tau: true,
  hard: true,
  dim: true,
};
export const LEAKY_RELU: OptionTable<LeakyReluOptions> = { negativeSlope: true, inplace: true };
export const RRELU: OptionTable<RReluOptions> = {
  lower: true,
  upper: true,
  training: true,
  inplace: true,
};
export const HARDTANH: OptionTable<HardtanhOptions> = { minVal: true, maxVal: true, inplace: true };
export const SHRINK: OptionTable<ShrinkOptions> = { lambd: true };
export const ELU: OptionTable<EluOptions> = { alpha: true, inplace: true };
export const GELU: OptionTable<GeluOptions> = { approximate: true };
export const SOFTPLUS: OptionTable<SoftplusOptions> = { beta: true, threshold: true };
export const SCALED_DOT_PRODUCT_ATTENTION: OptionTable<ScaledDotProductAttentionOptions> = {
  attnMask: true,
  dropoutP: true,
  isCausal: true,
  scale: true,
};
export const DROPOUT: OptionTable<DropoutOptions> = { p: true, training: true, inplace: true };
export const EMBEDDING_BAG: OptionTable<EmbeddingBagCallOptions> = {
  offsets: true,
  mode: true,
  perSampleWeights: true,
  includeLastOffset: true,
  paddingIdx: true,
  maxNorm: true,
  normType: true,
  scaleGradByFreq: true,
};
export const EMBEDDING: OptionTable<EmbeddingCallOptions> = {
  paddingIdx: true,
  maxNorm: true,
  normType: true,
  scaleGradByFreq: true,
};
export const INIT: OptionTable<InitOptions> = { generator: true };
export const DIRAC: OptionTable<DiracOptions> = { groups: true };
export const ORTHOGONAL: OptionTable<OrthogonalOptions> = { gain: true, generator: true };
export const KAIMING: OptionTable<KaimingOptions> = {
  a: true,
  mode: true,
  nonlinearity: true,
  generator: true,
};
export const XAVIER: OptionTable<XavierOptions> = { gain: true, generator: true };
export const AFFINE_NORM: OptionTable<AffineNormOptions> = {
  weight: 'nullable',
  bias: 'nullable',
  eps: true,
};
export const LOCAL_RESPONSE_NORM: OptionTable<LocalResponseNormOptions> = {
  alpha: true,
  beta: true,
  k: true,
};
export const ATTENTION_MASKS: OptionTable<AttentionMasks> = {
  keyPaddingMask: 'nullable',
  attnMask: 'nullable',
  needWeights: true,
  averageAttnWeights: true,
};
export const MULTI_HEAD_ATTENTION: OptionTable<MultiHeadAttentionOptions> = {
  addZeroAttn: true,
  dropoutP: true,
  training: true,
  keyPaddingMask: 'nullable',
  attnMask: 'nullable',
  needWeights: true,
  averageAttnWeights: true,
};
export const BATCH_NORM: OptionTable<BatchNormOptions> = {
  runningMean: 'nullable',
  runningVar: 'nullable',
  weight: 'nullable',
  bias: 'nullable',
  training: true,
  momentum: true,
  eps: true,
};
export const INSTANCE_NORM: OptionTable<InstanceNormOptions> = {
  runningMean: 'nullable',
  runningVar: 'nullable',
  weight: 'nullable',
  bias: 'nullable',
  useInputStats: true,
  momentum: true,
  eps: true,
};
export const IN_PLACE: OptionTable<InPlaceOptions> = { inplace: true };
export const NORMALIZE: OptionTable<NormalizeOptions> = { p: true, dim: true, eps: true };
export const COSINE_SIMILARITY: OptionTable<CosineSimilarityOptions> = { dim: true, eps: true };
export const PAIRWISE_DISTANCE: OptionTable<PairwiseDistanceOptions> = {
  p: true,
  eps: true,
  keepdim: true,
};
