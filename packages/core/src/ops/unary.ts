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

/** −x, element by element. */
export const neg: Unary = anyDtype('neg', 'nothing', (g) => g.neg());
/** |x|, element by element; its derivative at 0 is 0. */
export const abs: Unary = anyDtype('abs', 'input', (g, x) => g.mul(slopeSign(x)));
/** −1, 0 or 1 by the sign of each element; its derivative is 0. */
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

/** max(x, 0), element by element; NaN stays, and the derivative at 0 is 0. */
export const relu: Unary = anyDtype('relu', 'output', reluSlope);
/** The largest whole number that is not above each element; its derivative is 0. */
export const floor: Unary = anyDtype('floor', 'nothing', zero);
/** The smallest whole number that is not below each element; its derivative is 0. */
export const ceil: Unary = anyDtype('ceil', 'nothing', zero);
const roundWhole: Unary = anyDtype('round', 'nothing', zero);
/** Each element without its fraction; its derivative is 0. */
export const trunc: Unary = anyDtype('trunc', 'nothing', zero);

/** eˣ, element by element. */
export const exp: Unary = real('exp', 'output', (g, y) => g.mul(y));
/** eˣ − 1, exact where x is near 0. */
export const expm1: Unary = real('expm1', 'output', (g, y) => g.mul(y.add(1)));
/** Natural logarithm: −Infinity at 0, NaN below. */
export const log: Unary = real('log', 'input', (g, x) => g.div(x));
/** ln(1 + x), exact where x is near 0. */
export const log1p: Unary = real('log1p', 'input', (g, x) => g.div(x.add(1)));
/** Square root; NaN below 0. */
export const sqrt: Unary = real('sqrt', 'output', (g, y) => g.div(y.mul(2)));
/** 1 / √x, element by element. */
export const rsqrt: Unary = real('rsqrt', 'output', (g, y) => g.mul(y.pow(3)).mul(-0.5));
/** 1 / x, element by element. */
export const reciprocal: Unary = real('reciprocal', 'output', (g, y) => g.mul(y.mul(y)).neg());
/** Sine of angles in radians. */
export const sin: Unary = real('sin', 'input', (g, x) => g.mul(x.cos()));
/** Cosine of angles in radians. */
export const cos: Unary = real('cos', 'input', (g, x) => g.mul(x.sin()).neg());
/** Tangent of angles in radians. */
export const tan: Unary = real('tan', 'output', (g, y) => g.mul(y.mul(y).add(1)));
/** Hyperbolic tangent, element by element. */
export const tanh: Unary = real('tanh', 'output', (g, y) => g.mul(y.mul(y).neg().add(1)));
/** 1 / (1 + e⁻ˣ), element by element. */
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

/** Inverse sine in radians, from −π/2 to π/2; NaN outside of [−1, 1]. */
export const asin: Unary = real('asin', 'input', (g, x) => g.mul(negatedSquare(x).add(1).rsqrt()));
/** Inverse cosine in radians, from 0 to π; NaN outside of [−1, 1]. */
export const acos: Unary = real('acos', 'input', (g, x) =>
  g.mul(negatedSquare(x).add(1).rsqrt()).neg(),
);
/** Inverse tangent in radians, from −π/2 to π/2. */
export const atan: Unary = real('atan', 'input', (g, x) => g.div(x.mul(x).add(1)));
/** Hyperbolic sine, element by element. */
export const sinh: Unary = real('sinh', 'input', (g, x) => g.mul(cosh(x)));
/** Hyperbolic cosine, element by element. */
export const cosh: Unary = real('cosh', 'input', (g, x) => g.mul(sinh(x)));
/** Inverse hyperbolic sine, element by element. */
export const asinh: Unary = real('asinh', 'input', (g, x) => g.mul(x.mul(x).add(1).rsqrt()));
/** Inverse hyperbolic cosine; NaN below 1. */
export const acosh: Unary = real('acosh', 'input', (g, x) => g.mul(x.mul(x).sub(1).rsqrt()));
/** Inverse hyperbolic tangent; NaN outside of [−1, 1]. */
export const atanh: Unary = real('atanh', 'input', (g, x) => g.div(negatedSquare(x).add(1)));
/** 2ˣ, element by element. */
export const exp2: Unary = real('exp2', 'output', (g, y) => g.mul(y).mul(Math.LN2));
/** Logarithm to the base 2. */
export const log2: Unary = real('log2', 'input', (g, x) => g.div(x.mul(Math.LN2)));
/** Logarithm to the base 10. */
export const log10: Unary = real('log10', 'input', (g, x) => g.div(x.mul(Math.LN10)));

const TWO_BY_ROOT_PI = 2 / Math.sqrt(Math.PI);

/** The error function 2/√π · ∫₀ˣ e^(−t²) dt. */
export const erf: Unary = real('erf', 'input', (g, x) =>
  g.mul(negatedSquare(x).exp().mul(TWO_BY_ROOT_PI)),
);
/** 1 − erf(x), without cancellation for large x. */
export const erfc: Unary = real('erfc', 'input', (g, x) =>
  g.mul(negatedSquare(x).exp().mul(-TWO_BY_ROOT_PI)),
);
/** The inverse of {@link erf}; infinite at ±1, NaN beyond. */
export const erfinv: Unary = withCurves(
  { erfinv: erfinv64, erfinv32 },
  real('erfinv', 'output', (g, y) => g.mul(y.mul(y).exp().div(TWO_BY_ROOT_PI))),
);

/** ln |Γ(x)| */

export const deg2rad: Unary = onTensors('deg2rad', ['input'], (x: Tensor) =>
  toFloat(x).mul(Math.PI / 180),
);
/** Radians as degrees. */
export const rad2deg: Unary = onTensors('rad2deg', ['input'], (x: Tensor) =>
  toFloat(x).mul(180 / Math.PI),
);

/** x², with the derivative of a product. */
export const square: Unary = onTensors('square', ['input'], (x: Tensor) => x.pow(2));
