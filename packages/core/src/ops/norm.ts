// Norms of the elements as one vector, and the distances made of them.

import { onTensors, requireTensors } from '../arguments.js';
import { defineOp, type Op } from '../autograd/op.js';
import { argumentError, dtypeError, shapeError } from '../errors.js';
import { checkOptions } from '../options.js';
import { isFloat, torchName } from '../tensor/dtype.js';
import { describe, formatShape, normalizeDim, normalizeDims } from '../tensor/shape.js';
import type { Tensor } from '../tensor/tensor.js';
import { where } from './binary.js';
import { cast } from './cast.js';
import { isnan } from './logical.js';
import { leading, zeroOf } from './operands.js';
import { amax, amin, type Dim, type SumOptions, sum } from './reduce.js';
import { slopeSign } from './slope-sign.js';
import { squeeze, unsqueeze } from './views.js';

interface NormOf {
  readonly p: number;
  readonly axes: readonly number[];
}

const keep = { keepdim: true };

/** Σ|x|ᵖ to the power 1/p, with the reduced axes kept. */
function value(x: Tensor, { p, axes }: NormOf): Tensor {
  const size = x.abs();
  switch (p) {
    case 0:
      return cast(sum(x.ne(0), axes, keep), x.dtype);
    case 1:
      return sum(size, axes, keep);
    case 2:
      return sum(x.mul(x), axes, keep).sqrt();
    case Infinity:
      return x.numel === 0 ? sum(size, axes, keep) : amax(size, axes, keep);
    case -Infinity:
      return x.numel === 0 ? sum(size, axes, keep) : amin(size, axes, keep);
    default:
      return sum(size.pow(p), axes, keep).pow(1 / p);
  }
}

/**
 * Where the derivative does not exist it is 0, as in PyTorch: at 0, and of 0 norms. The second
 * derivative is NaN there, which is what PyTorch's norm_backward gives too.
 */
const normOp: Op<NormOf> = defineOp<NormOf>({
  name: 'norm',
  forward: ([x], options) => value(x, options),
  saves: { inputs: [0], outputs: [0] },
  backward: ([g], context) => {
    if (g === null) return [null];
    const { p, axes } = context.options;
    const [x, y] = [context.input(0), context.output()];
    if (p === 0) return [zeroOf(x)];
    if (p === 1) return [g.mul(slopeSign(x))];
    // Filled after the division: 0/0 then stays NaN in the derivative of this, which 0 does not have.
    const known = (factor: Tensor) => factor.maskedFill(y.eq(0), 0);
    if (p === 2) return [g.mul(known(x.div(y)))];
    if (Math.abs(p) === Infinity) {
      const extreme = cast(
        x
          .abs()
          .eq(y)
          .add(isnan(x).mul(isnan(y))),
        g.dtype,
      );
      return [
        g
          .div(sum(extreme, axes, keep))
          .mul(extreme)
          .mul(slopeSign(x)),
      ];
    }
    // sign(x)·|x|^(p − 1) / y^(p − 1), arranged so that no power has a pole at 0 that it need not
    const size = x.abs();
    if (p < 1) {
      const power = size.pow(p - 1).maskedFill(x.eq(0), 0);
      return [
        slopeSign(x)
          .mul(power)
          .mul(g)
          .mul(y.pow(1 - p)),
      ];
    }
    const factor = known(g.div(y.pow(p - 1)));
    return [(p < 2 ? slopeSign(x).mul(size.pow(p - 1)) : x.mul(size.pow(p - 2))).mul(factor)];
  },
});

/**
 * (Σ|x|ᵖ)^(1/p) over `dim` (of all elements when omitted). p is 2 by default ('fro' is 2 too), 0
 * counts the elements that are not 0, ±Infinity takes the extreme.
 */
export function norm(
  input: Tensor,
  p: number | 'fro' | null = 2,
  first?: Dim | SumOptions,
  more?: SumOptions,
): Tensor {
  const [dim, options = {}] = leading('norm', input, { dtype: true, keepdim: true }, first, more);
  const dtype = options.dtype ?? input.dtype;
  if (!isFloat(dtype))
    throw dtypeError(
      `norm(): input dtype should be either floating point or complex. Got ${torchName(dtype)} instead.`,
    );
  if (typeof p !== 'number' && p !== 'fro' && p !== null)
    throw argumentError(
      `norm(): expected a number or 'fro' for p, which comes before dim and options, but got ${describe(p)}`,
    );
  const x = cast(input, dtype);
  const axes = normalizeDims(dim, x.ndim);
  const y = normOp([x], { p: typeof p === 'number' ? p : 2, axes });
  return options.keepdim || axes.length === 0 ? y : squeeze(y, axes);
}

function powerOf(operation: string, p: number | { p?: number }): number {
  if (typeof p === 'number') return p;
  checkOptions(operation, p, { p: true });
  return p.p ?? 2;
}

/** The p-norm of a − b, which broadcast. */
export const dist = onTensors(
  'dist',
  ['a', 'b'],
  (a: Tensor, b: Tensor, p: number | { p?: number } = 2): Tensor =>
    norm(a.sub(b), powerOf('dist', p)),
);

/** A distance of 0 passes nothing back, not even an infinite gradient (PyTorch's cdist). */
const distanceOp: Op<undefined> = defineOp({
  name: 'cdist',
  forward: ([y]) => y,
  saves: { outputs: [0] },
  backward: ([g], context) => [g && where(context.output().eq(0), 0, g)],
});

/** p-norm distances of all rows: `[…, P, M]` and `[…, R, M]` give `[…, P, R]`. */
export function cdist(a: Tensor, b: Tensor, p: number | { p?: number } = 2): Tensor {
  requireTensors('cdist', { a, b });
  if (a.ndim < 2 || b.ndim < 2 || a.shape[a.ndim - 1] !== b.shape[b.ndim - 1])
    throw shapeError(
      'cdist: expected two tensors of rows of one length, but got shapes ' +
        `${formatShape(a.shape)} and ${formatShape(b.shape)}`,
    );
  return distanceOp(
    [norm(unsqueeze(a, -2).sub(unsqueeze(b, -3)), powerOf('cdist', p), -1)],
    undefined,
  );
}

/** The slices of `x` along `dim`, scaled down to a p-norm of `maxnorm` where theirs is larger. */
export function renorm(x: Tensor, p: number, dim: number, maxnorm: number): Tensor {
  requireTensors('renorm', { x });
  if (!(p > 0)) throw argumentError('renorm: non-positive-norm not supported');
  if (x.ndim < 2)
    throw shapeError(`renorm: input needs at least 2 dimensions, got ${x.ndim} dimensions`);
  if (!(maxnorm >= 0))
    throw argumentError(`renorm: expected maxnorm to be >= 0 but got ${maxnorm}`);
  const axis = normalizeDim(dim, x.ndim);
  const others = x.shape.flatMap((_, d) => (d === axis ? [] : [d]));
  const size = norm(x, p, others, keep);
  // PyTorch's 1e-7 against a norm of 0.
  return x.mul(where(size.gt(maxnorm), size.add(1e-7).reciprocal().mul(maxnorm), 1));
}
