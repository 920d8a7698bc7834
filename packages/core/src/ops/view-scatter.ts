// What a view would show, replaced, out of place: a view of the positions says where that is.

import { checkCall, requireTensors } from '../arguments.js';
import { argumentError, shapeError } from '../errors.js';
import { arange } from '../tensor/create.js';
import { formatShape, numelOf, sameShape } from '../tensor/shape.js';
import type { Tensor } from '../tensor/tensor.js';
import { cast } from './cast.js';
import { diag, diagonal } from './diagonal.js';
import type { Scalar } from './operands.js';
import { scatter } from './scatter.js';
import { narrow, reshape, select, slice } from './views.js';

/** `x` with `source` where `view` looks. */
function replaceView(
  operation: string,
  x: Tensor,
  source: Tensor,
  view: (positions: Tensor) => Tensor,
): Tensor {
  requireTensors(operation, { x, source });
  const at = view(reshape(arange(x.numel, { device: x.device }), x.shape));
  if (!sameShape(at.shape, source.shape))
    throw shapeError(
      `expected src to have a size equal to the slice of self. src size = ${formatShape(source.shape)}, ` +
        `slice size = ${formatShape(at.shape)} (${operation})`,
    );
  const values = reshape(cast(source, x.dtype), source.numel);
  return reshape(scatter(reshape(x, x.numel), 0, reshape(at, at.numel), values), x.shape);
}

/** `x` with `source` in place of {@link slice}(x, dim, start, end, step). */
export const sliceScatter = (
  x: Tensor,
  source: Tensor,
  dim = 0,
  start?: number,
  end?: number,
  step?: number,
): Tensor => replaceView('slice_scatter', x, source, (at) => slice(at, dim, start, end, step));

/** `x` with `source` in place of {@link select}(x, dim, index). */
export const selectScatter = (x: Tensor, source: Tensor, dim: number, index: number): Tensor =>
  replaceView('select_scatter', x, source, (at) => select(at, dim, index));

/** `x` with `source` in place of {@link diagonal}(x, offset, dim1, dim2). */
export const diagonalScatter = (
  x: Tensor,
  source: Tensor,
  offset = 0,
  dim1 = 0,
  dim2 = 1,
): Tensor => replaceView('diagonal_scatter', x, source, (at) => diagonal(at, offset, dim1, dim2));

/** `x` with `value` on its main diagonal; with `wrap`, on those of a tall matrix after it. */
export function fillDiagonal(x: Tensor, value: Scalar, options: { wrap?: boolean } = {}): Tensor {
  checkCall('fillDiagonal_', { x }, options, { wrap: true });
  const [first, ...rest] = x.shape;
  if (x.ndim < 2) throw argumentError('dimensions must larger than 1');
  if (x.ndim > 2 && rest.some((size) => size !== first))
    throw argumentError('all dimensions of input must be of equal length');
  const step = rest.reduceRight((sum, _, d) => sum + numelOf(rest.slice(d)), 1);
  const end = options.wrap && x.ndim === 2 ? x.numel : Math.min(...x.shape) * step;
  const at = arange(0, Math.min(end, x.numel), step, { device: x.device });
  return reshape(scatter(reshape(x, x.numel), 0, at, value), x.shape);
}

/** A matrix with the elements of `x`, in row-major order, on a diagonal. */
export const diagflat = (x: Tensor, offset = 0): Tensor => diag(reshape(x, -1), offset);

/** A copy of {@link narrow}. */
export const narrowCopy = (x: Tensor, dim: number, start: number, length: number): Tensor =>
  narrow(x, dim, start, length).clone();
