import {
  argumentError,
  checkStrategyName,
  type DeviceLike,
  type DType,
  describe,
  formatShape,
  perAxis,
  type SpatialRank,
  zeros,
} from '@voxgrad/core';
import { resetAffine } from '../init.js';
import { Module } from '../module.js';
import { Parameter } from '../parameter.js';

/** What a convolution pads with. */
export type PaddingMode = 'zeros' | 'reflect' | 'replicate' | 'circular';

export interface CommonConvOptions {
  stride?: number | readonly number[];
  dilation?: number | readonly number[];
  groups?: number;
  bias?: boolean;
  /** Strategy for this module's backward; see `strategies.list('conv3d')`. */
  backward?: string;
  device?: DeviceLike;
  dtype?: DType;
}

/** One size, or one for each axis. */
export type KernelSize = number | readonly number[];

const COMMON = ['stride', 'padding', 'dilation', 'groups', 'bias', 'paddingMode'];
const PLACE = ['backward', 'device', 'dtype'];
/** What the constructors take, as signatures are written. */
export const ARGUMENTS = '#inChannels, #outChannels, kernelSize, options';

export const FORWARD_OPTIONS = [...COMMON, ...PLACE];
export const TRANSPOSED_OPTIONS = [...COMMON, 'outputPadding', ...PLACE];

/** What every convolution module holds, checked as PyTorch's constructors check it. */
export abstract class ConvBase extends Module {
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
    options: CommonConvOptions,
    transposed: boolean,
  ) {
    super();
    const name = new.target.name;
    const { groups = 1 } = options;
    if (options.bias !== undefined && typeof options.bias !== 'boolean')
      throw argumentError(`${name}: bias must be true or false, but got ${describe(options.bias)}`);
    checkStrategyName('conv3d', options.backward);
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
