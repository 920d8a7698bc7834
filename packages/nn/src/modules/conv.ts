import {
  argumentError,
  type ConvCallOptions,
  type ConvTransposeCallOptions,
  conv1d,
  conv2d,
  conv3d,
  convTranspose1d,
  convTranspose2d,
  convTranspose3d,
  type DeviceLike,
  type DType,
  describe,
  formatShape,
  normalizePadding,
  type Padding,
  type PadMode,
  type Pair,
  pad,
  perAxis,
  type SpatialRank,
  shapeError,
  type Tensor,
  transposedOutputSize,
  zeros,
} from '@voxgrad/core';
import { resetAffine } from '../init.js';
import { Module } from '../module.js';
import { Parameter } from '../parameter.js';

export type PaddingMode = 'zeros' | 'reflect' | 'replicate' | 'circular';

interface CommonOptions {
  stride?: number | readonly number[];
  dilation?: number | readonly number[];
  groups?: number;
  bias?: boolean;
  /** Strategy for this module's backward; see `strategies.list('conv3d')`. */
  backward?: string;
  device?: DeviceLike;
  dtype?: DType;
}

export interface ConvModuleOptions extends CommonOptions {
  padding?: Padding;
  paddingMode?: PaddingMode;
}

export interface ConvTransposeModuleOptions extends CommonOptions {
  padding?: number | readonly number[];
  outputPadding?: number | readonly number[];
  paddingMode?: PaddingMode;
}

type KernelSize = number | readonly number[];

const PADDING_MODES: readonly PaddingMode[] = ['circular', 'reflect', 'replicate', 'zeros'];

/** What every convolution module holds, checked as PyTorch's constructors check it. */
abstract class ConvBase extends Module {
  weight: Parameter;
  bias: Parameter | null;
  readonly inChannels: number;
  readonly outChannels: number;
  readonly kernelSize: readonly number[];
  readonly stride: readonly number[];
  readonly dilation: readonly number[];
  readonly groups: number;
  /** Strategy for the backward, or undefined for the registry's choice. */
  backward: string | undefined;

  constructor(
    readonly rank: SpatialRank,
    inChannels: number,
    outChannels: number,
    kernelSize: KernelSize,
    options: CommonOptions,
    transposed: boolean,
  ) {
    super();
    const { groups = 1 } = options;
    const name = new.target.name;
    for (const [what, value] of Object.entries({ inChannels, outChannels }))
      if (!Number.isInteger(value) || value < 0)
        throw argumentError(
          `${name}: ${what} must be a non-negative integer, but got ${describe(value)}`,
        );
    if (!Number.isInteger(groups) || groups <= 0)
      throw argumentError('groups must be a positive integer');
    if (inChannels % groups !== 0) throw argumentError('in_channels must be divisible by groups');
    if (outChannels % groups !== 0) throw argumentError('out_channels must be divisible by groups');
    this.inChannels = inChannels;
    this.outChannels = outChannels;
    this.groups = groups;
    this.kernelSize = perAxis(kernelSize, rank, 'kernel_size', name);
    this.stride = perAxis(options.stride ?? 1, rank, 'stride', name);
    this.dilation = perAxis(options.dilation ?? 1, rank, 'dilation', name);
    this.backward = options.backward;
    const [from, to] = transposed ? [outChannels, inChannels] : [inChannels, outChannels];
    const { device, dtype } = options;
    this.weight = new Parameter(zeros([to, from / groups, ...this.kernelSize], { device, dtype }));
    this.bias =
      options.bias === false ? null : new Parameter(zeros([outChannels], { device, dtype }));
    this.resetParameters();
  }

  /** Draws new weights and then biases from the default generator. */
  resetParameters(): void {
    resetAffine(this.weight, this.bias);
  }

  protected describeOptions(padding: string): string {
    const parts = [
      `${this.inChannels}, ${this.outChannels}, kernelSize=${formatShape(this.kernelSize)}`,
      `stride=${formatShape(this.stride)}`,
    ];
    if (padding !== formatShape(this.kernelSize.map(() => 0))) parts.push(`padding=${padding}`);
    if (this.dilation.some((d) => d !== 1)) parts.push(`dilation=${formatShape(this.dilation)}`);
    if (this.groups !== 1) parts.push(`groups=${this.groups}`);
    if (this.bias === null) parts.push('bias=false');
    if (this.backward !== undefined) parts.push(`backward='${this.backward}'`);
    return parts.join(', ');
  }
}

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
  ) {
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
  constructor(
    inChannels: number,
    outChannels: number,
    kernelSize: KernelSize,
    options: ConvModuleOptions = {},
  ) {
    super(1, conv1d, inChannels, outChannels, kernelSize, options);
  }
}

/** Convolution over two spatial axes: `[N, Ci, H, W]` or `[Ci, H, W]`. See {@link Conv1d}. */
export class Conv2d extends ConvNd {
  constructor(
    inChannels: number,
    outChannels: number,
    kernelSize: KernelSize,
    options: ConvModuleOptions = {},
  ) {
    super(2, conv2d, inChannels, outChannels, kernelSize, options);
  }
}

/** Convolution over three spatial axes: `[N, Ci, D, H, W]` or `[Ci, D, H, W]`. See {@link Conv1d}. */
export class Conv3d extends ConvNd {
  constructor(
    inChannels: number,
    outChannels: number,
    kernelSize: KernelSize,
    options: ConvModuleOptions = {},
  ) {
    super(3, conv3d, inChannels, outChannels, kernelSize, options);
  }
}

type TransposeFunction = (
  x: Tensor,
  w: Tensor,
  b: Tensor | null,
  options: ConvTransposeCallOptions,
) => Tensor;

/** Common to the transposed convolutions. */
abstract class ConvTransposeNd extends ConvBase {
  readonly padding: readonly number[];
  readonly outputPadding: readonly number[];
  readonly #convolve: TransposeFunction;

  constructor(
    rank: SpatialRank,
    convolve: TransposeFunction,
    inChannels: number,
    outChannels: number,
    kernelSize: KernelSize,
    options: ConvTransposeModuleOptions,
  ) {
    if ((options.paddingMode ?? 'zeros') !== 'zeros')
      throw argumentError(`Only "zeros" padding mode is supported for ${new.target.name}`);
    super(rank, inChannels, outChannels, kernelSize, options, true);
    this.#convolve = convolve;
    this.padding = perAxis(options.padding ?? 0, rank, 'padding', new.target.name);
    this.outputPadding = perAxis(
      options.outputPadding ?? 0,
      rank,
      'output_padding',
      new.target.name,
    );
  }

  /** @param outputSize the wanted spatial sizes; decides the output padding */
  forward(x: Tensor, outputSize?: readonly number[]): Tensor {
    const { stride, padding, dilation, groups, backward } = this;
    const outputPadding = outputSize ? this.#paddingFor(x, outputSize) : this.outputPadding;
    const options = { stride, padding, outputPadding, dilation, groups, backward };
    return this.#convolve(x, this.weight, this.bias, options);
  }

  #paddingFor(x: Tensor, requested: readonly number[]): number[] {
    const { rank } = this;
    const batched = x.ndim === rank + 2;
    const skip = x.ndim - rank;
    if (requested.length !== rank && requested.length !== x.ndim)
      throw shapeError(
        `ConvTranspose${rank}D: for ${x.ndim}D input, output_size must have ${rank} or ${x.ndim} elements (got ${requested.length})`,
      );
    const wanted = requested.length === rank ? requested : requested.slice(skip);
    const input = x.shape.slice(batched ? 2 : 1);
    const least = input.map((size, a) =>
      transposedOutputSize(
        size,
        this.kernelSize[a],
        this.stride[a],
        [this.padding[a], this.padding[a]],
        this.dilation[a],
      ),
    );
    const most = least.map((size, a) => size + this.stride[a] - 1);
    if (wanted.some((size, a) => size < least[a] || size > most[a]))
      throw shapeError(
        `requested an output size of (${wanted.join(', ')}), but valid sizes range from ${formatShape(least)} ` +
          `to ${formatShape(most)} (for an input of torch.Size(${formatShape(input)}))`,
      );
    return wanted.map((size, a) => size - least[a]);
  }

  override extraRepr(): string {
    const out = this.outputPadding.some((p) => p !== 0)
      ? `, outputPadding=${formatShape(this.outputPadding)}`
      : '';
    return this.describeOptions(formatShape(this.padding)) + out;
  }
}

/** Transposed convolution over one axis: `[N, Ci, L]` → `[N, Co, L']`; weight `[Ci, Co / groups, k]`. */
export class ConvTranspose1d extends ConvTransposeNd {
  constructor(
    inChannels: number,
    outChannels: number,
    kernelSize: KernelSize,
    options: ConvTransposeModuleOptions = {},
  ) {
    super(1, convTranspose1d, inChannels, outChannels, kernelSize, options);
  }
}

/** Transposed convolution over two axes. See {@link ConvTranspose1d}. */
export class ConvTranspose2d extends ConvTransposeNd {
  constructor(
    inChannels: number,
    outChannels: number,
    kernelSize: KernelSize,
    options: ConvTransposeModuleOptions = {},
  ) {
    super(2, convTranspose2d, inChannels, outChannels, kernelSize, options);
  }
}

/** Transposed convolution over three axes. See {@link ConvTranspose1d}. */
export class ConvTranspose3d extends ConvTransposeNd {
  constructor(
    inChannels: number,
    outChannels: number,
    kernelSize: KernelSize,
    options: ConvTransposeModuleOptions = {},
  ) {
    super(3, convTranspose3d, inChannels, outChannels, kernelSize, options);
  }
}
