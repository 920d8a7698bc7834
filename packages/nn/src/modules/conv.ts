import {
  argumentError,
  type ConvCallOptions,
  checkArguments,
  checkOptions,
  conv1d,
  conv2d,
  conv3d,
  describe,
  formatShape,
  normalizePadding,
  type Padding,
  type PadMode,
  type Pair,
  pad,
  type SpatialRank,
  type Tensor,
} from '@voxgrad/core';
import {
  ARGUMENTS,
  type CommonConvOptions,
  ConvBase,
  FORWARD_OPTIONS,
  type KernelSize,
  type PaddingMode,
} from './conv-base.js';

/** Options of {@link Conv1d}, {@link Conv2d} and {@link Conv3d}. */
export interface ConvModuleOptions extends CommonConvOptions {
  padding?: Padding;
  paddingMode?: PaddingMode;
}

const PADDING_MODES: readonly PaddingMode[] = ['circular', 'reflect', 'replicate', 'zeros'];

type ConvFunction = (x: Tensor, w: Tensor, b: Tensor | null, options: ConvCallOptions) => Tensor;

/** Common to Conv1d, Conv2d and Conv3d. */
abstract class ConvNd extends ConvBase {
  readonly padding: Padding;
  readonly paddingMode: PaddingMode;
  /** Padding per axis, for the modes that pad before the convolution. */
  readonly #pairs: readonly Pair[];
  readonly #convolve: ConvFunction;

  constructor(
    rank: SpatialRank,
    convolve: ConvFunction,
    inChannels: number,
    outChannels: number,
    kernelSize: KernelSize,
    options: ConvModuleOptions,
    surplus: readonly never[],
  ) {
    const given = [inChannels, outChannels, kernelSize, options, ...surplus];
    checkArguments(new.target.name, ARGUMENTS, given);
    checkOptions(new.target.name, options, FORWARD_OPTIONS);
    const { padding = 0, paddingMode = 'zeros' } = options;
    if (typeof padding === 'string' && padding !== 'same' && padding !== 'valid')
      throw argumentError(
        `Invalid padding string ${describe(padding)}, should be one of {'same', 'valid'}`,
      );
    if (!PADDING_MODES.includes(paddingMode))
      throw argumentError(
        `padding_mode must be one of {${PADDING_MODES.map((m) => `'${m}'`).join(', ')}}, but got padding_mode=${describe(paddingMode)}`,
      );
    super(rank, inChannels, outChannels, kernelSize, options, false);
    this.#convolve = convolve;
    this.padding = padding;
    this.paddingMode = paddingMode;
    const { kernelSize: kernel, stride, dilation } = this;
    this.#pairs = normalizePadding(new.target.name, rank, kernel, stride, dilation, padding);
  }

  forward(x: Tensor): Tensor {
    const { stride, dilation, groups, backward } = this;
    const options = { stride, dilation, groups, backward };
    if (this.paddingMode === 'zeros')
      return this.#convolve(x, this.weight, this.bias, { ...options, padding: this.padding });
    const lastFirst = [...this.#pairs].reverse().flat();
    const mode: PadMode = this.paddingMode;
    return this.#convolve(pad(x, lastFirst, { mode }), this.weight, this.bias, options);
  }

  override extraRepr(): string {
    const text =
      typeof this.padding === 'string' ? this.padding : formatShape(this.#pairs.map(([lo]) => lo));
    const mode = this.paddingMode === 'zeros' ? '' : `, paddingMode=${this.paddingMode}`;
    return this.describeOptions(text) + mode;
  }
}

/**
 * Convolution over one spatial axis: `[N, Ci, L]` or `[Ci, L]` → `[N, Co, L']`.
 * Weight `[Co, Ci / groups, k]`, drawn as in PyTorch.
 */
export class Conv1d extends ConvNd {
  static readonly keepsNothing = true;

  constructor(
    inChannels: number,
    outChannels: number,
    kernelSize: KernelSize,
    options: ConvModuleOptions = {},
    ...surplus: never[]
  ) {
    super(1, conv1d, inChannels, outChannels, kernelSize, options, surplus);
  }
}

/** Convolution over two spatial axes: `[N, Ci, H, W]` or `[Ci, H, W]`. See {@link Conv1d}. */
export class Conv2d extends ConvNd {
  static readonly keepsNothing = true;

  constructor(
    inChannels: number,
    outChannels: number,
    kernelSize: KernelSize,
    options: ConvModuleOptions = {},
    ...surplus: never[]
  ) {
    super(2, conv2d, inChannels, outChannels, kernelSize, options, surplus);
  }
}

/** Convolution over three spatial axes: `[N, Ci, D, H, W]` or `[Ci, D, H, W]`. See {@link Conv1d}. */
export class Conv3d extends ConvNd {
  static readonly keepsNothing = true;

  constructor(
    inChannels: number,
    outChannels: number,
    kernelSize: KernelSize,
    options: ConvModuleOptions = {},
    ...surplus: never[]
  ) {
    super(3, conv3d, inChannels, outChannels, kernelSize, options, surplus);
  }
}
