// In-place forms: the out-of-place result is written into the tensor, which then takes over its
// place on the tape. `Tensor.replaceWith` refuses what PyTorch refuses, and what would go wrong.

import { isGradEnabled } from '../autograd/mode.js';
import { defineOp } from '../autograd/op.js';
import { dtypeError } from '../errors.js';
import { fillBernoulli, fillNormal, fillUniform } from '../random/fill.js';
import { defaultGenerator, type Generator } from '../random/generator.js';
import { kindOf } from '../tensor/dtype.js';
import { Storage } from '../tensor/storage.js';
import { Tensor } from '../tensor/tensor.js';
import { add, clamp, div, mul, sub } from './binary.js';
import { cast, clone } from './cast.js';
import type { TensorOrScalar } from './operands.js';
import { relu } from './unary.js';
import { expand } from './views.js';

const KIND_ORDER = { bool: 0, integer: 1, float: 2 };

/** A result of a higher kind (float into an integer tensor) is refused, not truncated. */
function intoPlace(x: Tensor, result: Tensor, operation: string): Tensor {
  if (KIND_ORDER[kindOf(result.dtype)] > KIND_ORDER[kindOf(x.dtype)])
    throw dtypeError(
      `result type ${result.dtype} can't be cast to the desired output type ${x.dtype} (${operation})`,
    );
  return x.replaceWith(cast(result, x.dtype), operation);
}

/** `x` as a rule that saves it needs it: what is about to be overwritten is copied. */
function original(x: Tensor, other: TensorOrScalar): Tensor {
  const recorded = x.requiresGrad || (other instanceof Tensor && other.requiresGrad);
  return isGradEnabled() && recorded ? clone(x) : x;
}

export const add_ = (x: Tensor, other: TensorOrScalar, options?: { alpha?: number }): Tensor =>
  intoPlace(x, add(x, other, options), 'add_');
export const sub_ = (x: Tensor, other: TensorOrScalar, options?: { alpha?: number }): Tensor =>
  intoPlace(x, sub(x, other, options), 'sub_');
export const mul_ = (x: Tensor, other: TensorOrScalar): Tensor =>
  intoPlace(x, mul(original(x, other), other), 'mul_');
export const div_ = (x: Tensor, other: TensorOrScalar): Tensor =>
  intoPlace(x, div(original(x, other), other), 'div_');
export const relu_ = (x: Tensor): Tensor => intoPlace(x, relu(x), 'relu_');
export const clamp_ = (x: Tensor, bounds: { min?: number; max?: number }): Tensor =>
  intoPlace(x, clamp(x, bounds), 'clamp_');

/** `value` in the place of `x`, whose own gradient is then zero. */
const overwriteOp = defineOp({
  name: 'overwrite',
  forward: ([, value]) => value.alias(),
  backward: ([g]) => [g && Tensor.filled(g.shape, 0, g.dtype, g.device), g],
});

const overwrite = (x: Tensor, value: Tensor, operation: string): Tensor =>
  x.replaceWith(overwriteOp([x, value], undefined), operation);

/** Every element becomes `value`. */
export const fill_ = (x: Tensor, value: number): Tensor =>
  overwrite(x, Tensor.filled(x.shape, value, x.dtype, x.device), 'fill_');
export const zero_ = (x: Tensor): Tensor => fill_(x, 0);

/** Elements of `source`, broadcast and converted; it may be on another device. */
export const copy_ = (x: Tensor, source: Tensor): Tensor =>
  overwrite(x, expand(cast(source.to(x.device), x.dtype), x.shape), 'copy_');

type RandomFill = (
  out: Float32Array<ArrayBuffer> | Float64Array<ArrayBuffer>,
  dtype: 'float32' | 'float64',
  generator: Generator,
) => void;

/** Draws in the tensor's row-major order, whatever its strides, and writes once all are drawn. */
function refill(x: Tensor, operation: string, fill: RandomFill, generator?: Generator): Tensor {
  if (x.dtype !== 'float32' && x.dtype !== 'float64')
    throw dtypeError(`${operation}(): expected float32 or float64, but got ${x.dtype}`);
  const out = x.dtype === 'float32' ? new Float32Array(x.numel) : new Float64Array(x.numel);
  fill(out, x.dtype, generator ?? defaultGenerator());
  const drawn = new Tensor({
    device: x.device,
    shape: x.shape,
    storage: new Storage(x.dtype, out),
  });
  return overwrite(x, drawn, operation);
}

export interface InPlaceRandomOptions {
  generator?: Generator;
}

/** Uniform on [from, to). */
export const uniform_ = (x: Tensor, from = 0, to = 1, options: InPlaceRandomOptions = {}): Tensor =>
  refill(x, 'uniform_', (out, dtype, g) => fillUniform(out, dtype, from, to, g), options.generator);

/** Normal with `mean` and standard deviation `std`. */
export const normal_ = (x: Tensor, mean = 0, std = 1, options: InPlaceRandomOptions = {}): Tensor =>
  refill(x, 'normal_', (out, dtype, g) => fillNormal(out, dtype, mean, std, g), options.generator);

/** 1 with probability `p`, else 0. */
export const bernoulli_ = (x: Tensor, p = 0.5, options: InPlaceRandomOptions = {}): Tensor =>
  refill(x, 'bernoulli_', (out, _dtype, g) => fillBernoulli(out, p, g), options.generator);
