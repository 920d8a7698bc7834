import type { Tensor } from '@voxgrad/core';
import { type CrossEntropyOptions, crossEntropy, type LossOptions, mseLoss } from '../losses.js';
import { Module } from '../module.js';

/** Mean (or sum) of (input − target)². */
export class MSELoss extends Module {
  constructor(readonly options: LossOptions = {}) {
    super();
  }

  forward(input: Tensor, target: Tensor): Tensor {
    return mseLoss(input, target, this.options);
  }
}

/** Cross entropy of unnormalised scores `[N, C, …]`; see `F.crossEntropy`. */
export class CrossEntropyLoss extends Module {
  /** A factor per class; moves with the module. */
  declare weight: Tensor | null;

  constructor(readonly options: CrossEntropyOptions = {}) {
    super();
    this.registerBuffer('weight', options.weight ?? null);
  }

  forward(input: Tensor, target: Tensor): Tensor {
    return crossEntropy(input, target, { ...this.options, weight: this.weight ?? undefined });
  }
}
