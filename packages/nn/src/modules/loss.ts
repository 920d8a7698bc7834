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
  constructor(readonly options: CrossEntropyOptions = {}) {
    super();
    if (options.weight) this.registerBuffer('weight', options.weight);
  }

  forward(input: Tensor, target: Tensor): Tensor {
    return crossEntropy(input, target, this.options);
  }
}
