// Changes of resolution, as modules.

import {
  channelShuffle,
  checkArguments,
  checkOptions,
  fold,
  type InterpolateOptions,
  interpolate,
  type OptionTable,
  type PerAxis,
  pixelShuffle,
  pixelUnshuffle,
  type Tensor,
  type UnfoldOptions,
  unfold,
} from '@voxgrad/core';
import { Module } from '../module.js';
import { repr } from '../repr.js';

/** Options of {@link Upsample}. */
export type UpsampleOptions = Omit<InterpolateOptions, 'antialias'>;

const UPSAMPLE: OptionTable<UpsampleOptions> = {
  size: 'nullable',
  scaleFactor: 'nullable',
  mode: true,
  alignCorners: 'nullable',
  recomputeScaleFactor: 'nullable',
};

/** Resamples `[N, C, …]` to `size` or by `scaleFactor`; see `F.interpolate`. */
export class Upsample extends Module {
  static readonly keepsNothing = true;

  constructor(
    readonly options: UpsampleOptions,
    ...surplus: never[]
  ) {
    checkArguments(new.target.name, 'options', [options, ...surplus]);
    super();
    checkOptions(new.target.name, options, UPSAMPLE);
  }

  forward(x: Tensor): Tensor {
    return interpolate(x, this.options);
  }

  override extraRepr(): string {
    const { size, scaleFactor, mode = 'nearest' } = this.options;
    return repr({ ...(scaleFactor == null ? { size } : { scaleFactor }), mode });
  }
}

type SizeOrFactor = Pick<UpsampleOptions, 'size' | 'scaleFactor'>;

const SIZE_OR_FACTOR: OptionTable<SizeOrFactor> = { size: 'nullable', scaleFactor: 'nullable' };

/** Nearest neighbours of `[N, C, H, W]`. */
export class UpsamplingNearest2d extends Upsample {
  static override readonly keepsNothing = true;

  constructor(options: SizeOrFactor, ...surplus: never[]) {
    checkOptions(new.target.name, options, SIZE_OR_FACTOR);
    checkArguments(new.target.name, 'options', [options, ...surplus]);
    super({ ...options, mode: 'nearest' });
  }
}

/** Bilinear interpolation of `[N, C, H, W]`, corners aligned. */
export class UpsamplingBilinear2d extends Upsample {
  static override readonly keepsNothing = true;

  constructor(options: SizeOrFactor, ...surplus: never[]) {
    checkOptions(new.target.name, options, SIZE_OR_FACTOR);
    checkArguments(new.target.name, 'options', [options, ...surplus]);
    super({ ...options, mode: 'bilinear', alignCorners: true });
  }
}

/** `[…, C·r², H, W]` → `[…, C, H·r, W·r]` */
export class PixelShuffle extends Module {
  static readonly keepsNothing = true;

  constructor(
    readonly upscaleFactor: number,
    ...surplus: never[]
  ) {
    checkArguments(new.target.name, '#upscaleFactor', [upscaleFactor, ...surplus]);
    super();
  }

  forward(x: Tensor): Tensor {
    return pixelShuffle(x, this.upscaleFactor);
  }

  override extraRepr(): string {
    return repr({ upscaleFactor: this.upscaleFactor });
  }
}

/** `[…, C, H·r, W·r]` → `[…, C·r², H, W]` */
export class PixelUnshuffle extends Module {
  static readonly keepsNothing = true;

  constructor(
    readonly downscaleFactor: number,
    ...surplus: never[]
  ) {
    checkArguments(new.target.name, '#downscaleFactor', [downscaleFactor, ...surplus]);
    super();
  }

  forward(x: Tensor): Tensor {
    return pixelUnshuffle(x, this.downscaleFactor);
  }

  override extraRepr(): string {
    return repr({ downscaleFactor: this.downscaleFactor });
  }
}

/** Deals the channels of `[N, C, …]` out to `groups`, one after the other. */
export class ChannelShuffle extends Module {
  static readonly keepsNothing = true;

  constructor(
    readonly groups: number,
    ...surplus: never[]
  ) {
    checkArguments(new.target.name, '#groups', [groups, ...surplus]);
    super();
  }

  forward(x: Tensor): Tensor {
    return channelShuffle(x, this.groups);
  }

  override extraRepr(): string {
    return repr({ groups: this.groups });
  }
}

const BLOCKS: OptionTable<UnfoldOptions> = { dilation: true, padding: true, stride: true };

const blockRepr = ({ dilation = 1, padding = 0, stride = 1 }: UnfoldOptions) => ({
  dilation,
  padding,
  stride,
});

/** The windows of `[N, C, H, W]` as columns: `[N, C·kH·kW, windows]`. */
export class Unfold extends Module {
  static readonly keepsNothing = true;

  constructor(
    readonly kernelSize: PerAxis,
    readonly options: UnfoldOptions = {},
    ...surplus: never[]
  ) {
    checkArguments(new.target.name, 'kernelSize, options', [kernelSize, options, ...surplus]);
    super();
    checkOptions(new.target.name, options, BLOCKS);
  }

  forward(x: Tensor): Tensor {
    return unfold(x, this.kernelSize, this.options);
  }

  override extraRepr(): string {
    return repr({ kernelSize: this.kernelSize, ...blockRepr(this.options) });
  }
}

/** Adds columns up where their windows lie: `[N, C·kH·kW, windows]` → `[N, C, H, W]`. */
export class Fold extends Module {
  static readonly keepsNothing = true;

  constructor(
    readonly outputSize: PerAxis,
    readonly kernelSize: PerAxis,
    readonly options: UnfoldOptions = {},
    ...surplus: never[]
  ) {
    checkArguments(new.target.name, 'outputSize, kernelSize, options', [
      outputSize,
      kernelSize,
      options,
      ...surplus,
    ]);
    super();
    checkOptions(new.target.name, options, BLOCKS);
  }

  forward(x: Tensor): Tensor {
    return fold(x, this.outputSize, this.kernelSize, this.options);
  }

  override extraRepr(): string {
    const { outputSize, kernelSize } = this;
    return repr({ outputSize, kernelSize, ...blockRepr(this.options) });
  }
}
