import { type DeviceLike, type DType, flatten, linear, type Tensor, zeros } from '@voxgrad/core';
import { resetAffine } from '../init.js';
import { Module } from '../module.js';
import { Parameter } from '../parameter.js';

export interface LinearOptions {
  bias?: boolean;
  device?: DeviceLike;
  dtype?: DType;
}

/** x·Wᵀ + b: `[…, inFeatures]` → `[…, outFeatures]`; weight `[outFeatures, inFeatures]`. */
export class Linear extends Module {
  weight: Parameter;
  bias: Parameter | null;

  constructor(
    readonly inFeatures: number,
    readonly outFeatures: number,
    options: LinearOptions = {},
  ) {
    super();
    const { device, dtype } = options;
    this.weight = new Parameter(zeros([outFeatures, inFeatures], { device, dtype }));
    this.bias =
      options.bias === false ? null : new Parameter(zeros([outFeatures], { device, dtype }));
    this.resetParameters();
  }

  resetParameters(): void {
    resetAffine(this.weight, this.bias);
  }

  forward(x: Tensor): Tensor {
    return linear(x, this.weight, this.bias);
  }

  override extraRepr(): string {
    return `inFeatures=${this.inFeatures}, outFeatures=${this.outFeatures}, bias=${this.bias !== null}`;
  }
}

/** Merges the dims from `startDim` (1) to `endDim` (the last) into one. */
export class Flatten extends Module {
  constructor(
    readonly startDim = 1,
    readonly endDim = -1,
  ) {
    super();
  }

  forward(x: Tensor): Tensor {
    return flatten(x, this.startDim, this.endDim);
  }
}
