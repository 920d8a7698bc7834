import { checkCall, onTensors, requireTensors } from '../arguments.js';
import { argumentError, dtypeError } from '../errors.js';
import type { OptionTable } from '../options.js';
import { isFloat, torchName } from '../tensor/dtype.js';
import { sameShape } from '../tensor/shape.js';
import type { Tensor } from '../tensor/tensor.js';
import { bool, cast, double } from './cast.js';
import { commonDevice, leading } from './operands.js';
import type { Dim, KeepDim } from './reduce.js';

// Truth of elements: everything but 0 counts as true; NaN too, as in PyTorch.

/** Where x is zero: bool. */
export const logicalNot = onTensors('logicalNot', ['x'], (x: Tensor): Tensor => bool(x).eq(false));
/** Where a and b are both not zero: bool, with broadcasting. */
export const logicalAnd = onTensors(
  'logicalAnd',
  ['a', 'b'],
  (a: Tensor, b: Tensor): Tensor => bool(a).mul(bool(b)),
);
/** Where a or b is not zero: bool, with broadcasting. */
export const logicalOr = onTensors(
  'logicalOr',
  ['a', 'b'],
  (a: Tensor, b: Tensor): Tensor => bool(a).add(bool(b)),
);
/** Where exactly one of a and b is not zero: bool, with broadcasting. */
export const logicalXor = onTensors(
  'logicalXor',
  ['a', 'b'],
  (a: Tensor, b: Tensor): Tensor => bool(a).ne(bool(b)),
);

/** Where x is NaN: bool. */
export const isnan = onTensors('isnan', ['x'], (x: Tensor): Tensor => x.ne(x));
/** Where x is infinite, of either sign: bool. */
export const isinf = onTensors(
  'isinf',
  ['x'],
  (x: Tensor): Tensor => x.abs().eq(Number.POSITIVE_INFINITY),
);
/** Where x is neither infinite nor NaN: bool. */
export const isfinite = onTensors(
  'isfinite',
  ['x'],
  (x: Tensor): Tensor => x.abs().lt(Number.POSITIVE_INFINITY),
);

/** Where x is Infinity: bool. */
export const isposinf = onTensors(
  'isposinf',
  ['x'],
  (x: Tensor): Tensor => x.eq(Number.POSITIVE_INFINITY),
);
/** Where x is −Infinity: bool. */
export const isneginf = onTensors(
  'isneginf',
  ['x'],
  (x: Tensor): Tensor => x.eq(Number.NEGATIVE_INFINITY),
);
/** Whether the sign bit is set: for −0 too. */
export const signbit = onTensors(
  'signbit',
  ['x'],
  (x: Tensor): Tensor =>
    isFloat(x.dtype) ? bool(x.lt(0).add(x.eq(0).mul(x.reciprocal().lt(0)))) : x.lt(0),
);

/** PyTorch gives bool, and uint8 for uint8. */
const truth = (x: Tensor, y: Tensor) => (x.dtype === 'uint8' ? cast(y, 'uint8') : y);

/** Whether every element over `dim` (of all when omitted) is true. */
export function all(x: Tensor, dim?: Dim | KeepDim, more?: KeepDim): Tensor {
  const [over, options] = leading('all', x, { keepdim: true }, dim, more);
  return truth(x, bool(x).eq(false).sum(over, options).eq(0));
}
/** Whether any element over `dim` (of all when omitted) is true. */
export function any(x: Tensor, dim?: Dim | KeepDim, more?: KeepDim): Tensor {
  const [over, options] = leading('any', x, { keepdim: true }, dim, more);
  return truth(x, bool(x).sum(over, options).gt(0));
}

/** How many elements over `dim` are not 0, int64. */
export const countNonzero = onTensors(
  'countNonzero',
  ['x'],
  (x: Tensor, dim?: Dim): Tensor => bool(x).sum(dim),
);

/** Whether each element occurs among those of `test`; with `invert`, whether it does not. */
export function isin(
  x: Tensor,
  test: Tensor,
  options: { invert?: boolean; assumeUnique?: boolean } = {},
): Tensor {
  checkCall('isin', { x, test }, options, { invert: true, assumeUnique: true });
  const found = any(x.unsqueeze(-1).eq(test.reshape(test.numel)), -1);
  return options.invert ? logicalNot(found) : found;
}

/** How near is close: |a − b| ≤ atol + rtol·|b|. */
export interface Closeness {
  rtol?: number;
  atol?: number;
  /** Whether NaN counts as equal to NaN. */
  equalNan?: boolean;
}

const CLOSENESS_OPTIONS: OptionTable<Closeness> = { rtol: true, atol: true, equalNan: true };

/** |a − b| ≤ atol + rtol·|b|, element by element; infinities are close to themselves only. */
export function isclose(a: Tensor, b: Tensor, options: Closeness = {}): Tensor {
  checkCall('isclose', { a, b }, options, CLOSENESS_OPTIONS);
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
export function allclose(a: Tensor, b: Tensor, options?: Closeness): boolean {
  checkCall('allclose', { a, b }, options, CLOSENESS_OPTIONS);
  return Boolean(all(isclose(a, b, options)).item());
}

/** Whether shapes and all elements are equal. */
export function equal(a: Tensor, b: Tensor): boolean {
  requireTensors('equal', { a, b });
  commonDevice('equal', [a, b]);
  return sameShape(a.shape, b.shape) && Boolean(all(a.eq(b)).item());
}
