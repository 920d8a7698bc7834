// The options of the losses, by name: for the functions and for the modules over them.

import type { OptionTable } from '@voxgrad/core';
import type {
  BinaryCrossEntropyOptions,
  BinaryCrossEntropyWithLogitsOptions,
  MultilabelSoftMarginOptions,
} from './binary.js';
import type { CrossEntropyOptions, NllOptions } from './classification.js';
import type { CtcOptions } from './ctc.js';
import type { KlDivOptions } from './divergence.js';
import type {
  MarginOptions,
  MultiMarginOptions,
  TripletMarginOptions,
  TripletMarginWithDistanceOptions,
} from './margin.js';
import type { LossOptions } from './reduction.js';
import type {
  GaussianNllOptions,
  HuberOptions,
  PoissonNllOptions,
  SmoothL1Options,
} from './regression.js';
import type { DiceOptions, FocalOptions } from './segmentation.js';

export const BINARY_CROSS_ENTROPY: OptionTable<BinaryCrossEntropyOptions> = {
  weight: 'nullable',
  reduction: true,
};
export const BINARY_CROSS_ENTROPY_WITH_LOGITS: OptionTable<BinaryCrossEntropyWithLogitsOptions> = {
  posWeight: 'nullable',
  weight: 'nullable',
  reduction: true,
};
export const MULTILABEL_SOFT_MARGIN: OptionTable<MultilabelSoftMarginOptions> = {
  weight: 'nullable',
  reduction: true,
};
export const NLL: OptionTable<NllOptions> = { weight: true, ignoreIndex: true, reduction: true };
export const CROSS_ENTROPY: OptionTable<CrossEntropyOptions> = {
  labelSmoothing: true,
  weight: true,
  ignoreIndex: true,
  reduction: true,
};
export const CTC: OptionTable<CtcOptions> = { blank: true, zeroInfinity: true, reduction: true };
export const KL_DIV: OptionTable<KlDivOptions> = { reduction: true, logTarget: true };
export const MARGIN: OptionTable<MarginOptions> = { margin: true, reduction: true };
export const MULTI_MARGIN: OptionTable<MultiMarginOptions> = {
  p: true,
  weight: 'nullable',
  margin: true,
  reduction: true,
};
export const TRIPLET_MARGIN: OptionTable<TripletMarginOptions> = {
  p: true,
  eps: true,
  swap: true,
  margin: true,
  reduction: true,
};
export const TRIPLET_MARGIN_WITH_DISTANCE: OptionTable<TripletMarginWithDistanceOptions> = {
  distanceFunction: true,
  swap: true,
  margin: true,
  reduction: true,
};
export const LOSS: OptionTable<LossOptions> = { reduction: true };
export const SMOOTH_L1: OptionTable<SmoothL1Options> = { beta: true, reduction: true };
export const HUBER: OptionTable<HuberOptions> = { delta: true, reduction: true };
export const POISSON_NLL: OptionTable<PoissonNllOptions> = {
  logInput: true,
  full: true,
  eps: true,
  reduction: true,
};
export const GAUSSIAN_NLL: OptionTable<GaussianNllOptions> = {
  full: true,
  eps: true,
  reduction: true,
};
export const DICE: OptionTable<DiceOptions> = {
  sigmoid: true,
  softmax: true,
  includeBackground: true,
  squaredPred: true,
  jaccard: true,
  batch: true,
  smoothNr: true,
  smoothDr: true,
  reduction: true,
};
export const FOCAL: OptionTable<FocalOptions> = {
  gamma: true,
  alpha: true,
  softmax: true,
  reduction: true,
};
