import { argumentError, dtypeError } from '../errors.js';
import { isFloat, torchName } from '../tensor/dtype.js';
import { sameShape } from '../tensor/shape.js';
import type { Tensor } from '../tensor/tensor.js';
import { bool, cast, double } from './cast.js';
import { commonDevice } from './operands.js';
import type { Dim, KeepDim } from './reduce.js';

// Truth of elements: everything but 0 counts as true; NaN too, as in PyTorch.

export const logicalNot = (x: Tensor): Tensor => bool(x).eq(false);
export const logicalAnd = (a: Tensor, b: Tensor): Tensor => bool(a).mul(bool(b));
export const logicalOr = (a: Tensor, b: Tensor): Tensor => bool(a).add(bool(b));
export const logicalXor = (a: Tensor, b: Tensor): Tensor => bool(a).ne(bool(b));

export const isnan = (x: Tensor): Tensor => x.ne(x);
export const isinf = (x: Tensor): Tensor => x.abs().eq(Number.POSITIVE_INFINITY);
export const isfinite = (x: Tensor): Tensor => x.abs().lt(Number.POSITIVE_INFINITY);

export const isposinf = (x: Tensor): Tensor => x.eq(Number.POSITIVE_INFINITY);
export const isneginf = (x: Tensor): Tensor => x.eq(Number.NEGATIVE_INFINITY);
/** Whether the sign bit is set: for −0 too. */
export const signbit = (x: Tensor): Tensor =>
  isFloat(x.dtype) ? bool(x.lt(0).add(x.eq(0).mul(x.reciprocal().lt(0)))) : x.lt(0);

/** PyTorch gives bool, and uint8 for uint8. */
const truth = (x: Tensor, y: Tensor) => (x.dtype === 'uint8' ? cast(y, 'uint8') : y);

/** Whether every element over `dim` (of all when omitted) is true. */
export const all = (x: Tensor, dim?: Dim | KeepDim, options?: KeepDim): Tensor =>
  truth(x, bool(x).eq(false).sum(dim, options).eq(0));
/** Whether any element over `dim` (of all when omitted) is true. */
export const any = (x: Tensor, dim?: Dim | KeepDim, options?: KeepDim): Tensor =>
  truth(x, bool(x).sum(dim, options).gt(0));

/** How many elements over `dim` are not 0, int64. */
export const countNonzero = (x: Tensor, dim?: Dim): Tensor => bool(x).sum(dim);

/** Whether each element occurs among those of `test`; with `invert`, whether it does not. */
export function isin(
  x: Tensor,
  test: Tensor,
  options: { invert?: boolean; assumeUnique?: boolean } = {},
): Tensor {
  const found = any(x.unsqueeze(-1).eq(test.reshape(test.numel)), -1);
  return options.invert ? logicalNot(found) : found;
}

export interface Closeness {
  rtol?: number;
  atol?: number;
  /** Whether NaN counts as equal to NaN. */
  equalNan?: boolean;
}

/** |a − b| ≤ atol + rtol·|b|, element by element; infinities are close to themselves only. */
export function isclose(a: Tensor, b: Tensor, options: Closeness = {}): Tensor {
  const { rtol = 1e-5, atol = 1e-8, equalNan = false } = options;
  if (a.dtype !== b.dtype)
    throw dtypeError(`${torchName(a.dtype)} did not match ${torchName(b.dtype)}`);
  if (!(rtol >= 0 && atol >= 0))
    throw argumentError(`isclose: tolerances must be at least 0, but got ${rtol} and ${atol}`);
  const [x, y] = isFloat(a.dtype) ? [a.detach(), b.detach()] : [double(a), double(b)];
  const same = equalNan ? logicalOr(x.eq(y), logicalAnd(isnan(x), isnan(y))) : x.eq(y);
  const distance = x.sub(y).abs();
  const near = distance.le(y.mul(rtol).abs().add(atol));
  return logicalOr(same, logicalAnd(isfinite(distance), near));
}

/** Whether all elements are close; see {@link isclose}. */
export const allclose = (a: Tensor, b: Tensor, options?: Closeness): boolean =>
  Boolean(all(isclose(a, b, options)).item());

/** Whether shapes and all elements are equal. */
export function equal(a: Tensor, b: Tensor): boolean {
  commonDevice('equal', [a, b]);
  return sameShape(a.shape, b.shape) && Boolean(all(a.eq(b)).item());
}
