import { type MaxPoolOptions, maxPool1d, maxPool2d, maxPool3d, type Tensor } from '@voxgrad/core';
import { Module } from '../module.js';

type MaxPool = (
  x: Tensor,
  kernelSize: number | readonly number[],
  options?: MaxPoolOptions,
) => Tensor;

abstract class MaxPoolNd extends Module {
  readonly #pool: MaxPool;

  constructor(
    pool: MaxPool,
    readonly kernelSize: number | readonly number[],
    readonly options: MaxPoolOptions,
  ) {
    super();
    this.#pool = pool;
  }

  forward(x: Tensor): Tensor {
    return this.#pool(x, this.kernelSize, this.options);
  }

  override extraRepr(): string {
    const { stride = this.kernelSize, padding = 0, dilation = 1, ceilMode = false } = this.options;
    return `kernelSize=${this.kernelSize}, stride=${stride}, padding=${padding}, dilation=${dilation}, ceilMode=${ceilMode}`;
  }
}

/** Largest element of each window of `[N, C, L]`; the stride is the kernel size unless given. */
export class MaxPool1d extends MaxPoolNd {
  constructor(kernelSize: number | readonly number[], options: MaxPoolOptions = {}) {
    super(maxPool1d, kernelSize, options);
  }
}

/** Largest element of each window of `[N, C, H, W]`. */
export class MaxPool2d extends MaxPoolNd {
  constructor(kernelSize: number | readonly number[], options: MaxPoolOptions = {}) {
    super(maxPool2d, kernelSize, options);
  }
}

/** Largest element of each window of `[N, C, D, H, W]`. */
export class MaxPool3d extends MaxPoolNd {
  constructor(kernelSize: number | readonly number[], options: MaxPoolOptions = {}) {
    super(maxPool3d, kernelSize, options);
  }
}
