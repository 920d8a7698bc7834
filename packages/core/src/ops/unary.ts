// One row per function: its name and its derivative, from the input x or the output y.

import { checkCall, onTensors } from '../arguments.js';
import { isGradEnabled } from '../autograd/mode.js';
import { erfinv32 } from '../cpu/erfinv32.js';
import { withCurves } from '../cpu/rare-curves.js';
// PyTorch's own algorithm, so that what is drawn through it has PyTorch's bits.
import { erfinv as erfinv64 } from '../random/libm/erfinv.js';
import { checkedResult } from '../strategies/checked-result.js';
import { isUncontested, select } from '../strategies/registry.js';
import { RELU_BACKWARD, type ReluBackwardStrategy } from '../strategies/relu-backward.js';
import { runStrategy } from '../strategies/run.js';
import { Tensor } from '../tensor/tensor.js';
import { where } from './binary.js';
import { requireKind, toFloat, zeroOf } from './operands.js';
import { slopeSign } from './slope-sign.js';
import { anyDtype, type Rule, real, type Unary } from './unary-rule.js';

export type { Unary };

// Piecewise constant: 0 almost everywhere, and 0 itself rather than 0·g, which an infinite g makes NaN.
const zero: Rule = (g) => zeroOf(g);

export const neg: Unary = anyDtype('neg', 'nothing', (g) => g.neg());
export const abs: Unary = anyDtype('abs', 'input', (g, x) => g.mul(slopeSign(x)));
export const sign: Unary = anyDtype('sign', 'nothing', zero);
/** g where the output is above 0 or NaN. Its derivative in y is 0. */
function reluSlope(g: Tensor, y: Tensor): Tensor {
  // What is recorded has derivatives of its own.
  if (isGradEnabled()) return where(y.le(0), 0, g);
  const { device, shape } = y;
  if (!isUncontested(RELU_BACKWARD)) return chosenReluSlope(g, y);
  const fused = device.kernels.reluBackward;
  if (!fused) return where(y.le(0), 0, g);
  return new Tensor({ device, shape, storage: fused(g, y) });
}

function chosenReluSlope(gradOutput: Tensor, output: Tensor): Tensor {
  const { device, shape, dtype } = output;
  const call = { output: shape, dtype };
  const strategy = select<ReluBackwardStrategy>(RELU_BACKWARD, call, device);
  const tensors = { gradOutput, output };
  const got = runStrategy(strategy, call, tensors, [true, false, false]);
  return checkedResult(strategy, 'gradient', got, { shape, dtype, device });
}

export const relu: Unary = anyDtype('relu', 'output', reluSlope);
export const floor: Unary = anyDtype('floor', 'nothing', zero);
export const ceil: Unary = anyDtype('ceil', 'nothing', zero);
const roundWhole: Unary = anyDtype('round', 'nothing', zero);
export const trunc: Unary = anyDtype('trunc', 'nothing', zero);

export const exp: Unary = real('exp', 'output', (g, y) => g.mul(y));
export const expm1: Unary = real('expm1', 'output', (g, y) => g.mul(y.add(1)));
export const log: Unary = real('log', 'input', (g, x) => g.div(x));
export const log1p: Unary = real('log1p', 'input', (g, x) => g.div(x.add(1)));
export const sqrt: Unary = real('sqrt', 'output', (g, y) => g.div(y.mul(2)));
export const rsqrt: Unary = real('rsqrt', 'output', (g, y) => g.mul(y.pow(3)).mul(-0.5));
export const reciprocal: Unary = real('reciprocal', 'output', (g, y) => g.mul(y.mul(y)).neg());
export const sin: Unary = real('sin', 'input', (g, x) => g.mul(x.cos()));
export const cos: Unary = real('cos', 'input', (g, x) => g.mul(x.sin()).neg());
export const tan: Unary = real('tan', 'output', (g, y) => g.mul(y.mul(y).add(1)));
export const tanh: Unary = real('tanh', 'output', (g, y) => g.mul(y.mul(y).neg().add(1)));
export const sigmoid: Unary = real('sigmoid', 'output', (g, y) => g.mul(y.mul(y.neg().add(1))));

/** To the nearest whole number, halves to even; or to so many decimals (tens where negative). */
export function round(x: Tensor, options: { decimals?: number } = {}): Tensor {
  checkCall('round', { x }, options, { decimals: true });
  const { decimals = 0 } = options;
  if (decimals === 0) return roundWhole(x);
  requireKind('round', x.dtype, 'float');
  const unit = 10 ** Math.abs(decimals);
  return decimals > 0 ? roundWhole(x.mul(unit)).div(unit) : roundWhole(x.div(unit)).mul(unit);
}

const negatedSquare = (x: Tensor) => x.mul(x).neg();

export const asin: Unary = real('asin', 'input', (g, x) => g.mul(negatedSquare(x).add(1).rsqrt()));
export const acos: Unary = real('acos', 'input', (g, x) =>
  g.mul(negatedSquare(x).add(1).rsqrt()).neg(),
);
export const atan: Unary = real('atan', 'input', (g, x) => g.div(x.mul(x).add(1)));
export const sinh: Unary = real('sinh', 'input', (g, x) => g.mul(cosh(x)));
export const cosh: Unary = real('cosh', 'input', (g, x) => g.mul(sinh(x)));
export const asinh: Unary = real('asinh', 'input', (g, x) => g.mul(x.mul(x).add(1).rsqrt()));
export const acosh: Unary = real('acosh', 'input', (g, x) => g.mul(x.mul(x).sub(1).rsqrt()));
export const atanh: Unary = real('atanh', 'input', (g, x) => g.div(negatedSquare(x).add(1)));
export const exp2: Unary = real('exp2', 'output', (g, y) => g.mul(y).mul(Math.LN2));
export const log2: Unary = real('log2', 'input', (g, x) => g.div(x.mul(Math.LN2)));
export const log10: Unary = real('log10', 'input', (g, x) => g.div(x.mul(Math.LN10)));

const TWO_BY_ROOT_PI = 2 / Math.sqrt(Math.PI);

export const erf: Unary = real('erf', 'input', (g, x) =>
  g.mul(negatedSquare(x).exp().mul(TWO_BY_ROOT_PI)),
);
/** 1 − erf(x), without cancellation for large x. */
export const erfc: Unary = real('erfc', 'input', (g, x) =>
  g.mul(negatedSquare(x).exp().mul(-TWO_BY_ROOT_PI)),
);
export const erfinv: Unary = withCurves(
  { erfinv: erfinv64, erfinv32 },
  real('erfinv', 'output', (g, y) => g.mul(y.mul(y).exp().div(TWO_BY_ROOT_PI))),
);

/** ln |Γ(x)| */

export const deg2rad: Unary = onTensors('deg2rad', ['input'], (x: Tensor) =>
  toFloat(x).mul(Math.PI / 180),
);
export const rad2deg: Unary = onTensors('rad2deg', ['input'], (x: Tensor) =>
  toFloat(x).mul(180 / Math.PI),
);

/** x², with the derivative of a product. */
export const square: Unary = onTensors('square', ['input'], (x: Tensor) => x.pow(2));
