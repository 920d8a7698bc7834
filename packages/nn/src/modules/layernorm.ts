// Normalisations of single samples, as modules.

import {
  argumentError,
  checkArguments,
  checkOptions,
  type DeviceLike,
  type DType,
  formatShape,
  numberList,
  type OptionTable,
  ones,
  type Tensor,
  zeros,
} from '@voxgrad/core';
import {
  groupNorm,
  type LocalResponseNormOptions,
  layerNorm,
  localResponseNorm,
} from '../layer-norm.js';
import { Module } from '../module.js';
import { LOCAL_RESPONSE_NORM } from '../option-tables.js';
import { Parameter } from '../parameter.js';
import { repr } from '../repr.js';

interface Place {
  device?: DeviceLike;
  dtype?: DType;
}

/** Options of {@link LayerNorm}. */
export interface LayerNormOptions extends Place {
  eps?: number;
  /** A learnt factor and shift per element (the default). */
  elementwiseAffine?: boolean;
}

const LAYER_NORM: OptionTable<LayerNormOptions> = {
  eps: true,
  elementwiseAffine: true,
  device: true,
  dtype: true,
};

/** Normalises over the last dims, whose sizes are `normalizedShape`. */
export class LayerNorm extends Module {
  static readonly keepsNothing = true;

  readonly normalizedShape: readonly number[];
  readonly eps: number;
  weight: Parameter | null;
  bias: Parameter | null;

  constructor(
    normalizedShape: number | readonly number[],
    options: LayerNormOptions = {},
    ...surplus: never[]
  ) {
    checkArguments(new.target.name, 'normalizedShape, options', [
      normalizedShape,
      options,
      ...surplus,
    ]);
    super();
    checkOptions(new.target.name, options, LAYER_NORM);
    const { eps = 1e-5, elementwiseAffine = true, ...place } = options;
    this.normalizedShape = [...numberList(new.target.name, 'normalizedShape', normalizedShape)];
    this.eps = eps;
    this.weight = elementwiseAffine ? new Parameter(ones(this.normalizedShape, place)) : null;
    this.bias = elementwiseAffine ? new Parameter(zeros(this.normalizedShape, place)) : null;
  }

  forward(x: Tensor): Tensor {
    const { weight, bias, eps } = this;
    return layerNorm(x, this.normalizedShape, { weight, bias, eps });
  }

  override extraRepr(): string {
    const fields = { eps: this.eps, elementwiseAffine: this.weight !== null };
    return `${formatShape(this.normalizedShape)}, ${repr(fields)}`;
  }
}

/** Options of {@link GroupNorm}. */
export interface GroupNormOptions extends Place {
  eps?: number;
  /** A learnt factor and shift per channel (the default). */
  affine?: boolean;
}

const GROUP_NORM: OptionTable<GroupNormOptions> = {
  eps: true,
  affine: true,
  device: true,
  dtype: true,
};

/** Normalises `[N, C, …]` over groups of channels. */
export class GroupNorm extends Module {
  static readonly keepsNothing = true;

  readonly eps: number;
  weight: Parameter | null;
  bias: Parameter | null;

  constructor(
    readonly numGroups: number,
    readonly numChannels: number,
    options: GroupNormOptions = {},
    ...surplus: never[]
  ) {
    checkArguments(new.target.name, '#numGroups, #numChannels, options', [
      numGroups,
      numChannels,
      options,
      ...surplus,
    ]);
    super();
    checkOptions(new.target.name, options, GROUP_NORM);
    const { eps = 1e-5, affine = true, ...place } = options;
    if (numChannels % numGroups !== 0)
      throw argumentError('num_channels must be divisible by num_groups');
    this.eps = eps;
    this.weight = affine ? new Parameter(ones([numChannels], place)) : null;
    this.bias = affine ? new Parameter(zeros([numChannels], place)) : null;
  }

  forward(x: Tensor): Tensor {
    const { weight, bias, eps } = this;
    return groupNorm(x, this.numGroups, { weight, bias, eps });
  }

  override extraRepr(): string {
    const fields = { eps: this.eps, affine: this.weight !== null };
    return `${this.numGroups}, ${this.numChannels}, ${repr(fields)}`;
  }
}

/** See `F.localResponseNorm`. */
export class LocalResponseNorm extends Module {
  static readonly keepsNothing = true;

  readonly alpha: number;
  readonly beta: number;
  readonly k: number;

  constructor(
    readonly size: number,
    options: LocalResponseNormOptions = {},
    ...surplus: never[]
  ) {
    checkArguments(new.target.name, '#size, options', [size, options, ...surplus]);
    super();
    checkOptions(new.target.name, options, LOCAL_RESPONSE_NORM);
    const { alpha = 1e-4, beta = 0.75, k = 1 } = options;
    this.alpha = alpha;
    this.beta = beta;
    this.k = k;
  }

  forward(x: Tensor): Tensor {
    const { alpha, beta, k } = this;
    return localResponseNorm(x, this.size, { alpha, beta, k });
  }

  override extraRepr(): string {
    const { alpha, beta, k } = this;
    return `${this.size}, ${repr({ alpha, beta, k })}`;
  }
}
