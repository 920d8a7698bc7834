import {
  argumentError,
  type ConvTransposeCallOptions,
  checkArguments,
  checkOptions,
  convTranspose1d,
  convTranspose2d,
  convTranspose3d,
  formatShape,
  numberList,
  perAxis,
  requireTensors,
  type SpatialRank,
  shapeError,
  type Tensor,
  transposedOutputSize,
} from '@voxgrad/core';
import {
  ARGUMENTS,
  type CommonConvOptions,
  ConvBase,
  type KernelSize,
  type PaddingMode,
  TRANSPOSED_OPTIONS,
} from './conv-base.js';

/** Options of {@link ConvTranspose1d}, {@link ConvTranspose2d} and {@link ConvTranspose3d}. */
export interface ConvTransposeModuleOptions extends CommonConvOptions {
  padding?: number | readonly number[];
  outputPadding?: number | readonly number[];
  paddingMode?: PaddingMode;
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
    surplus: readonly never[],
  ) {
    const given = [inChannels, outChannels, kernelSize, options, ...surplus];
    checkArguments(new.target.name, ARGUMENTS, given);
    checkOptions(new.target.name, options, TRANSPOSED_OPTIONS);
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
    requireTensors(this.constructor.name, { input: x });
    if (outputSize !== undefined) numberList(this.constructor.name, 'outputSize', outputSize);
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
  static readonly keepsNothing = true;

  constructor(
    inChannels: number,
    outChannels: number,
    kernelSize: KernelSize,
    options: ConvTransposeModuleOptions = {},
    ...surplus: never[]
  ) {
    super(1, convTranspose1d, inChannels, outChannels, kernelSize, options, surplus);
  }
}

/** Transposed convolution over two axes. See {@link ConvTranspose1d}. */
export class ConvTranspose2d extends ConvTransposeNd {
  static readonly keepsNothing = true;

  constructor(
    inChannels: number,
    outChannels: number,
    kernelSize: KernelSize,
    options: ConvTransposeModuleOptions = {},
    ...surplus: never[]
  ) {
    super(2, convTranspose2d, inChannels, outChannels, kernelSize, options, surplus);
  }
}

/** Transposed convolution over three axes. See {@link ConvTranspose1d}. */
export class ConvTranspose3d extends ConvTransposeNd {
  static readonly keepsNothing = true;

  constructor(
    inChannels: number,
    outChannels: number,
    kernelSize: KernelSize,
    options: ConvTransposeModuleOptions = {},
    ...surplus: never[]
  ) {
    super(3, convTranspose3d, inChannels, outChannels, kernelSize, options, surplus);
  }
}
