import {
  type DeviceLike,
  type DType,
  formatShape,
  full,
  noGrad,
  ones,
  shapeError,
  type Tensor,
  zeros,
} from '@voxgrad/core';
import { join } from '../key.js';
import { Module } from '../module.js';
import { batchNorm } from '../normalization.js';
import { Parameter } from '../parameter.js';

export interface BatchNormModuleOptions {
  eps?: number;
  /** Share of a batch in the running statistics; null makes them a plain average. */
  momentum?: number | null;
  affine?: boolean;
  trackRunningStats?: boolean;
  device?: DeviceLike;
  dtype?: DType;
}

const STATE_NAMES: Readonly<Record<string, string>> = {
  runningMean: 'running_mean',
  runningVar: 'running_var',
  numBatchesTracked: 'num_batches_tracked',
};

abstract class BatchNormNd extends Module {
  weight: Parameter | null;
  bias: Parameter | null;
  declare runningMean: Tensor | null;
  declare runningVar: Tensor | null;
  declare numBatchesTracked: Tensor | null;
  readonly eps: number;
  readonly momentum: number | null;
  readonly #ranks: readonly number[];

  constructor(
    ranks: readonly number[],
    readonly numFeatures: number,
    options: BatchNormModuleOptions,
  ) {
    super();
    const {
      eps = 1e-5,
      momentum = 0.1,
      affine = true,
      trackRunningStats = true,
      ...place
    } = options;
    this.#ranks = ranks;
    this.eps = eps;
    this.momentum = momentum;
    this.weight = affine ? new Parameter(ones([numFeatures], place)) : null;
    this.bias = affine ? new Parameter(zeros([numFeatures], place)) : null;
    const track = trackRunningStats;
    this.registerBuffer('runningMean', track ? zeros([numFeatures], place) : null);
    this.registerBuffer('runningVar', track ? ones([numFeatures], place) : null);
    this.registerBuffer(
      'numBatchesTracked',
      track ? full([], 0n, { dtype: 'int64', device: place.device }) : null,
    );
  }

  /** Version 2 brought `num_batches_tracked`. */
  override get version(): number {
    return 2;
  }

  override stateName(property: string): string {
    return STATE_NAMES[property] ?? property;
  }

  override upgradeState(
    state: Map<string, Tensor>,
    prefix: string,
    version: number | undefined,
  ): void {
    const key = join(prefix, 'num_batches_tracked');
    const absent = version === undefined || version < 2;
    if (absent && this.numBatchesTracked && !state.has(key)) state.set(key, full([], 0n));
  }

  forward(x: Tensor): Tensor {
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
      noGrad(() => tracked.add_(1));
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

  override extraRepr(): string {
    return `${this.numFeatures}, eps=${this.eps}, momentum=${this.momentum}, affine=${this.weight !== null}, trackRunningStats=${this.runningMean !== null}`;
  }
}

/** Batch normalisation of `[N, C]` or `[N, C, L]` over all but the channel axis. */
export class BatchNorm1d extends BatchNormNd {
  constructor(numFeatures: number, options: BatchNormModuleOptions = {}) {
    super([2, 3], numFeatures, options);
  }
}

/** Batch normalisation of `[N, C, H, W]`. */
export class BatchNorm2d extends BatchNormNd {
  constructor(numFeatures: number, options: BatchNormModuleOptions = {}) {
    super([4], numFeatures, options);
  }
}

/** Batch normalisation of `[N, C, D, H, W]`. */
export class BatchNorm3d extends BatchNormNd {
  constructor(numFeatures: number, options: BatchNormModuleOptions = {}) {
    super([5], numFeatures, options);
  }
}
