// Largest, smallest and middle elements, with their positions along a dim.

import { checkCall } from '../arguments.js';
import { defineOp, type Op } from '../autograd/op.js';
import { argumentError, shapeError } from '../errors.js';
import { kindOf } from '../tensor/dtype.js';
import { normalizeDim } from '../tensor/shape.js';
import { Tensor } from '../tensor/tensor.js';
import { maximum, minimum, where } from './binary.js';
import { cast } from './cast.js';
import { gather } from './indexing.js';
import { leading, requireKind } from './operands.js';
import { amax, amin, argmax, argmin, type KeepDim } from './reduce.js';
import { sort } from './sort.js';
import { reshape, squeeze } from './views.js';

const keep = { keepdim: true };

/** Values with their positions along the dimension (int64). */
export interface ValuesIndices {
  readonly values: Tensor;
  readonly indices: Tensor;
}

/** The element that `indices` names along `dim`; the gradient goes to it alone. */
function picked(x: Tensor, dim: number, indices: Tensor, options: KeepDim = {}): ValuesIndices {
  if (x.ndim === 0) return { values: x.clone(), indices };
  const values = gather(x, dim, indices);
  if (options.keepdim) return { values, indices };
  return { values: squeeze(values, dim), indices: squeeze(indices, dim) };
}

/** `value`, which occurs in x: the elements that equal it share the gradient, NaN with NaN. */
const sharedOp: Op<undefined> = defineOp({
  name: 'shared',
  forward: ([, value]) => value.clone(),
  saves: { inputs: [0], outputs: [0] },
  backward: ([g], context) => {
    if (g === null) return [null, null];
    const [x, y] = [context.input(0), context.output()];
    const among = x.eq(y).add(x.isnan().mul(y.isnan()));
    return [where(among, g.div(cast(among.sum(), g.dtype)), 0), null];
  },
});

const shared = (x: Tensor, value: Tensor) => sharedOp([x, value], undefined);

function requireElements(name: string, x: Tensor): void {
  if (x.numel === 0)
    throw argumentError(
      `${name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction ` +
        "dim with the 'dim' argument.",
    );
}

/** The largest element. Equal ones share the gradient; NaN wins. */
export function max(x: Tensor): Tensor;
/** The larger of each pair; see {@link maximum}. */
export function max(x: Tensor, other: Tensor): Tensor;
/** The largest element along `dim` and its position, the first of equal ones; NaN wins. */
export function max(x: Tensor, dim: number, options?: KeepDim): ValuesIndices;
export function max(x: Tensor, dim?: Tensor | number, options?: KeepDim): Tensor | ValuesIndices {
  checkCall('max', { x }, options, { keepdim: true });
  if (dim instanceof Tensor) return maximum(x, dim);
  if (dim !== undefined) return picked(x, dim, argmax(x, dim, { keepdim: true }), options);
  requireElements('max', x);
  return shared(x, amax(x.detach()));
}

/** The smallest element. Equal ones share the gradient; NaN wins. */
export function min(x: Tensor): Tensor;
/** The smaller of each pair; see {@link minimum}. */
export function min(x: Tensor, other: Tensor): Tensor;
/** The smallest element along `dim` and its position, the first of equal ones; NaN wins. */
export function min(x: Tensor, dim: number, options?: KeepDim): ValuesIndices;
export function min(x: Tensor, dim?: Tensor | number, options?: KeepDim): Tensor | ValuesIndices {
  checkCall('min', { x }, options, { keepdim: true });
  if (dim instanceof Tensor) return minimum(x, dim);
  if (dim !== undefined) return picked(x, dim, argmin(x, dim, { keepdim: true }), options);
  requireElements('min', x);
  return shared(x, amin(x.detach()));
}

/** Smallest and largest element over `dim` (of all when omitted); NaN wins. */
export function aminmax(
  x: Tensor,
  options: KeepDim & { dim?: number } = {},
): { min: Tensor; max: Tensor } {
  checkCall('aminmax', { x }, options, { dim: true, keepdim: true });
  const { dim, keepdim } = options;
  return { min: amin(x, dim, { keepdim }), max: amax(x, dim, { keepdim }) };
}

/** The `k`-th smallest element along `dim`, counted from 1, and its position; NaN comes last. */
export function kthvalue(
  x: Tensor,
  k: number,
  first?: number | KeepDim,
  more?: KeepDim,
): ValuesIndices {
  const [dim = -1, options] = leading('kthvalue', x, { keepdim: true }, first, more);
  const axis = normalizeDim(dim, x.ndim);
  const size = x.ndim === 0 ? 1 : x.shape[axis];
  if (!(Number.isInteger(k) && k >= 1 && k <= size))
    throw argumentError(`kthvalue(): selected number k out of range for dimension ${axis}`);
  const { indices } = sort(x, axis);
  return picked(x, axis, x.ndim === 0 ? indices : indices.narrow(axis, k - 1, 1), options);
}

const LEAST = { int64: -(2n ** 63n), int32: -(2 ** 31) } as const;

/** NaN, or what C makes of NaN in an integer on x86, as in PyTorch: the least one, or 0. */
function medianOfNothing(x: Tensor): Tensor {
  if (x.dtype === 'int64' || x.dtype === 'int32')
    return Tensor.filled([], LEAST[x.dtype], x.dtype, x.device);
  if (kindOf(x.dtype) === 'integer') return Tensor.filled([], 0, x.dtype, x.device);
  return Tensor.filled([], x.dtype === 'bool' ? 1 : Number.NaN, x.dtype, x.device);
}

type Middle = (x: Tensor, axis: number) => Tensor;

function middleElement(
  name: string,
  position: Middle,
  x: Tensor,
  dim?: number,
  options?: KeepDim,
): Tensor | ValuesIndices {
  if (dim === undefined && x.numel === 0) return medianOfNothing(x);
  requireKind(name, x.dtype, 'float', 'integer');
  if (dim === undefined) {
    const flat = reshape(x.detach(), x.numel);
    return shared(x, squeeze(gather(flat, 0, position(flat, 0))));
  }
  const axis = normalizeDim(dim, x.ndim);
  if (x.ndim === 0) return { values: x.clone(), indices: argmax(x, 0) };
  if (x.shape[axis] === 0)
    throw shapeError(`${name}(): Expected reduction dim ${axis} to have non-zero size.`);
  return picked(x, axis, position(x, axis), options);
}

/** Position of the lower median along `axis`, which it keeps; of the first NaN where there is one. */
const middle: Middle = (x, axis) => {
  const lower = sort(x, axis).indices.narrow(axis, Math.floor((x.shape[axis] - 1) / 2), 1);
  const nan = x.isnan();
  return where(nan.any(axis, keep), argmax(nan, axis, keep), lower);
};

/** Position of the lower median of the elements that are not NaN. */
const middleNumber: Middle = (x, axis) => {
  const count = x.isnan().logicalNot().sum(axis, keep);
  const at = count.sub(1).floorDivide(2).clamp({ min: 0 });
  return gather(sort(x, axis).indices, axis, at);
};

/** The middle element, the lower of two; NaN wins. Equal ones share the gradient. */
export function median(x: Tensor): Tensor;
/** The middle element along `dim`, the lower of two, and its position; NaN wins. */
export function median(x: Tensor, dim: number, options?: KeepDim): ValuesIndices;
export function median(x: Tensor, dim?: number, options?: KeepDim): Tensor | ValuesIndices {
  checkCall('median', { x }, options, { keepdim: true });
  return middleElement('median', middle, x, dim, options);
}

/** {@link median} of the elements that are not NaN. */
export function nanmedian(x: Tensor): Tensor;
export function nanmedian(x: Tensor, dim: number, options?: KeepDim): ValuesIndices;
export function nanmedian(x: Tensor, dim?: number, options?: KeepDim): Tensor | ValuesIndices {
  checkCall('nanmedian', { x }, options, { keepdim: true });
  return middleElement('nanmedian', middleNumber, x, dim, options);
}
