// Activations built of exp, log and erf. Each is one operation with its slope: the rule of a product
// such as x·sigmoid(x) would multiply its factor 0 with a gradient that may be ∞. Where a formula
// would overflow, the side that is not taken gets a harmless argument.

import {
  argumentError,
  checkCall,
  defineOp,
  erf,
  onTensors,
  requireTensors,
  type Tensor,
  where,
} from '@voxgrad/core';
import { ELU, GELU, IN_PLACE, SOFTPLUS } from '../option-tables.js';
import { type InPlaceOptions, inPlaceIf, optionsOf } from '../options.js';

type Curve<O> = (x: Tensor, options: O) => Tensor;

/** The operation with these values, whose gradient is scaled by `slope`, itself differentiable. */
const curve = <O = undefined>(name: string, value: Curve<O>, slope: Curve<O>) =>
  defineOp<O>({
    name,
    forward: ([x], options) => value(x, options),
    saves: { inputs: [0] },
    backward: ([g], context) => [g?.mul(slope(context.input(0), context.options)) ?? null],
  });

/** Options of {@link elu} and {@link celu}. */
export interface EluOptions extends InPlaceOptions {
  alpha?: number;
}

interface Exponential {
  readonly alpha: number;
  readonly scale: number;
  readonly width: number;
}

/**
 * scale·(x where x > 0, else alpha·(exp(x / width) − 1)). At 0 the slope is that from the left and
 * the second derivative that from the right, 0 (PyTorch, elu_double_backward). NaN has the slope of
 * the line, as in PyTorch's scalar kernel; its vector kernel, for blocks of 8 float64, gives NaN.
 */
const exponentialUnitOp = curve<Exponential>(
  'elu',
  (x, { alpha, scale, width }) => {
    const negative = x.le(0);
    const low = where(negative, x, 0).div(width).expm1();
    return where(negative, low.mul(alpha * scale), x.mul(scale));
  },
  (x, { alpha, scale, width }) => {
    const low = where(x.lt(0), x, 0).div(width).exp();
    return where(x.le(0), low.mul((alpha * scale) / width), scale);
  },
);

const exponentialUnit = (x: Tensor, alpha: number, scale: number, width: number): Tensor =>
  exponentialUnitOp([x], { alpha, scale, width });

/** x where x > 0, else alpha·(eˣ − 1), alpha 1. */
export function elu(
  x: Tensor,
  options: number | EluOptions = {},
  more?: Omit<EluOptions, 'alpha'>,
): Tensor {
  requireTensors('elu', { x });
  const { alpha = 1, inplace } = optionsOf('elu', ELU, 'alpha', options, more);
  return inPlaceIf(inplace, 'elu_', x, (v) => exponentialUnit(v, alpha, 1, 1));
}

/** x where x > 0, else alpha·(exp(x / alpha) − 1): the ELU with a continuous derivative. */
export function celu(
  x: Tensor,
  options: number | EluOptions = {},
  more?: Omit<EluOptions, 'alpha'>,
): Tensor {
  requireTensors('celu', { x });
  const { alpha = 1, inplace } = optionsOf('celu', ELU, 'alpha', options, more);
  if (alpha === 0) throw argumentError('alpha cannot be 0 for CELU');
  return inPlaceIf(inplace, 'celu_', x, (v) => exponentialUnit(v, alpha, 1, alpha));
}

// The fixed point of mean 0 and variance 1: Klambauer et al. 2017, "Self-Normalizing Neural
// Networks", arXiv:1706.02515.
const SELU_ALPHA = 1.6732632423543772;
const SELU_SCALE = 1.0507009873554805;

/** scale·(x where x > 0, else alpha·(eˣ − 1)) with the constants that keep mean 0 and variance 1. */
export const selu = (x: Tensor, options: InPlaceOptions = {}): Tensor => {
  checkCall('selu', { x }, options, IN_PLACE);
  return inPlaceIf(options.inplace, 'selu_', x, (v) =>
    exponentialUnit(v, SELU_ALPHA, SELU_SCALE, 1),
  );
};

/** Options of {@link gelu}. */
export interface GeluOptions {
  /** 'none' for x·Φ(x), 'tanh' for the formula with tanh. */
  approximate?: 'none' | 'tanh';
}

const ROOT_TWO_PI = Math.sqrt(2 * Math.PI);
const normalCdf = (x: Tensor) => erf(x.mul(Math.SQRT1_2)).add(1).mul(0.5);
const normalDensity = (x: Tensor) => x.mul(x).mul(-0.5).exp().div(ROOT_TWO_PI);

const geluOp = curve(
  'gelu',
  (x) => x.mul(0.5).mul(erf(x.mul(Math.SQRT1_2)).add(1)),
  (x) => normalCdf(x).add(x.mul(normalDensity(x))),
);

const [TANH_SCALE, TANH_CUBIC] = [Math.SQRT2 * Math.sqrt(1 / Math.PI), 0.044715];
const tanhArgument = (x: Tensor) => x.add(x.mul(x).mul(x).mul(TANH_CUBIC)).mul(TANH_SCALE);

const tanhGeluOp = curve(
  'gelu',
  (x) => x.mul(0.5).mul(tanhArgument(x).tanh().add(1)),
  (x) => {
    const t = tanhArgument(x).tanh();
    const inner = x
      .mul(x)
      .mul(3 * TANH_CUBIC)
      .add(1)
      .mul(TANH_SCALE);
    const right = x.mul(0.5).mul(t.mul(t).neg().add(1)).mul(inner);
    return t.add(1).mul(0.5).add(right);
  },
);

/** x·Φ(x), Φ the normal distribution function (Hendrycks and Gimpel 2016, arXiv:1606.08415). */
export function gelu(x: Tensor, options: GeluOptions = {}): Tensor {
  checkCall('gelu', { x }, options, GELU);
  const { approximate = 'none' } = options;
  if (approximate === 'none') return geluOp([x], undefined);
  if (approximate !== 'tanh')
    throw argumentError('approximate argument must be either none or tanh.');
  return tanhGeluOp([x], undefined);
}

const siluOp = curve(
  'silu',
  (x) => x.mul(x.sigmoid()),
  (x) => {
    const s = x.sigmoid();
    return s.mul(x.mul(s.neg().add(1)).add(1));
  },
);

/** x·sigmoid(x) */
export const silu = (x: Tensor, options: InPlaceOptions = {}): Tensor => {
  checkCall('silu', { x }, options, IN_PLACE);
  return inPlaceIf(options.inplace, 'silu_', x, (v) => siluOp([v], undefined));
};

const mishOp = curve(
  'mish',
  (x) => x.mul(softplus(x).tanh()),
  (x) => {
    const t = softplus(x).tanh();
    return t.add(x.mul(x.sigmoid()).mul(t.mul(t).neg().add(1)));
  },
);

/** x·tanh(softplus(x)) */
export const mish = (x: Tensor, options: InPlaceOptions = {}): Tensor => {
  checkCall('mish', { x }, options, IN_PLACE);
  return inPlaceIf(options.inplace, 'mish_', x, (v) => mishOp([v], undefined));
};

/** x − tanh(x) */
export const tanhshrink = onTensors('tanhshrink', ['x'], (x: Tensor): Tensor => x.sub(x.tanh()));

/** x / (1 + |x|) */
export const softsign = onTensors('softsign', ['x'], (x: Tensor): Tensor => x.div(x.abs().add(1)));

/** Options of {@link softplus}. */
export interface SoftplusOptions {
  beta?: number;
  /** Where beta·x is larger, the result is x itself. */
  threshold?: number;
}

/** At the threshold itself the slope is the curve's and the second derivative 0, as in PyTorch. */
const softplusOp = curve<{ readonly beta: number; readonly threshold: number }>(
  'softplus',
  (x, { beta, threshold }) => {
    const scaled = x.mul(beta);
    const straight = scaled.gt(threshold);
    return where(straight, x, where(straight, 0, scaled).exp().log1p().div(beta));
  },
  (x, { beta, threshold }) => {
    const scaled = x.mul(beta);
    return where(scaled.gt(threshold), 1, where(scaled.ge(threshold), threshold, scaled).sigmoid());
  },
);

/** log(1 + exp(beta·x)) / beta, a smooth ReLU. */
export function softplus(
  x: Tensor,
  options: number | SoftplusOptions = {},
  more?: Omit<SoftplusOptions, 'beta'>,
): Tensor {
  requireTensors('softplus', { x });
  const { beta = 1, threshold = 20 } = optionsOf('softplus', SOFTPLUS, 'beta', options, more);
  return softplusOp([x], { beta, threshold });
}

const logsigmoidOp = curve(
  'logsigmoid',
  (x) => {
    const negative = x.lt(0);
    const low = where(negative, x, 0);
    const high = where(negative, 0, x);
    return where(negative, low.sub(low.exp().log1p()), high.neg().exp().log1p().neg());
  },
  (x) => x.neg().sigmoid(),
);

/** log(sigmoid(x)), exact at both ends. */
export const logsigmoid = onTensors(
  'logsigmoid',
  ['x'],
  (x: Tensor): Tensor => logsigmoidOp([x], undefined),
);
