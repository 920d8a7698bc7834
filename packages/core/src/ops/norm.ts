// Norms of the elements as one vector, and the distances made of them.

import { defineOp, type Op } from '../autograd/op.js';
import { argumentError, dtypeError, shapeError } from '../errors.js';
import { isFloat, torchName } from '../tensor/dtype.js';
import { formatShape, normalizeDims } from '../tensor/shape.js';
import type { Tensor } from '../tensor/tensor.js';
import { where } from './binary.js';
import { cast } from './cast.js';
import { leading, zeroOf } from './operands.js';
import { amax, amin, type Dim, type SumOptions, sum } from './reduce.js';
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

/** Where the derivative does not exist it is 0, as in PyTorch: at 0, and of 0 norms. */
const normOp: Op<NormOf> = defineOp<NormOf>({
  name: 'norm',
  forward: ([x], options) => value(x, options),
  saves: { inputs: [0], outputs: [0] },
  backward: ([g], context) => {
    if (g === null) return [null];
    const { p, axes } = context.options;
    const [x, y] = [context.input(0), context.output()];
    const inverse = (z: Tensor) => where(z.eq(0), Number.POSITIVE_INFINITY, z);
    if (p === 0) return [zeroOf(x)];
    if (p === 1) return [g.mul(x.sign())];
    if (p === 2) return [g.div(inverse(y)).mul(x)];
    if (Math.abs(p) === Infinity) {
      const extreme = cast(x.abs().eq(y), g.dtype);
      return [
        g
          .div(sum(extreme, axes, keep))
          .mul(extreme)
          .mul(x.sign()),
      ];
    }
    // sign(x) · (|x| / y)^(p − 1), of a quotient so that large powers do not overflow
    const ratio = where(x.eq(0), 1, x.abs()).div(inverse(y));
    return [g.mul(where(x.eq(0), 0, ratio.pow(p - 1))).mul(x.sign())];
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
  const [dim, options = {}] = leading(first, more);
  const dtype = options.dtype ?? input.dtype;
  if (!isFloat(dtype))
    throw dtypeError(
      `norm(): input dtype should be either floating point or complex. Got ${torchName(dtype)} instead.`,
    );
  if (typeof p === 'string' && p !== 'fro')
    throw argumentError(`norm(): expected a number or 'fro' for p, but got '${p}'`);
  const x = cast(input, dtype);
  const axes = normalizeDims(dim, x.ndim);
  const y = normOp([x], { p: typeof p === 'number' ? p : 2, axes });
  return options.keepdim || axes.length === 0 ? y : squeeze(y, axes);
}

const powerOf = (p: number | { p?: number }) => (typeof p === 'number' ? p : (p.p ?? 2));

/** The p-norm of a − b, which broadcast. */
export const dist = (a: Tensor, b: Tensor, p: number | { p?: number } = 2): Tensor =>
  norm(a.sub(b), powerOf(p));

/** p-norm distances of all rows: `[…, P, M]` and `[…, R, M]` give `[…, P, R]`. */
export function cdist(a: Tensor, b: Tensor, p: number | { p?: number } = 2): Tensor {
  if (a.ndim < 2 || b.ndim < 2 || a.shape[a.ndim - 1] !== b.shape[b.ndim - 1])
    throw shapeError(
      'cdist: expected two tensors of rows of one length, but got shapes ' +
        `${formatShape(a.shape)} and ${formatShape(b.shape)}`,
    );
  return norm(unsqueeze(a, -2).sub(unsqueeze(b, -3)), powerOf(p), -1);
}
