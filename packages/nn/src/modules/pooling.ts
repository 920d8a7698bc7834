// Pooling as modules.

import {
  type AdaptiveSize,
  type AvgPoolOptions,
  adaptiveAvgPool1d,
  adaptiveAvgPool2d,
  adaptiveAvgPool3d,
  adaptiveMaxPool1dWithIndices,
  adaptiveMaxPool2dWithIndices,
  adaptiveMaxPool3dWithIndices,
  avgPool1d,
  avgPool2d,
  avgPool3d,
  checkArguments,
  checkOptions,
  type LPPoolOptions,
  lpPool1d,
  lpPool2d,
  type Maxima,
  type MaxPoolOptions,
  type MaxUnpoolOptions,
  maxPool1dWithIndices,
  maxPool2dWithIndices,
  maxPool3dWithIndices,
  maxUnpool1d,
  maxUnpool2d,
  maxUnpool3d,
  type OptionTable,
  type PerAxis,
  type Tensor,
  windowOptions,
} from '@voxgrad/core';
import { Module } from '../module.js';
import { repr } from '../repr.js';

/** Options of {@link MaxPool1d}, {@link MaxPool2d} and {@link MaxPool3d}. */
export interface MaxPoolModuleOptions extends MaxPoolOptions {
  /** Return `{ output, indices }`, for `MaxUnpool`. */
  returnIndices?: boolean;
}

/** What a call returns: with `returnIndices: true` in the options' type, the positions too. */
type Pooled<O> = O extends { returnIndices: true } ? Maxima : Tensor;

type MaxPool = (x: Tensor, kernelSize: PerAxis, options?: MaxPoolOptions) => Maxima;

abstract class MaxPoolNd<O extends MaxPoolModuleOptions> extends Module {
  readonly options: O;
  readonly #pool: MaxPool;

  constructor(
    pool: MaxPool,
    readonly kernelSize: PerAxis,
    options: O | PerAxis,
  ) {
    super();
    this.options = windowOptions<O>(new.target.name, options);
    this.#pool = pool;
  }

  forward(x: Tensor): Pooled<O> {
    const found = this.#pool(x, this.kernelSize, this.options);
    return (this.options.returnIndices ? found : found.output) as Pooled<O>;
  }

  override extraRepr(): string {
    const { kernelSize } = this;
    const { stride = kernelSize, padding = 0, dilation = 1, ceilMode = false } = this.options;
    return repr({ kernelSize, stride, padding, dilation, ceilMode });
  }
}

/** Largest element of each window of `[N, C, L]`; the stride is the kernel size unless given. */
export class MaxPool1d<O extends MaxPoolModuleOptions = MaxPoolOptions> extends MaxPoolNd<O> {
  static readonly keepsNothing = true;

  constructor(kernelSize: PerAxis, options: O | PerAxis = {} as O, ...surplus: never[]) {
    checkArguments(new.target.name, 'kernelSize, options', [kernelSize, options, ...surplus]);
    super(maxPool1dWithIndices, kernelSize, options);
  }
}

/** Largest element of each window of `[N, C, H, W]`. */
export class MaxPool2d<O extends MaxPoolModuleOptions = MaxPoolOptions> extends MaxPoolNd<O> {
  static readonly keepsNothing = true;

  constructor(kernelSize: PerAxis, options: O | PerAxis = {} as O, ...surplus: never[]) {
    checkArguments(new.target.name, 'kernelSize, options', [kernelSize, options, ...surplus]);
    super(maxPool2dWithIndices, kernelSize, options);
  }
}

/** Largest element of each window of `[N, C, D, H, W]`. */
export class MaxPool3d<O extends MaxPoolModuleOptions = MaxPoolOptions> extends MaxPoolNd<O> {
  static readonly keepsNothing = true;

  constructor(kernelSize: PerAxis, options: O | PerAxis = {} as O, ...surplus: never[]) {
    checkArguments(new.target.name, 'kernelSize, options', [kernelSize, options, ...surplus]);
    super(maxPool3dWithIndices, kernelSize, options);
  }
}

type UnpoolOptions = Pick<MaxUnpoolOptions, 'stride' | 'padding'>;

const UNPOOL: OptionTable<UnpoolOptions> = { stride: 'nullable', padding: true };

type MaxUnpool = (
  x: Tensor,
  indices: Tensor,
  kernelSize: PerAxis,
  options?: MaxUnpoolOptions,
) => Tensor;

abstract class MaxUnpoolNd extends Module {
  readonly #unpool: MaxUnpool;

  constructor(
    unpool: MaxUnpool,
    readonly kernelSize: PerAxis,
    readonly options: UnpoolOptions,
  ) {
    super();
    checkOptions(new.target.name, options, UNPOOL);
    this.#unpool = unpool;
  }

  forward(x: Tensor, indices: Tensor, call: Pick<MaxUnpoolOptions, 'outputSize'> = {}): Tensor {
    checkOptions(this.constructor.name, call, { outputSize: 'nullable' });
    return this.#unpool(x, indices, this.kernelSize, { ...this.options, ...call });
  }

  override extraRepr(): string {
    const { kernelSize } = this;
    const { stride = kernelSize, padding = 0 } = this.options;
    return repr({ kernelSize, stride, padding });
  }
}

/** Puts the maxima of `MaxPool1d` back where `indices` say; zeros elsewhere. */
export class MaxUnpool1d extends MaxUnpoolNd {
  static readonly keepsNothing = true;

  constructor(kernelSize: PerAxis, options: UnpoolOptions = {}, ...surplus: never[]) {
    checkArguments(new.target.name, 'kernelSize, options', [kernelSize, options, ...surplus]);
    super(maxUnpool1d, kernelSize, options);
  }
}

/** Puts the maxima of `MaxPool2d` back where `indices` say; zeros elsewhere. */
export class MaxUnpool2d extends MaxUnpoolNd {
  static readonly keepsNothing = true;

  constructor(kernelSize: PerAxis, options: UnpoolOptions = {}, ...surplus: never[]) {
    checkArguments(new.target.name, 'kernelSize, options', [kernelSize, options, ...surplus]);
    super(maxUnpool2d, kernelSize, options);
  }
}

/** Puts the maxima of `MaxPool3d` back where `indices` say; zeros elsewhere. */
export class MaxUnpool3d extends MaxUnpoolNd {
  static readonly keepsNothing = true;

  constructor(kernelSize: PerAxis, options: UnpoolOptions = {}, ...surplus: never[]) {
    checkArguments(new.target.name, 'kernelSize, options', [kernelSize, options, ...surplus]);
    super(maxUnpool3d, kernelSize, options);
  }
}

type AvgPool = (x: Tensor, kernelSize: PerAxis, options?: AvgPoolOptions) => Tensor;

abstract class AvgPoolNd extends Module {
  readonly options: AvgPoolOptions;
  readonly #pool: AvgPool;

  constructor(
    pool: AvgPool,
    readonly kernelSize: PerAxis,
    options: AvgPoolOptions | PerAxis,
  ) {
    super();
    this.options = windowOptions<AvgPoolOptions>(new.target.name, options);
    this.#pool = pool;
  }

  forward(x: Tensor): Tensor {
    return this.#pool(x, this.kernelSize, this.options);
  }

  override extraRepr(): string {
    const { kernelSize } = this;
    const { stride = kernelSize, padding = 0 } = this.options;
    return repr({ kernelSize, stride, padding });
  }
}

/** Mean of each window of `[N, C, L]`; the stride is the kernel size unless given. */
export class AvgPool1d extends AvgPoolNd {
  static readonly keepsNothing = true;

  constructor(
    kernelSize: PerAxis,
    options: Omit<AvgPoolOptions, 'divisorOverride'> = {},
    ...surplus: never[]
  ) {
    checkArguments(new.target.name, 'kernelSize, options', [kernelSize, options, ...surplus]);
    super(avgPool1d, kernelSize, options);
  }
}

/** Mean of each window of `[N, C, H, W]`. */
export class AvgPool2d extends AvgPoolNd {
  static readonly keepsNothing = true;

  constructor(kernelSize: PerAxis, options: AvgPoolOptions | PerAxis = {}, ...surplus: never[]) {
    checkArguments(new.target.name, 'kernelSize, options', [kernelSize, options, ...surplus]);
    super(avgPool2d, kernelSize, options);
  }
}

/** Mean of each window of `[N, C, D, H, W]`. */
export class AvgPool3d extends AvgPoolNd {
  static readonly keepsNothing = true;

  constructor(kernelSize: PerAxis, options: AvgPoolOptions | PerAxis = {}, ...surplus: never[]) {
    checkArguments(new.target.name, 'kernelSize, options', [kernelSize, options, ...surplus]);
    super(avgPool3d, kernelSize, options);
  }
}

const LP_POOL: OptionTable<LPPoolOptions> = { stride: true, ceilMode: true };

type LPPool = (x: Tensor, normType: number, kernelSize: PerAxis, options?: LPPoolOptions) => Tensor;

abstract class LPPoolNd extends Module {
  readonly #pool: LPPool;

  constructor(
    pool: LPPool,
    readonly normType: number,
    readonly kernelSize: PerAxis,
    readonly options: LPPoolOptions,
  ) {
    super();
    checkOptions(new.target.name, options, LP_POOL);
    this.#pool = pool;
  }

  forward(x: Tensor): Tensor {
    return this.#pool(x, this.normType, this.kernelSize, this.options);
  }

  override extraRepr(): string {
    const { normType, kernelSize } = this;
    const { stride = null, ceilMode = false } = this.options;
    return repr({ normType, kernelSize, stride, ceilMode });
  }
}

/** Norm of each window of `[N, C, L]`. */
export class LPPool1d extends LPPoolNd {
  static readonly keepsNothing = true;

  constructor(
    normType: number,
    kernelSize: PerAxis,
    options: LPPoolOptions = {},
    ...surplus: never[]
  ) {
    checkArguments(new.target.name, '#normType, kernelSize, options', [
      normType,
      kernelSize,
      options,
      ...surplus,
    ]);
    super(lpPool1d, normType, kernelSize, options);
  }
}

/** Norm of each window of `[N, C, H, W]`. */
export class LPPool2d extends LPPoolNd {
  static readonly keepsNothing = true;

  constructor(
    normType: number,
    kernelSize: PerAxis,
    options: LPPoolOptions = {},
    ...surplus: never[]
  ) {
    checkArguments(new.target.name, '#normType, kernelSize, options', [
      normType,
      kernelSize,
      options,
      ...surplus,
    ]);
    super(lpPool2d, normType, kernelSize, options);
  }
}

abstract class AdaptivePool extends Module {
  constructor(
    readonly outputSize: AdaptiveSize,
    ...surplus: never[]
  ) {
    checkArguments(new.target.name, 'outputSize', [outputSize, ...surplus]);
    super();
  }

  override extraRepr(): string {
    return repr({ outputSize: this.outputSize });
  }
}

/** Means of windows that tile `[N, C, L]` into `outputSize` places. */
export class AdaptiveAvgPool1d extends AdaptivePool {
  static readonly keepsNothing = true;

  forward(x: Tensor): Tensor {
    return adaptiveAvgPool1d(x, this.outputSize);
  }
}

/** Means of windows that tile `[N, C, H, W]` into `outputSize` places; null keeps a size. */
export class AdaptiveAvgPool2d extends AdaptivePool {
  static readonly keepsNothing = true;

  forward(x: Tensor): Tensor {
    return adaptiveAvgPool2d(x, this.outputSize);
  }
}

/** Means of windows that tile `[N, C, D, H, W]` into `outputSize` places; null keeps a size. */
export class AdaptiveAvgPool3d extends AdaptivePool {
  static readonly keepsNothing = true;

  forward(x: Tensor): Tensor {
    return adaptiveAvgPool3d(x, this.outputSize);
  }
}

interface IndicesOption {
  /** Return `{ output, indices }`. */
  returnIndices?: boolean;
}

abstract class AdaptiveMaxPool<O extends IndicesOption> extends AdaptivePool {
  readonly #pool: (x: Tensor, outputSize: AdaptiveSize) => Maxima;

  constructor(
    pool: (x: Tensor, outputSize: AdaptiveSize) => Maxima,
    outputSize: AdaptiveSize,
    readonly options: O,
  ) {
    super(outputSize);
    checkOptions(new.target.name, options, ['returnIndices']);
    this.#pool = pool;
  }

  forward(x: Tensor): Pooled<O> {
    const found = this.#pool(x, this.outputSize);
    return (this.options.returnIndices ? found : found.output) as Pooled<O>;
  }
}

/** Maxima of windows that tile `[N, C, L]` into `outputSize` places. */
export class AdaptiveMaxPool1d<O extends IndicesOption = object> extends AdaptiveMaxPool<O> {
  static readonly keepsNothing = true;

  constructor(outputSize: AdaptiveSize, options: O = {} as O, ...surplus: never[]) {
    checkArguments(new.target.name, 'outputSize, options', [outputSize, options, ...surplus]);
    super(adaptiveMaxPool1dWithIndices, outputSize, options);
  }
}

/** Maxima of windows that tile `[N, C, H, W]` into `outputSize` places. */
export class AdaptiveMaxPool2d<O extends IndicesOption = object> extends AdaptiveMaxPool<O> {
  static readonly keepsNothing = true;

  constructor(outputSize: AdaptiveSize, options: O = {} as O, ...surplus: never[]) {
    checkArguments(new.target.name, 'outputSize, options', [outputSize, options, ...surplus]);
    super(adaptiveMaxPool2dWithIndices, outputSize, options);
  }
}

/** Maxima of windows that tile `[N, C, D, H, W]` into `outputSize` places. */
export class AdaptiveMaxPool3d<O extends IndicesOption = object> extends AdaptiveMaxPool<O> {
  static readonly keepsNothing = true;

  constructor(outputSize: AdaptiveSize, options: O = {} as O, ...surplus: never[]) {
    checkArguments(new.target.name, 'outputSize, options', [outputSize, options, ...surplus]);
    super(adaptiveMaxPool3dWithIndices, outputSize, options);
  }
}
