// Activations built of exp, log and erf. Where a formula would overflow, the side that is not
// taken gets a harmless argument, so that no derivative multiplies 0 with ∞.

import { argumentError, erf, type Tensor, where } from '@voxgrad/core';
import { type InPlaceOptions, inPlaceIf, optionsOf } from '../options.js';

export interface EluOptions extends InPlaceOptions {
  alpha?: number;
}

/** scale·(x where x > 0, else alpha·(exp(x / width) − 1)) */
function exponentialUnit(x: Tensor, alpha: number, scale: number, width: number): Tensor {
  const negative = x.le(0);
  const low = where(negative, x, 0);
  const curve = low
    .div(width)
    .expm1()
    .mul(alpha * scale);
  return where(negative, curve, x.mul(scale));
}

/** x where x > 0, else alpha·(eˣ − 1), alpha 1. */
export function elu(x: Tensor, options: number | EluOptions = {}): Tensor {
  const { alpha = 1, inplace } = optionsOf(options, 'alpha');
  return inPlaceIf(inplace, 'elu_', x, (v) => exponentialUnit(v, alpha, 1, 1));
}

/** x where x > 0, else alpha·(exp(x / alpha) − 1): the ELU with a continuous derivative. */
export function celu(x: Tensor, options: number | EluOptions = {}): Tensor {
  const { alpha = 1, inplace } = optionsOf(options, 'alpha');
  if (alpha === 0) throw argumentError('alpha cannot be 0 for CELU');
  return inPlaceIf(inplace, 'celu_', x, (v) => exponentialUnit(v, alpha, 1, alpha));
}

// The fixed point of mean 0 and variance 1: Klambauer et al. 2017, "Self-Normalizing Neural
// Networks", arXiv:1706.02515.
const SELU_ALPHA = 1.6732632423543772;
const SELU_SCALE = 1.0507009873554805;

/** scale·(x where x > 0, else alpha·(eˣ − 1)) with the constants that keep mean 0 and variance 1. */
export const selu = (x: Tensor, options: InPlaceOptions = {}): Tensor =>
  inPlaceIf(options.inplace, 'selu_', x, (v) => exponentialUnit(v, SELU_ALPHA, SELU_SCALE, 1));

export interface GeluOptions {
  /** 'none' for x·Φ(x), 'tanh' for the formula with tanh. */
  approximate?: 'none' | 'tanh';
}

/** x·Φ(x), Φ the normal distribution function (Hendrycks and Gimpel 2016, arXiv:1606.08415). */
export function gelu(x: Tensor, options: GeluOptions = {}): Tensor {
  const { approximate = 'none' } = options;
  if (approximate === 'none') return x.mul(0.5).mul(erf(x.mul(Math.SQRT1_2)).add(1));
  if (approximate !== 'tanh')
    throw argumentError('approximate argument must be either none or tanh.');
  const inner = x.add(x.mul(x).mul(x).mul(0.044715)).mul(Math.SQRT2 * Math.sqrt(1 / Math.PI));
  return x.mul(0.5).mul(inner.tanh().add(1));
}

/** x·sigmoid(x) */
export const silu = (x: Tensor, options: InPlaceOptions = {}): Tensor =>
  inPlaceIf(options.inplace, 'silu_', x, (v) => v.mul(v.sigmoid()));

/** x·tanh(softplus(x)) */
export const mish = (x: Tensor, options: InPlaceOptions = {}): Tensor =>
  inPlaceIf(options.inplace, 'mish_', x, (v) => v.mul(softplus(v).tanh()));

/** x − tanh(x) */
export const tanhshrink = (x: Tensor): Tensor => x.sub(x.tanh());

/** x / (1 + |x|) */
export const softsign = (x: Tensor): Tensor => x.div(x.abs().add(1));

export interface SoftplusOptions {
  beta?: number;
  /** Where beta·x is larger, the result is x itself. */
  threshold?: number;
}

/** log(1 + exp(beta·x)) / beta, a smooth ReLU. */
export function softplus(x: Tensor, options: number | SoftplusOptions = {}): Tensor {
  const { beta = 1, threshold = 20 } = optionsOf(options, 'beta');
  const scaled = x.mul(beta);
  const straight = scaled.gt(threshold);
  return where(straight, x, where(straight, 0, scaled).exp().log1p().div(beta));
}

/** log(sigmoid(x)), exact at both ends. */
export function logsigmoid(x: Tensor): Tensor {
  const negative = x.lt(0);
  const low = where(negative, x, 0);
  const high = where(negative, 0, x);
  return where(negative, low.sub(low.exp().log1p()), high.neg().exp().log1p().neg());
}
