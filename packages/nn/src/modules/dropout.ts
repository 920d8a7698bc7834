import { argumentError, checkArguments, type OptionTable, type Tensor } from '@voxgrad/core';
import {
  alphaDropout,
  type DropoutOptions,
  dropout,
  dropout1d,
  dropout2d,
  dropout3d,
  featureAlphaDropout,
} from '../dropout.js';
import { Module } from '../module.js';
import { type InPlaceOptions, optionsOf } from '../options.js';
import { repr } from '../repr.js';

/** Options of the dropout modules. */
export interface DropoutModuleOptions extends InPlaceOptions {
  p?: number;
}

const OPTIONS: OptionTable<DropoutModuleOptions> = { p: true, inplace: true };

abstract class DropoutNd extends Module {
  /** Probability of an element, or a channel, to be dropped. */
  readonly p: number;
  readonly inplace: boolean;
  readonly #drop: (x: Tensor, options: DropoutOptions) => Tensor;

  constructor(
    drop: (x: Tensor, options: DropoutOptions) => Tensor,
    options: number | DropoutModuleOptions,
    more: InPlaceOptions | undefined,
    surplus: readonly never[],
  ) {
    checkArguments(new.target.name, 'options, more', [options, more, ...surplus]);
    super();
    const { p = 0.5, inplace = false } = optionsOf(new.target.name, OPTIONS, 'p', options, more);
    if (!(p >= 0 && p <= 1))
      throw argumentError(`dropout probability has to be between 0 and 1, but got ${p}`);
    this.#drop = drop;
    this.p = p;
    this.inplace = inplace;
  }

  forward(x: Tensor): Tensor {
    const { p, training, inplace } = this;
    return this.#drop(x, { p, training, inplace });
  }

  override extraRepr(): string {
    return repr({ p: this.p, inplace: this.inplace });
  }
}

/** In training, zeroes elements with probability `p` (0.5) and divides the others by 1 − p. */
export class Dropout extends DropoutNd {
  static readonly keepsNothing = true;

  constructor(
    options: number | DropoutModuleOptions = {},
    more?: InPlaceOptions,
    ...surplus: never[]
  ) {
    super(dropout, options, more, surplus);
  }
}

/** Dropout of whole channels of `[N, C, L]` or `[C, L]`. */
export class Dropout1d extends DropoutNd {
  static readonly keepsNothing = true;

  constructor(
    options: number | DropoutModuleOptions = {},
    more?: InPlaceOptions,
    ...surplus: never[]
  ) {
    super(dropout1d, options, more, surplus);
  }
}

/** Dropout of whole channels of `[N, C, H, W]`. */
export class Dropout2d extends DropoutNd {
  static readonly keepsNothing = true;

  constructor(
    options: number | DropoutModuleOptions = {},
    more?: InPlaceOptions,
    ...surplus: never[]
  ) {
    super(dropout2d, options, more, surplus);
  }
}

/** Dropout of whole channels of `[N, C, D, H, W]` or `[C, D, H, W]`. */
export class Dropout3d extends DropoutNd {
  static readonly keepsNothing = true;

  constructor(
    options: number | DropoutModuleOptions = {},
    more?: InPlaceOptions,
    ...surplus: never[]
  ) {
    super(dropout3d, options, more, surplus);
  }
}

/** Dropout that keeps the mean 0 and variance 1 of SELU networks. */
export class AlphaDropout extends DropoutNd {
  static readonly keepsNothing = true;

  constructor(
    options: number | DropoutModuleOptions = {},
    more?: InPlaceOptions,
    ...surplus: never[]
  ) {
    super(alphaDropout, options, more, surplus);
  }
}

/** {@link AlphaDropout} of whole channels. */
export class FeatureAlphaDropout extends DropoutNd {
  static readonly keepsNothing = true;

  constructor(
    options: number | DropoutModuleOptions = {},
    more?: InPlaceOptions,
    ...surplus: never[]
  ) {
    super(featureAlphaDropout, options, more, surplus);
  }
}
