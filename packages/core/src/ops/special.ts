// Functions with poles, kinks or overflow that a plain composition would step into: each with the
// values that PyTorch gives there.

import { checkCall, onTensors, requireTensors } from '../arguments.js';
import { defineOp, type Op } from '../autograd/op.js';
import { dtypeError } from '../errors.js';
import { checkOptions } from '../options.js';
import { isFloat, resultType } from '../tensor/dtype.js';
import { finfo } from '../tensor/limits.js';
import { Tensor } from '../tensor/tensor.js';
import { where } from './binary.js';
import { type Binary, defineBinary, withRealValues } from './binary-rule.js';
import { cast } from './cast.js';
import { clamp } from './clamp.js';
import { isinf, isnan } from './logical.js';
import { broadcastOperands, checkOperand, requireKind, toFloat, zeroOf } from './operands.js';
import { sign, type Unary } from './unary.js';

// ---- one argument ----

/** The sign: for real numbers the same as {@link sign}. */
export const sgn: Unary = sign;

/** x itself. */
export function positive(x: Tensor): Tensor {
  requireTensors('positive', { x });
  if (x.dtype === 'bool') throw dtypeError('The `+` operator, on a bool tensor is not supported.');
  return x;
}

/** x − trunc(x), with the sign of x. */
export function frac(x: Tensor): Tensor {
  requireTensors('frac', { x });
  requireKind('frac', x.dtype, 'float');
  return x.sub(x.trunc());
}

const factorial = (n: number): number => (n < 2 ? 1 : n * factorial(n - 1));

/** The derivative of sin a / a, divided by a, in powers of a²: (−1)ᵏ 2k / (2k + 1)!. */
const SINC_SERIES = Array.from({ length: 10 }, (_, i) => {
  const k = i + 1;
  return ((-1) ** k * 2 * k) / factorial(2 * k + 1);
});

const sincOp: Op<undefined> = defineOp({
  name: 'sinc',
  forward: ([x]) => {
    const angle = x.mul(Math.PI);
    return where(x.eq(0), 1, angle.sin().div(angle));
  },
  saves: { inputs: [0] },
  backward: ([g], context) => {
    if (g === null) return [null];
    // π (a cos a − sin a) / a² with a = πx; near 0, where that cancels, its series in a².
    const x = context.input(0);
    const angle = x.mul(Math.PI);
    const isSmall = angle.abs().lt(1);
    const [near, far] = [where(isSmall, angle, 0), where(isSmall, 1, angle)];
    const square = near.mul(near);
    const series = SINC_SERIES.reduceRight<Tensor>(
      (sum, term) => sum.mul(square).add(term),
      zeroOf(square),
    );
    const slope = far.mul(far.cos()).sub(far.sin()).div(far.mul(far));
    return [g.mul(where(isSmall, near.mul(series), slope).mul(Math.PI))];
  },
});

/** sin(πx) / πx; 1 at 0. */
export const sinc: Unary = onTensors('sinc', ['input'], (x: Tensor) =>
  sincOp([toFloat(x)], undefined),
);

const logitOp: Op<undefined> = defineOp({
  name: 'logit',
  forward: ([x]) => x.div(x.neg().add(1)).log(),
  saves: { inputs: [0] },
  backward: ([g], context) => {
    if (g === null) return [null];
    const x = context.input(0);
    const inside = x.ge(0).mul(x.le(1));
    return [g.div(where(inside, x.mul(x.neg().add(1)).abs(), Number.NaN))]; // abs for −0
  },
});

/** log(x / (1 − x)); with `eps`, of x limited to [eps, 1 − eps]. */
export function logit(x: Tensor, options?: number | null | { eps?: number | null }): Tensor {
  requireTensors('logit', { x });
  const given = options ?? undefined;
  if (typeof given !== 'number') checkOptions('logit', given, { eps: 'nullable' });
  const eps = typeof given === 'object' ? given.eps : given;
  const real = toFloat(x);
  const open = eps === undefined || eps === null || eps < 0;
  return logitOp([open ? real : clamp(real, eps, 1 - eps)], undefined);
}

/** NaN, inf and −inf replaced: by 0 and the largest numbers of the dtype unless given. */
export function nanToNum(
  x: Tensor,
  options: { nan?: number; posinf?: number; neginf?: number } = {},
): Tensor {
  checkCall('nanToNum', { x }, options, { nan: true, posinf: true, neginf: true });
  if (!isFloat(x.dtype)) return x.clone(); // no integer is infinite
  const largest = finfo(x.dtype).max;
  const { nan = 0, posinf = largest, neginf = -largest } = options;
  const finite = where(x.eq(Number.POSITIVE_INFINITY), posinf, where(isnan(x), nan, x));
  return where(x.eq(Number.NEGATIVE_INFINITY), neginf, finite);
}

// ---- two arguments ----

/** x·2ᵇ */
export const ldexp: Binary = (x, b) => {
  requireTensors('ldexp', { x });
  checkOperand('ldexp', b);
  return x.mul(b instanceof Tensor ? toFloat(b).exp2() : 2 ** Number(b));
};

const hypotOp: Binary = defineBinary(
  'hypot',
  (g, a, b) => {
    const y = hypotOp(a, b);
    return [g.mul(a.div(y)), g.mul(b.div(y))];
  },
  'inputs',
);

const floatsOnly =
  (name: string, f: Binary): Binary =>
  (a, b) => {
    requireKind(name, resultType(checkOperand(name, a), checkOperand(name, b)), 'float');
    return f(a, b);
  };

/** √(a² + b²) without overflow. */
export const hypot: Binary = floatsOnly('hypot', hypotOp);

/** max(a, b) + log₁₊(base^−|a − b|); the weights of the gradient are a softmax of the two. */
function logAdd(name: string, base: number): Binary {
  const log = Math.log(base);
  const op = defineOp({
    name,
    forward: ([a, b]) => {
      const gap = a.sub(b).abs().neg().mul(log).exp().log1p().div(log);
      return where(isinf(a).mul(a.eq(b)), a, a.maximum(b).add(gap));
    },
    saves: { inputs: [0, 1] },
    backward: ([g], context) => {
      if (g === null) return [null, null];
      const difference = context.input(0).sub(context.input(1)).mul(log);
      return [g.mul(difference.sigmoid()), g.mul(difference.neg().sigmoid())];
    },
  });
  return floatsOnly(name, (a, b) => op(broadcastOperands(name, [a, b]), undefined));
}

/** log(eᵃ + eᵇ) */
export const logaddexp: Binary = logAdd('logaddexp', Math.E);
/** log₂(2ᵃ + 2ᵇ) */
export const logaddexp2: Binary = logAdd('logaddexp2', 2);

const xlogyOp: Op<undefined> = defineOp({
  name: 'xlogy',
  forward: ([x, y]) => where(x.eq(0).mul(isnan(y).eq(false)), 0, x.mul(y.log())),
  saves: { inputs: [0, 1] },
  backward: ([g], context) => {
    if (g === null) return [null, null];
    const [x, y] = [context.input(0), context.input(1)];
    return [
      context.needs[0] ? where(x.eq(0).mul(y.le(0)), 0, xlogy(g, y)) : null,
      context.needs[1] ? g.mul(x).div(y) : null,
    ];
  },
});

/** x·log(y), 0 where x is 0. */
export const xlogy: Binary = withRealValues('xlogy', (x, y) =>
  xlogyOp(broadcastOperands('xlogy', [x, y]), undefined),
);

/** 0 below 0, 1 above, `values` at 0 (whose gradient is the only one). */
export function heaviside(x: Tensor, values: Tensor): Tensor {
  requireTensors('heaviside', { x, values });
  if (x.dtype !== values.dtype)
    throw dtypeError('heaviside is not yet implemented for tensors with different dtypes.');
  return where(x.eq(0), values, cast(x.gt(0), x.dtype));
}
