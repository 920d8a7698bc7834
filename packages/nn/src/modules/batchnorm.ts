import {
  checkArguments,
  formatShape,
  isRecomputing,
  noGrad,
  requireTensors,
  shapeError,
  type Tensor,
} from '@voxgrad/core';
import { batchNorm } from '../normalization.js';
import { NormBase, type NormModuleOptions } from './norm-base.js';

export type BatchNormModuleOptions = NormModuleOptions;

abstract class BatchNormNd extends NormBase {
  readonly #ranks: readonly number[];

  constructor(ranks: readonly number[], numFeatures: number, options: NormModuleOptions) {
    super(numFeatures, options, true, true);
    this.#ranks = ranks;
  }

  forward(x: Tensor): Tensor {
    requireTensors(this.constructor.name, { input: x });
    if (!this.#ranks.includes(x.ndim))
      throw shapeError(
        `expected ${this.#ranks.map((r) => `${r}D`).join(' or ')} input (got ${x.ndim}D input of size ${formatShape(x.shape)})`,
      );
    if (x.shape[1] !== this.numFeatures)
      throw shapeError(
        `running_mean should contain ${x.shape[1]} elements not ${this.numFeatures} (input of size ${formatShape(x.shape)})`,
      );
    const tracked = this.numBatchesTracked;
    let momentum = this.momentum ?? 0;
    if (this.training && tracked) {
      if (!isRecomputing()) noGrad(() => tracked.add_(1));
      if (this.momentum === null) momentum = 1 / Number(tracked.item<bigint>());
    }
    return batchNorm(x, {
      runningMean: this.runningMean,
      runningVar: this.runningVar,
      weight: this.weight,
      bias: this.bias,
      training: this.training || this.runningMean === null,
      momentum,
      eps: this.eps,
    });
  }
}

/** Batch normalisation of `[N, C]` or `[N, C, L]` over all but the channel axis. */
export class BatchNorm1d extends BatchNormNd {
  static readonly keepsNothing = true;

  constructor(numFeatures: number, options: BatchNormModuleOptions = {}, ...surplus: never[]) {
    checkArguments(new.target.name, '#numFeatures, options', [numFeatures, options, ...surplus]);
    super([2, 3], numFeatures, options);
  }
}

/** Batch normalisation of `[N, C, H, W]`. */
export class BatchNorm2d extends BatchNormNd {
  static readonly keepsNothing = true;

  constructor(numFeatures: number, options: BatchNormModuleOptions = {}, ...surplus: never[]) {
    checkArguments(new.target.name, '#numFeatures, options', [numFeatures, options, ...surplus]);
    super([4], numFeatures, options);
  }
}

/** Batch normalisation of `[N, C, D, H, W]`. */
export class BatchNorm3d extends BatchNormNd {
  static readonly keepsNothing = true;

  constructor(numFeatures: number, options: BatchNormModuleOptions = {}, ...surplus: never[]) {
    checkArguments(new.target.name, '#numFeatures, options', [numFeatures, options, ...surplus]);
    super([5], numFeatures, options);
  }
}
