// The in-place forms that PyTorch has as functions. Unlike the option `inplace`, they are an error
// where the tape does not allow the write.

import type { Tensor } from '@voxgrad/core';
import { inPlace } from '../options.js';
import {
  type HardtanhOptions,
  hardtanh,
  type LeakyReluOptions,
  leakyRelu,
  type RReluOptions,
  relu,
  rrelu,
  threshold,
} from './piecewise.js';
import { celu, type EluOptions, elu, selu } from './smooth.js';

type Plain<O> = Omit<O, 'inplace'>;

/** {@link relu} into its input. */
export const relu_ = (x: Tensor): Tensor => inPlace('relu_', x, (v) => relu(v));
/** {@link selu} into its input. */
export const selu_ = (x: Tensor): Tensor => inPlace('selu_', x, (v) => selu(v));
/** {@link elu} into its input. */
export const elu_ = (x: Tensor, options?: number | Plain<EluOptions>): Tensor =>
  inPlace('elu_', x, (v) => elu(v, options));
/** {@link celu} into its input. */
export const celu_ = (x: Tensor, options?: number | Plain<EluOptions>): Tensor =>
  inPlace('celu_', x, (v) => celu(v, options));
/** {@link leakyRelu} into its input. */
export const leakyRelu_ = (x: Tensor, options?: number | Plain<LeakyReluOptions>): Tensor =>
  inPlace('leaky_relu_', x, (v) => leakyRelu(v, options));
/** {@link hardtanh} into its input. */
export const hardtanh_ = (x: Tensor, options?: Plain<HardtanhOptions>): Tensor =>
  inPlace('hardtanh_', x, (v) => hardtanh(v, options));
/** {@link rrelu} into its input. */
export const rrelu_ = (x: Tensor, options?: Plain<RReluOptions>): Tensor =>
  inPlace('rrelu_', x, (v) => rrelu(v, options));
/** {@link threshold} into its input. */
export const threshold_ = (x: Tensor, limit: number, value: number): Tensor =>
  inPlace('threshold_', x, (v) => threshold(v, limit, value));
