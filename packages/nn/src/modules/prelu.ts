import {
  checkArguments,
  type DeviceLike,
  type DType,
  full,
  type OptionTable,
  type Tensor,
} from '@voxgrad/core';
import { prelu } from '../activations/index.js';
import { Module } from '../module.js';
import { optionsOf } from '../options.js';
import { Parameter } from '../parameter.js';
import { repr } from '../repr.js';

/** Options of {@link PReLU}. */
export interface PReLUOptions {
  /** 1, or the number of channels. */
  numParameters?: number;
  init?: number;
  device?: DeviceLike;
  dtype?: DType;
}

const PRELU: OptionTable<PReLUOptions> = {
  numParameters: true,
  init: true,
  device: true,
  dtype: true,
};

/** x where x > 0, else weight·x with a learnt weight, for all channels or for each. */
export class PReLU extends Module {
  static readonly keepsNothing = true;

  readonly numParameters: number;
  weight: Parameter;

  constructor(
    options: number | PReLUOptions = {},
    more?: Omit<PReLUOptions, 'numParameters'>,
    ...surplus: never[]
  ) {
    checkArguments(new.target.name, 'options, more', [options, more, ...surplus]);
    super();
    const given = optionsOf(new.target.name, PRELU, 'numParameters', options, more);
    const { numParameters = 1, init = 0.25, ...place } = given;
    this.numParameters = numParameters;
    this.weight = new Parameter(full([numParameters], init, place));
  }

  forward(x: Tensor): Tensor {
    return prelu(x, this.weight);
  }

  override extraRepr(): string {
    return repr({ numParameters: this.numParameters });
  }
}
