import {
  checkArguments,
  checkOptions,
  type DeviceLike,
  type DType,
  linear,
  type OptionTable,
  type Tensor,
  zeros,
} from '@voxgrad/core';
import { bilinear } from '../bilinear.js';
import { resetAffine, uniform_ } from '../init.js';
import { Module } from '../module.js';
import { Parameter } from '../parameter.js';
import { repr } from '../repr.js';

/** Options of {@link Linear}. */
export interface LinearOptions {
  bias?: boolean;
  device?: DeviceLike;
  dtype?: DType;
}

const LINEAR: OptionTable<LinearOptions> = { bias: true, device: true, dtype: true };

/** x·Wᵀ + b: `[…, inFeatures]` → `[…, outFeatures]`; weight `[outFeatures, inFeatures]`. */
export class Linear extends Module {
  static readonly keepsNothing = true;

  weight: Parameter;
  bias: Parameter | null;

  constructor(
    readonly inFeatures: number,
    readonly outFeatures: number,
    options: LinearOptions = {},
    ...surplus: never[]
  ) {
    checkArguments(new.target.name, '#inFeatures, #outFeatures, options', [
      inFeatures,
      outFeatures,
      options,
      ...surplus,
    ]);
    super();
    checkOptions(new.target.name, options, LINEAR);
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

/** y = x1·W·x2 + b per output: `[…, in1Features]`, `[…, in2Features]` → `[…, outFeatures]`. */
export class Bilinear extends Module {
  static readonly keepsNothing = true;

  weight: Parameter;
  bias: Parameter | null;

  constructor(
    readonly in1Features: number,
    readonly in2Features: number,
    readonly outFeatures: number,
    options: LinearOptions = {},
    ...surplus: never[]
  ) {
    checkArguments(new.target.name, '#in1Features, #in2Features, #outFeatures, options', [
      in1Features,
      in2Features,
      outFeatures,
      options,
      ...surplus,
    ]);
    super();
    checkOptions(new.target.name, options, LINEAR);
    const { bias = true, ...place } = options;
    this.weight = new Parameter(zeros([outFeatures, in1Features, in2Features], place));
    this.bias = bias ? new Parameter(zeros([outFeatures], place)) : null;
    this.resetParameters();
  }

  resetParameters(): void {
    const bound = 1 / Math.sqrt(this.in1Features);
    uniform_(this.weight, -bound, bound);
    if (this.bias) uniform_(this.bias, -bound, bound);
  }

  forward(x1: Tensor, x2: Tensor): Tensor {
    return bilinear(x1, x2, this.weight, this.bias);
  }

  override extraRepr(): string {
    const { in1Features, in2Features, outFeatures } = this;
    return repr({ in1Features, in2Features, outFeatures, bias: this.bias !== null });
  }
}

/** Returns its input; arguments of the constructor are ignored, so that it can stand for any layer. */
export class Identity extends Module {
  static readonly keepsNothing = true;

  constructor(..._ignored: readonly unknown[]) {
    super();
  }

  forward(x: Tensor): Tensor {
    return x;
  }
}
