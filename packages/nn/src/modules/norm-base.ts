import {
  checkOptions,
  type DeviceLike,
  type DType,
  full,
  type OptionTable,
  ones,
  type Tensor,
  zeros,
} from '@voxgrad/core';
import { join } from '../key.js';
import { Module } from '../module.js';
import { Parameter } from '../parameter.js';
import { repr } from '../repr.js';

/** Options that batch and instance norms share. */
export interface NormModuleOptions {
  eps?: number;
  /** Share of a batch in the running statistics; null makes them a plain average. */
  momentum?: number | null;
  affine?: boolean;
  trackRunningStats?: boolean;
  device?: DeviceLike;
  dtype?: DType;
}

const NORM_OPTIONS: OptionTable<NormModuleOptions> = {
  eps: true,
  momentum: 'nullable',
  affine: true,
  trackRunningStats: true,
  device: true,
  dtype: true,
};

const STATE_NAMES: Readonly<Record<string, string>> = {
  runningMean: 'running_mean',
  runningVar: 'running_var',
  numBatchesTracked: 'num_batches_tracked',
};

/** What the normalisations with running statistics hold. */
export abstract class NormBase extends Module {
  weight: Parameter | null;
  bias: Parameter | null;
  declare runningMean: Tensor | null;
  declare runningVar: Tensor | null;
  declare numBatchesTracked: Tensor | null;
  readonly eps: number;
  readonly momentum: number | null;

  constructor(
    readonly numFeatures: number,
    options: NormModuleOptions,
    affineDefault: boolean,
    trackDefault: boolean,
  ) {
    super();
    checkOptions(new.target.name, options, NORM_OPTIONS);
    const { eps = 1e-5, momentum = 0.1 } = options;
    const { affine = affineDefault, trackRunningStats: track = trackDefault } = options;
    const { device, dtype } = options;
    const place = { device, dtype };
    this.eps = eps;
    this.momentum = momentum;
    this.weight = affine ? new Parameter(ones([numFeatures], place)) : null;
    this.bias = affine ? new Parameter(zeros([numFeatures], place)) : null;
    this.registerBuffer('runningMean', track ? zeros([numFeatures], place) : null);
    this.registerBuffer('runningVar', track ? ones([numFeatures], place) : null);
    this.registerBuffer(
      'numBatchesTracked',
      track ? full([], 0n, { dtype: 'int64', device }) : null,
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

  override extraRepr(): string {
    const { eps, momentum } = this;
    const affine = this.weight !== null;
    const trackRunningStats = this.runningMean !== null;
    return `${this.numFeatures}, ${repr({ eps, momentum, affine, trackRunningStats })}`;
  }
}
