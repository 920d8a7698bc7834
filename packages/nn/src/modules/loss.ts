// The losses as modules: `new nn.XLoss(options).call(input, target)`.

import { checkArguments, checkOptions, type KnownOptions, type Tensor } from '@voxgrad/core';
import {
  type BinaryCrossEntropyOptions,
  type BinaryCrossEntropyWithLogitsOptions,
  binaryCrossEntropy,
  binaryCrossEntropyWithLogits,
  type CrossEntropyOptions,
  type CtcOptions,
  cosineEmbeddingLoss,
  crossEntropy,
  ctcLoss,
  type DiceOptions,
  diceLoss,
  type FocalOptions,
  focalLoss,
  type GaussianNllOptions,
  gaussianNllLoss,
  type HuberOptions,
  hingeEmbeddingLoss,
  huberLoss,
  type KlDivOptions,
  klDiv,
  type LossOptions,
  l1Loss,
  type MarginOptions,
  type MultilabelSoftMarginOptions,
  type MultiMarginOptions,
  marginRankingLoss,
  mseLoss,
  multilabelMarginLoss,
  multilabelSoftMarginLoss,
  multiMarginLoss,
  type NllOptions,
  nllLoss,
  type PoissonNllOptions,
  poissonNllLoss,
  type SmoothL1Options,
  smoothL1Loss,
  softMarginLoss,
  type TripletMarginOptions,
  type TripletMarginWithDistanceOptions,
  tripletMarginLoss,
  tripletMarginWithDistanceLoss,
} from '../losses/index.js';
import {
  BINARY_CROSS_ENTROPY,
  BINARY_CROSS_ENTROPY_WITH_LOGITS,
  CROSS_ENTROPY,
  CTC,
  DICE,
  FOCAL,
  GAUSSIAN_NLL,
  HUBER,
  KL_DIV,
  LOSS,
  MARGIN,
  MULTI_MARGIN,
  MULTILABEL_SOFT_MARGIN,
  NLL,
  POISSON_NLL,
  SMOOTH_L1,
  TRIPLET_MARGIN,
  TRIPLET_MARGIN_WITH_DISTANCE,
} from '../losses/option-tables.js';
import { Module } from '../module.js';

abstract class Loss<O extends object> extends Module {
  /** What the constructor takes. */
  protected static readonly known: KnownOptions = LOSS;

  constructor(
    readonly options: O = {} as O,
    ...surplus: never[]
  ) {
    checkArguments(new.target.name, 'options', [options, ...surplus]);
    super();
    checkOptions(new.target.name, options, new.target.known);
  }
}

interface Weighted {
  weight?: Tensor | null;
}

/** A loss with a factor per class or element, which moves and is saved with the module. */
abstract class WeightedLoss<O extends Weighted> extends Loss<O> {
  declare weight: Tensor | null;

  constructor(options: O = {} as O, ...surplus: never[]) {
    super(options, ...surplus);
    this.registerBuffer('weight', options.weight ?? null);
  }

  /** The options with the weight as it is now. */
  protected get current(): O {
    return { ...this.options, weight: this.weight ?? undefined };
  }
}

/** Mean (or sum) of (input − target)². */
export class MSELoss extends Loss<LossOptions> {
  static readonly keepsNothing = true;
  forward(input: Tensor, target: Tensor): Tensor {
    return mseLoss(input, target, this.options);
  }
}

/** Mean (or sum) of |input − target|. */
export class L1Loss extends Loss<LossOptions> {
  static readonly keepsNothing = true;
  forward(input: Tensor, target: Tensor): Tensor {
    return l1Loss(input, target, this.options);
  }
}

/** See `F.smoothL1Loss`. */
export class SmoothL1Loss extends Loss<SmoothL1Options> {
  static readonly keepsNothing = true;
  protected static override readonly known = SMOOTH_L1;

  forward(input: Tensor, target: Tensor): Tensor {
    return smoothL1Loss(input, target, this.options);
  }
}

/** See `F.huberLoss`. */
export class HuberLoss extends Loss<HuberOptions> {
  static readonly keepsNothing = true;
  protected static override readonly known = HUBER;

  forward(input: Tensor, target: Tensor): Tensor {
    return huberLoss(input, target, this.options);
  }
}

/** See `F.poissonNllLoss`. */
export class PoissonNLLLoss extends Loss<PoissonNllOptions> {
  static readonly keepsNothing = true;
  protected static override readonly known = POISSON_NLL;

  forward(input: Tensor, target: Tensor): Tensor {
    return poissonNllLoss(input, target, this.options);
  }
}

/** See `F.gaussianNllLoss`. */
export class GaussianNLLLoss extends Loss<GaussianNllOptions> {
  static readonly keepsNothing = true;
  protected static override readonly known = GAUSSIAN_NLL;

  forward(input: Tensor, target: Tensor, variance: Tensor): Tensor {
    return gaussianNllLoss(input, target, variance, this.options);
  }
}

/** See `F.klDiv`. */
export class KLDivLoss extends Loss<KlDivOptions> {
  static readonly keepsNothing = true;
  protected static override readonly known = KL_DIV;

  forward(input: Tensor, target: Tensor): Tensor {
    return klDiv(input, target, this.options);
  }
}

/** Binary cross entropy of probabilities. */
export class BCELoss extends WeightedLoss<BinaryCrossEntropyOptions> {
  static readonly keepsNothing = true;
  protected static override readonly known = BINARY_CROSS_ENTROPY;

  forward(input: Tensor, target: Tensor): Tensor {
    return binaryCrossEntropy(input, target, this.current);
  }
}

/** Negative log likelihood of log probabilities `[N, C, …]`; see `F.nllLoss`. */
export class NLLLoss extends WeightedLoss<NllOptions> {
  static readonly keepsNothing = true;
  protected static override readonly known = NLL;

  forward(input: Tensor, target: Tensor): Tensor {
    return nllLoss(input, target, this.current);
  }
}

/** Cross entropy of unnormalised scores `[N, C, …]`; see `F.crossEntropy`. */
export class CrossEntropyLoss extends WeightedLoss<CrossEntropyOptions> {
  static readonly keepsNothing = true;
  protected static override readonly known = CROSS_ENTROPY;

  forward(input: Tensor, target: Tensor): Tensor {
    return crossEntropy(input, target, this.current);
  }
}

/** log(1 + exp(−target·input)), target ±1. */
export class SoftMarginLoss extends Loss<LossOptions> {
  static readonly keepsNothing = true;
  forward(input: Tensor, target: Tensor): Tensor {
    return softMarginLoss(input, target, this.options);
  }
}

/** See `F.multilabelSoftMarginLoss`. */
export class MultiLabelSoftMarginLoss extends WeightedLoss<MultilabelSoftMarginOptions> {
  static readonly keepsNothing = true;
  protected static override readonly known = MULTILABEL_SOFT_MARGIN;

  forward(input: Tensor, target: Tensor): Tensor {
    return multilabelSoftMarginLoss(input, target, this.current);
  }
}

/** See `F.multilabelMarginLoss`. */
export class MultiLabelMarginLoss extends Loss<LossOptions> {
  static readonly keepsNothing = true;
  forward(input: Tensor, target: Tensor): Tensor {
    return multilabelMarginLoss(input, target, this.options);
  }
}

/** See `F.multiMarginLoss`. */
export class MultiMarginLoss extends WeightedLoss<MultiMarginOptions> {
  static readonly keepsNothing = true;
  protected static override readonly known = MULTI_MARGIN;

  forward(input: Tensor, target: Tensor): Tensor {
    return multiMarginLoss(input, target, this.current);
  }
}

/** See `F.hingeEmbeddingLoss`. */
export class HingeEmbeddingLoss extends Loss<MarginOptions> {
  static readonly keepsNothing = true;
  protected static override readonly known = MARGIN;

  forward(input: Tensor, target: Tensor): Tensor {
    return hingeEmbeddingLoss(input, target, this.options);
  }
}

/** See `F.marginRankingLoss`. */
export class MarginRankingLoss extends Loss<MarginOptions> {
  static readonly keepsNothing = true;
  protected static override readonly known = MARGIN;

  forward(a: Tensor, b: Tensor, target: Tensor): Tensor {
    return marginRankingLoss(a, b, target, this.options);
  }
}

/** See `F.cosineEmbeddingLoss`. */
export class CosineEmbeddingLoss extends Loss<MarginOptions> {
  static readonly keepsNothing = true;
  protected static override readonly known = MARGIN;

  forward(a: Tensor, b: Tensor, target: Tensor): Tensor {
    return cosineEmbeddingLoss(a, b, target, this.options);
  }
}

/** See `F.tripletMarginLoss`. */
export class TripletMarginLoss extends Loss<TripletMarginOptions> {
  static readonly keepsNothing = true;
  protected static override readonly known = TRIPLET_MARGIN;

  forward(anchor: Tensor, positive: Tensor, negative: Tensor): Tensor {
    return tripletMarginLoss(anchor, positive, negative, this.options);
  }
}

/** See `F.tripletMarginWithDistanceLoss`. */
export class TripletMarginWithDistanceLoss extends Loss<TripletMarginWithDistanceOptions> {
  protected static override readonly known = TRIPLET_MARGIN_WITH_DISTANCE;

  forward(anchor: Tensor, positive: Tensor, negative: Tensor): Tensor {
    return tripletMarginWithDistanceLoss(anchor, positive, negative, this.options);
  }
}

/** Soft Dice of `[N, C, …]`; see `F.diceLoss`. */
export class DiceLoss extends Loss<DiceOptions> {
  static readonly keepsNothing = true;
  protected static override readonly known = DICE;

  forward(input: Tensor, target: Tensor): Tensor {
    return diceLoss(input, target, this.options);
  }
}

/** Focal loss; see `F.focalLoss`. */
export class FocalLoss extends Loss<FocalOptions> {
  static readonly keepsNothing = true;
  protected static override readonly known = FOCAL;

  forward(input: Tensor, target: Tensor): Tensor {
    return focalLoss(input, target, this.options);
  }
}

/** Binary cross entropy of scores; see `F.binaryCrossEntropyWithLogits`. */
export class BCEWithLogitsLoss extends WeightedLoss<BinaryCrossEntropyWithLogitsOptions> {
  static readonly keepsNothing = true;
  protected static override readonly known = BINARY_CROSS_ENTROPY_WITH_LOGITS;

  declare posWeight: Tensor | null;

  constructor(options: BinaryCrossEntropyWithLogitsOptions = {}, ...surplus: never[]) {
    checkArguments(new.target.name, 'options', [options, ...surplus]);
    super(options);
    this.registerBuffer('posWeight', options.posWeight ?? null);
  }

  override stateName(property: string): string {
    return property === 'posWeight' ? 'pos_weight' : property;
  }

  forward(input: Tensor, target: Tensor): Tensor {
    return binaryCrossEntropyWithLogits(input, target, {
      ...this.current,
      posWeight: this.posWeight,
    });
  }
}

/** Connectionist temporal classification; see `F.ctcLoss`. */
export class CTCLoss extends Loss<CtcOptions> {
  static readonly keepsNothing = true;
  protected static override readonly known = CTC;

  forward(
    logProbs: Tensor,
    targets: Tensor,
    inputLengths: Tensor | readonly number[],
    targetLengths: Tensor | readonly number[],
  ): Tensor {
    return ctcLoss(logProbs, targets, inputLengths, targetLengths, this.options);
  }
}
