// A 1-d index over one dim, and lists of indices over the leading dims (`x[i, j] = values`).

import { checkCall, requireTensorList, requireTensors } from '../arguments.js';
import { argumentError, dtypeError, shapeError } from '../errors.js';
import { broadcastShapes, formatShape, normalizeDim, numelOf } from '../tensor/shape.js';
import { Tensor } from '../tensor/tensor.js';
import { where } from './binary.js';
import { cast } from './cast.js';
import { gather, indexSelect } from './indexing.js';
import { nonzero } from './masked.js';
import { type Scalar, scalarTensor } from './operands.js';
import { scatter, scatterAdd, scatterReduce } from './scatter.js';
import { expand, reshape } from './views.js';

/** Positions below 0 count from the end. */
const fromStart = (index: Tensor, size: number): Tensor =>
  where(index.lt(0), index.add(size), index);

function requireIndex(operation: string, index: Tensor): void {
  if (index.dtype !== 'int64')
    throw dtypeError(`${operation}(): Expected dtype int64 for index, but got ${index.dtype}`);
}

interface Rows {
  /** At least one dim. */
  readonly x: Tensor;
  readonly axis: number;
  /** The index, repeated over the other dims. */
  readonly index: Tensor;
}

function rowsOf(operation: string, x: Tensor, dim: number, index: Tensor): Rows {
  requireIndex(operation, index);
  if (index.ndim > 1)
    throw shapeError(
      `${operation}(): Index is supposed to be a vector, but got dim: ${index.ndim}`,
    );
  const axis = normalizeDim(dim, x.ndim);
  const whole = x.ndim === 0 ? reshape(x, 1) : x;
  const column = whole.shape.map((_, d) => (d === axis ? index.numel : 1));
  const full = whole.shape.map((size, d) => (d === axis ? index.numel : size));
  return { x: whole, axis, index: expand(reshape(index, column), full) };
}

function checkSource(operation: string, { index, axis }: Rows, source: Tensor): Tensor {
  const rows = source.ndim === 0 ? reshape(source, 1) : source;
  if (rows.ndim === index.ndim && rows.shape[axis] !== index.shape[axis])
    throw shapeError(
      `${operation}(): Number of indices (${index.shape[axis]}) should be equal to source.size(dim): ` +
        `(${rows.shape[axis]}), for dim: ${axis}`,
    );
  if (formatShape(rows.shape) !== formatShape(index.shape))
    throw shapeError(
      `${operation}(): source of shape ${formatShape(source.shape)} must have shape ${formatShape(index.shape)}`,
    );
  return rows;
}

/** `x` with alpha times the slices of `source` along `dim` added to those that `index` names. */
export function indexAdd(
  x: Tensor,
  dim: number,
  index: Tensor,
  source: Tensor,
  options: { alpha?: number } = {},
): Tensor {
  checkCall('indexAdd', { x, index, source }, options, { alpha: true });
  const rows = rowsOf('index_add', x, dim, index.dtype === 'int32' ? cast(index, 'int64') : index);
  const terms = checkSource('index_add', rows, source);
  const { alpha = 1 } = options;
  const scaled = alpha === 1 ? terms : terms.mul(alpha);
  return reshape(scatterAdd(rows.x, rows.axis, rows.index, scaled), x.shape);
}

/** `x` with the slices of `source` along `dim` in place of those that `index` names. */
export function indexCopy(x: Tensor, dim: number, index: Tensor, source: Tensor): Tensor {
  requireTensors('indexCopy', { x, index, source });
  const rows = rowsOf('index_copy', x, dim, index);
  const values = checkSource('index_copy', rows, source);
  return reshape(scatter(rows.x, rows.axis, rows.index, values), x.shape);
}

/** `x` with `value` (a number or a 0-d tensor) in the slices along `dim` that `index` names. */
export function indexFill(x: Tensor, dim: number, index: Tensor, value: Tensor | Scalar): Tensor {
  requireTensors('indexFill', { x, index });
  const rows = rowsOf('index_fill', x, dim, index);
  const at = fromStart(rows.index, rows.x.shape[rows.axis]);
  if (!(value instanceof Tensor)) return reshape(scatter(rows.x, rows.axis, at, value), x.shape);
  if (value.ndim > 0)
    throw shapeError(
      `index_fill only supports a 0-dimensional value tensor, but got tensor with ${value.ndim} dimension(s).`,
    );
  const values = expand(cast(value, x.dtype), at.shape);
  return reshape(scatter(rows.x, rows.axis, at, values), x.shape);
}

/** The elements at `index` (int64, below 0 from the end) of `x` flattened, in the shape of `index`. */
export function take(x: Tensor, index: Tensor): Tensor {
  requireTensors('take', { x, index });
  requireIndex('take', index);
  const flat = fromStart(reshape(index, index.numel), x.numel);
  return reshape(gather(reshape(x, x.numel), 0, flat), index.shape);
}

/**
 * `x` with the elements of `source`, in order, at `index` of `x` flattened (int64, below 0 from the
 * end), or added there with `accumulate`.
 */
export function put(
  x: Tensor,
  index: Tensor,
  source: Tensor,
  options: { accumulate?: boolean } = {},
): Tensor {
  requireTensors('put', { x, index, source });
  requireIndex('put_', index);
  if (index.numel !== source.numel)
    throw shapeError(
      'put_(): Expected source and index to have the same number of elements, but got source.numel() = ' +
        `${source.numel}, index.numel() = ${index.numel}`,
    );
  const flat = fromStart(reshape(index, index.numel), x.numel);
  const write = options.accumulate ? scatterAdd : scatter;
  return reshape(write(reshape(x, x.numel), 0, flat, reshape(source, source.numel)), x.shape);
}

/**
 * `x` with the slices of `source` along `dim` reduced into those that `index` names, together with
 * what is there unless `includeSelf` is false.
 */
export function indexReduce(
  x: Tensor,
  dim: number,
  index: Tensor,
  source: Tensor,
  reduce: 'prod' | 'mean' | 'amax' | 'amin',
  options: { includeSelf?: boolean } = {},
): Tensor {
  requireTensors('indexReduce', { x, index, source });
  const rows = rowsOf('index_reduce', x, dim, index);
  const values = checkSource('index_reduce', rows, source);
  return reshape(scatterReduce(rows.x, rows.axis, rows.index, values, reduce, options), x.shape);
}

/** {@link gather}, with x and `indices` broadcast apart from `dim`; of both flattened without one. */
export function takeAlongDim(x: Tensor, indices: Tensor, dim?: number): Tensor {
  requireTensors('takeAlongDim', { x, indices });
  if (dim === undefined) return gather(reshape(x, x.numel), 0, reshape(indices, indices.numel));
  if (x.ndim !== indices.ndim)
    throw shapeError(
      'torch.take_along_dim(): input and indices should have the same number of dimensions, but got ' +
        `${x.ndim} dimensions for input, and ${indices.ndim} dimensions for indices`,
    );
  const axis = normalizeDim(dim, x.ndim);
  const others = (shape: readonly number[]) => shape.map((size, d) => (d === axis ? 1 : size));
  const shape = broadcastShapes(others(x.shape), others(indices.shape));
  const along = (t: Tensor) =>
    expand(
      t,
      shape.map((size, d) => (d === axis ? t.shape[d] : size)),
    );
  return gather(along(x), axis, along(indices));
}

interface Places {
  /** Flat positions in the leading dims of x, `shape` of them. */
  readonly at: Tensor;
  readonly shape: readonly number[];
  /** The leading dims as one. */
  readonly x: Tensor;
}

function places(x: Tensor, indices: readonly Tensor[]): Places {
  const lists = indices.flatMap((index) =>
    index.dtype === 'bool' ? nonzero(index, { asTuple: true }) : [index],
  );
  if (lists.length === 0) throw argumentError('expected at least one index');
  if (lists.length > x.ndim)
    throw shapeError(`too many indices for tensor of dimension ${x.ndim}: got ${lists.length}`);
  const shape = broadcastShapes(...lists.map((list) => list.shape));
  const at = lists
    .map((list, axis) => {
      requireIndex('index', list);
      const size = x.shape[axis];
      const outside = list.lt(-size).add(list.ge(size));
      if (outside.any().item())
        throw argumentError(`index is out of bounds for dimension ${axis} with size ${size}`);
      return fromStart(list, size);
    })
    .reduce((flat, list, axis) => flat.mul(x.shape[axis]).add(list));
  const lead = numelOf(x.shape.slice(0, lists.length));
  return {
    at: reshape(expand(at, shape), numelOf(shape)),
    shape,
    x: reshape(x, [lead, ...x.shape.slice(lists.length)]),
  };
}

/**
 * `x[i, j, …]`: int64 tensors (below 0 from the end) or bool masks over the leading dims, broadcast
 * against each other.
 */
export function index(x: Tensor, indices: readonly Tensor[]): Tensor {
  requireTensors('index', { x });
  requireTensorList('index', 'indices', indices);
  const { at, shape, x: rows } = places(x, indices);
  return reshape(indexSelect(rows, 0, at), [...shape, ...rows.shape.slice(1)]);
}

/** `x` after `x[i, j, …] = values`, or `+=` with `accumulate`; see {@link index}. */
export function indexPut(
  x: Tensor,
  indices: readonly Tensor[],
  values: Tensor | Scalar,
  options: { accumulate?: boolean } = {},
): Tensor {
  checkCall('indexPut', { x }, options, { accumulate: true });
  requireTensorList('indexPut', 'indices', indices);
  const { at, shape, x: rows } = places(x, indices);
  const given = values instanceof Tensor ? values : scalarTensor(values, x.dtype, x.device);
  if (given.dtype !== x.dtype)
    throw dtypeError(
      `Index put requires the source and destination dtypes match, got ${x.dtype} for the destination ` +
        `and ${given.dtype} for the source.`,
    );
  const rest = rows.shape.slice(1);
  const source = reshape(expand(given, [...shape, ...rest]), [at.numel, ...rest]);
  const column = reshape(at, [at.numel, ...rest.map(() => 1)]);
  const put = options.accumulate ? scatterAdd : scatter;
  return reshape(put(rows, 0, expand(column, source.shape), source), x.shape);
}
