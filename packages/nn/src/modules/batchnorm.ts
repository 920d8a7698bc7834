import {
  atSite,
  checkArguments,
  formatShape,
  fusesRelu,
  isRecomputing,
  noGrad,
  requireTensors,
  shapeError,
  Tensor,
  unseen,
} from '@voxgrad/core';
import { normalised } from '../batch-norm.js';
import { NormBase, type NormModuleOptions } from './norm-base.js';

/** Options of {@link BatchNorm1d}, {@link BatchNorm2d} and {@link BatchNorm3d}. */
export type BatchNormModuleOptions = NormModuleOptions;

abstract class BatchNormNd extends NormBase {
  readonly #ranks: readonly number[];

  constructor(ranks: readonly number[], numFeatures: number, options: NormModuleOptions) {
    super(numFeatures, options, true, true);
    this.#ranks = ranks;
  }

  forward(x: Tensor): Tensor {
    return this.#normalised(x, { relu: false });
  }

  /** Internal: `call`, and the ReLU after it in the same kernel, for layers that nobody watches. */
  callWithRelu(x: Tensor): Tensor {
    return atSite(this, () => unseen(() => this.#normalised(x, { relu: true })));
  }

  /** Internal: whether {@link callWithRelu} saves a pass over memory. */
  fusesRelu(x: unknown): x is Tensor {
    return this.training && x instanceof Tensor && fusesRelu(x, { affine: this.weight !== null });
  }

  #normalised(x: Tensor, after: { relu: boolean }): Tensor {
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
    const options = {
      runningMean: this.runningMean,
      runningVar: this.runningVar,
      weight: this.weight,
      bias: this.bias,
      training: this.training || this.runningMean === null,
      momentum,
      eps: this.eps,
    };
    return normalised(x, options, after);
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
