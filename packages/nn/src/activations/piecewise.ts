// Activations that are straight lines between kinks. At a kink the gradient is PyTorch's: which
// comparison includes it is part of each definition.

import {
  argumentError,
  checkCall,
  defaultGenerator,
  defineOp,
  fromHost,
  relu as plainRelu,
  requireTensors,
  shapeError,
  type Tensor,
  where,
} from '@voxgrad/core';
import { HARDTANH, IN_PLACE, LEAKY_RELU, RRELU, SHRINK } from '../option-tables.js';
import { type InPlaceOptions, inPlaceIf, optionsOf } from '../options.js';

/** max(x, 0) */
export const relu = (x: Tensor, options: InPlaceOptions = {}): Tensor => {
  checkCall('relu', { x }, options, IN_PLACE);
  return inPlaceIf(options.inplace, 'relu_', x, plainRelu);
};

/** Options of {@link leakyRelu}. */
export interface LeakyReluOptions extends InPlaceOptions {
  negativeSlope?: number;
}

/** x where x > 0, else negativeSlope·x (0.01). */
export function leakyRelu(
  x: Tensor,
  options: number | LeakyReluOptions = {},
  more?: Omit<LeakyReluOptions, 'negativeSlope'>,
): Tensor {
  requireTensors('leakyRelu', { x });
  const { negativeSlope = 0.01, inplace } = optionsOf(
    'leakyRelu',
    LEAKY_RELU,
    'negativeSlope',
    options,
    more,
  );
  return inPlaceIf(inplace, 'leaky_relu_', x, (v) => where(v.gt(0), v, v.mul(negativeSlope)));
}

/** x where x > 0, else w·x. `weight` has one element, or one per channel (dim 1). */
export function prelu(x: Tensor, weight: Tensor): Tensor {
  requireTensors('prelu', { x, weight });
  if (weight.numel !== 1) {
    if (x.ndim === 0) throw shapeError('Not allow zero-dim input tensor.');
    const channels = x.ndim > 1 ? x.shape[1] : 1;
    if (channels !== weight.numel)
      throw shapeError(
        `Mismatch of parameter numbers and input channel size. Found parameter numbers = ${weight.numel} and channel size = ${channels}.`,
      );
  }
  const along = x.shape.map((_, axis) => (axis === 1 ? -1 : 1));
  const slope = weight.reshape(weight.numel === 1 ? [] : along);
  // The weight must not see what it does not scale, which may be ∞.
  return where(x.gt(0), x, slope.mul(where(x.gt(0), 0, x)));
}

/** Options of {@link rrelu}. */
export interface RReluOptions extends InPlaceOptions {
  lower?: number;
  upper?: number;
  training?: boolean;
}

/**
 * x where x > 0, else a·x: in training `a` is drawn from U(lower, upper) for each element that is
 * not positive, in order; otherwise it is their mean.
 */
export function rrelu(x: Tensor, options: RReluOptions = {}): Tensor {
  checkCall('rrelu', { x }, options, RRELU);
  const { lower = 1 / 8, upper = 1 / 3, training = false, inplace } = options;
  if (lower > upper)
    throw argumentError('Lower bound should be less than or equal to the upper bound');
  if (!training) return leakyRelu(x, { negativeSlope: (lower + upper) / 2, inplace });
  return inPlaceIf(inplace, 'rrelu_', x, (v) => v.mul(drawnSlopes(v, lower, upper)));
}

function drawnSlopes(x: Tensor, lower: number, upper: number): Tensor {
  const generator = defaultGenerator();
  const slopes = Float64Array.from(x.to('float64').dataSync() as Float64Array, (value) =>
    value <= 0 ? generator.uniform64() * (upper - lower) + lower : 1,
  );
  return fromHost(slopes, 'float64', x.shape, { device: x.device }).to(x.dtype);
}

/** Options of {@link hardtanh}. */
export interface HardtanhOptions extends InPlaceOptions {
  minVal?: number;
  maxVal?: number;
}

/** x limited to [minVal, maxVal] ([−1, 1]); unlike `clamp`, no gradient passes at the bounds. */
export function hardtanh(x: Tensor, options: HardtanhOptions = {}): Tensor {
  checkCall('hardtanh', { x }, options, HARDTANH);
  const { minVal = -1, maxVal = 1, inplace } = options;
  return inPlaceIf(inplace, 'hardtanh_', x, (v) =>
    where(v.le(minVal), minVal, where(v.ge(maxVal), maxVal, v)),
  );
}

/** min(max(x, 0), 6) */
export const relu6 = (x: Tensor, options: InPlaceOptions = {}): Tensor => {
  checkCall('relu6', { x }, options, IN_PLACE);
  return hardtanh(x, { minVal: 0, maxVal: 6, inplace: options.inplace });
};

/** relu6(x + 3) / 6 */
export const hardsigmoid = (x: Tensor, options: InPlaceOptions = {}): Tensor => {
  checkCall('hardsigmoid', { x }, options, IN_PLACE);
  return inPlaceIf(options.inplace, 'hardsigmoid_', x, (v) => {
    const y = relu6(v.add(3)).div(6);
    return where(v.gt(-3).logicalAnd(v.lt(3)), y, y.detach());
  });
};

// At 3 the slope is that of the curve, 1.5; at ±3 the second derivative is 0 [PyTorch].
const hardswishOp = defineOp({
  name: 'hardswish',
  forward: ([x]) => {
    const near = x.clamp({ min: -3, max: 3 });
    return where(x.lt(-3), x.mul(0), where(x.le(3), near.mul(near.add(3)).div(6), x));
  },
  saves: { inputs: [0] },
  backward: ([g], context) => {
    if (g === null) return [null];
    const x = context.input(0);
    const inside = where(x.abs().lt(3), x, x.detach().clamp({ min: -3, max: 3 }));
    return [where(x.lt(-3), 0, where(x.le(3), g.mul(inside.div(3).add(0.5)), g))];
  },
});

/** x·relu6(x + 3) / 6 */
export const hardswish = (x: Tensor, options: InPlaceOptions = {}): Tensor => {
  checkCall('hardswish', { x }, options, IN_PLACE);
  return inPlaceIf(options.inplace, 'hardswish_', x, (v) => hardswishOp([v], undefined));
};

/** x where x > threshold, else value. */
export function threshold(
  x: Tensor,
  limit: number,
  value: number,
  options: InPlaceOptions = {},
): Tensor {
  checkCall('threshold', { x }, options, IN_PLACE);
  return inPlaceIf(options.inplace, 'threshold_', x, (v) => where(v.le(limit), value, v));
}

/** Options of {@link hardshrink} and {@link softshrink}. */
export interface ShrinkOptions {
  /** Half the width of the band around 0 that becomes 0 (0.5). */
  lambd?: number;
}

/** x outside [−lambd, lambd], else 0. */
export function hardshrink(x: Tensor, options: number | ShrinkOptions = {}): Tensor {
  requireTensors('hardshrink', { x });
  const { lambd = 0.5 } = optionsOf('hardshrink', SHRINK, 'lambd', options);
  return where(x.abs().le(lambd), 0, x);
}

// PyTorch's forward makes 0 of NaN, and its derivative counts NaN as outside.
const softshrinkOp = defineOp<number>({
  name: 'softshrink',
  forward: ([x], lambd) => where(x.gt(lambd), x.sub(lambd), where(x.lt(-lambd), x.add(lambd), 0)),
  saves: { inputs: [0] },
  backward: ([g], context) => [g && where(context.input(0).abs().le(context.options), 0, g)],
});

/** x drawn towards 0 by lambd, to 0 within [−lambd, lambd]. */
export function softshrink(x: Tensor, options: number | ShrinkOptions = {}): Tensor {
  requireTensors('softshrink', { x });
  const { lambd = 0.5 } = optionsOf('softshrink', SHRINK, 'lambd', options);
  if (lambd < 0)
    throw argumentError(`lambda must be greater or equal to 0, but found to be ${lambd}.`);
  return softshrinkOp([x], lambd);
}
