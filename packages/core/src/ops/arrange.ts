// Elements repeated, rotated and put in another order.

import { checkCall, onTensors, requireTensors } from '../arguments.js';
import { argumentError, dtypeError, shapeError } from '../errors.js';
import { arange } from '../tensor/create.js';
import { describe, formatShape, normalizeDim, numberList, numelOf } from '../tensor/shape.js';
import { Tensor } from '../tensor/tensor.js';
import { cumsum } from './cumulative.js';
import { indexSelect } from './indexing.js';
import { cat } from './join.js';
import { searchsorted } from './search.js';
import { expand, flip, narrow, permute, reshape, transpose } from './views.js';

/** Elements moved on by `shifts` along `dims`, around the end; of the flattened tensor without dims. */
export function roll(
  x: Tensor,
  shifts: number | readonly number[],
  dims: number | readonly number[] = [],
): Tensor {
  requireTensors('roll', { x });
  const by = numberList('roll', 'shifts', shifts);
  const along = numberList('roll', 'dims', dims);
  if (along.length === 0 && by.length === 1)
    return reshape(rollAxis(reshape(x, x.numel), by[0], 0), x.shape);
  if (by.length !== along.length || by.length === 0)
    throw argumentError(
      `shifts and dimensions must align. shifts: ${by.length}, dims:${along.length}`,
    );
  if (x.ndim === 0)
    throw argumentError(`Dimension specified as ${along[0]} but tensor has no dimensions`);
  return by.reduce((y, shift, i) => rollAxis(y, shift, normalizeDim(along[i], x.ndim)), x);
}

function rollAxis(x: Tensor, shift: number, axis: number): Tensor {
  const size = x.shape[axis];
  const first = size === 0 ? 0 : ((shift % size) + size) % size; // how many come round to the front
  if (first === 0) return x.clone();
  return cat([narrow(x, axis, size - first, first), narrow(x, axis, 0, size - first)], axis);
}

/** `x` side by side `sizes[d]` times along each dim; more sizes than dims make new leading dims. */
export function repeat(x: Tensor, ...sizes: number[] | [readonly number[]]): Tensor {
  requireTensors('repeat', { x });
  const times = sizes.flat();
  if (times.length < x.ndim)
    throw shapeError(
      'Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor',
    );
  if (times.some((n) => !(Number.isInteger(n) && n >= 0)))
    throw argumentError(`repeat(): expected sizes of at least 0, but got ${formatShape(times)}`);
  const shape = [...new Array<number>(times.length - x.ndim).fill(1), ...x.shape];
  // Each axis behind an axis of its own, over which it is repeated.
  const apart = reshape(
    x,
    shape.flatMap((size) => [1, size]),
  );
  const repeated = expand(
    apart,
    shape.flatMap((size, d) => [times[d], size]),
  );
  const y = reshape(
    repeated,
    shape.map((size, d) => size * times[d]),
  );
  return y.storage === x.storage ? y.clone() : y;
}

/** Like {@link repeat}, with fewer sizes than dims counting for the last dims. */
export function tile(x: Tensor, ...sizes: number[] | [readonly number[]]): Tensor {
  requireTensors('tile', { x });
  const times = sizes.flat();
  return repeat(x, [...new Array<number>(Math.max(x.ndim - times.length, 0)).fill(1), ...times]);
}

/** Each element (slice along `dim`) `repeats` times in a row; of the flattened tensor without a dim. */
export function repeatInterleave(x: Tensor, repeats: number | Tensor, dim?: number): Tensor {
  requireTensors('repeatInterleave', { x });
  if (dim === undefined) return repeatInterleave(reshape(x, x.numel), repeats, 0);
  const whole = x.ndim === 0 ? reshape(x, 1) : x;
  const axis = normalizeDim(dim, whole.ndim);
  if (repeats instanceof Tensor && repeats.numel !== 1)
    return indexSelect(whole, axis, repeatedPositions(whole.shape[axis], repeats));
  const times = repeats instanceof Tensor ? Number(repeats.item()) : repeats;
  if (!(Number.isInteger(times) && times >= 0)) throw argumentError('repeats can not be negative');
  const [before, after] = [whole.shape.slice(0, axis + 1), whole.shape.slice(axis + 1)];
  const repeated = expand(reshape(whole, [...before, 1, ...after]), [...before, times, ...after]);
  const y = reshape(repeated, [...before.slice(0, -1), before[axis] * times, ...after]);
  return y.storage === x.storage ? y.clone() : y;
}

/** 0, 1, …, each as often as `repeats` says. */
function repeatedPositions(size: number, repeats: Tensor): Tensor {
  if (repeats.dtype !== 'int64' && repeats.dtype !== 'int32')
    throw dtypeError('repeats has to be Long or Int tensor');
  if (repeats.ndim !== 1 || repeats.numel !== size)
    throw shapeError('repeats must have the same size as input along dim');
  if (repeats.lt(0).any().item()) throw argumentError('repeats can not be negative');
  const ends = cumsum(repeats, 0);
  const total = size === 0 ? 0 : Number(ends.select(0, -1).item<bigint>());
  return searchsorted(ends, arange(total, { device: repeats.device }), { right: true });
}

/** The dim split into `sizes`, of which one may be -1. */
export function unflatten(x: Tensor, dim: number, sizes: readonly number[]): Tensor {
  requireTensors('unflatten', { x });
  if (!Array.isArray(sizes))
    throw argumentError(
      `unflatten(): expected a list of numbers for 'sizes', but got ${describe(sizes)}`,
    );
  numberList('unflatten', 'sizes', sizes);
  const axis = normalizeDim(dim, x.ndim);
  const size = x.shape[axis];
  const known = numelOf(sizes.filter((n) => n !== -1));
  const filled = sizes.map((n) => (n === -1 ? size / known : n));
  if (numelOf(filled.map((n) => (Number.isInteger(n) ? n : -1))) !== size)
    throw shapeError(
      `unflatten: Provided sizes ${formatShape(sizes)} don't multiply up to the size of dim ${axis} ` +
        `(${size}) in the input tensor`,
    );
  return reshape(x, [...x.shape.slice(0, axis), ...filled, ...x.shape.slice(axis + 1)]);
}

/** Dims `source` moved to the positions `destination`; the others keep their order. */
export function movedim(
  x: Tensor,
  source: number | readonly number[],
  destination: number | readonly number[],
): Tensor {
  requireTensors('movedim', { x });
  const from = numberList('movedim', 'source', source).map((d) => normalizeDim(d, x.ndim));
  const to = numberList('movedim', 'destination', destination).map((d) => normalizeDim(d, x.ndim));
  if (from.length !== to.length)
    throw argumentError(
      'movedim: Invalid source or destination dims: source (' +
        `${formatShape(from)}) should contain the same number of dims as destination (${formatShape(to)})`,
    );
  if (new Set(from).size !== from.length || new Set(to).size !== to.length)
    throw argumentError(
      `movedim: repeated dim in source (${formatShape(from)}) or destination (${formatShape(to)})`,
    );
  if (x.ndim === 0) return x;
  const others = x.shape.flatMap((_, d) => (from.includes(d) ? [] : [d]));
  const order = x.shape.map((_, d) => {
    const i = to.indexOf(d);
    return i >= 0 ? from[i] : (others.shift() ?? d);
  });
  return permute(x, order);
}

/** {@link movedim} by its other name. */
export const moveaxis: typeof movedim = movedim;
/** {@link transpose} by its other name. */
export const swapaxes: typeof transpose = transpose;
/** {@link transpose} by its other name. */
export const swapdims: typeof transpose = transpose;

/** Turned by 90° `k` times in the plane of two dims, from the first towards the second. */
export function rot90(x: Tensor, k = 1, dims: readonly number[] = [0, 1]): Tensor {
  requireTensors('rot90', { x });
  const plane = numberList('rot90', 'dims', dims);
  if (plane.length !== 2 || x.ndim < 2)
    throw argumentError(
      `rot90: expected two rotation dims and at least two dims, but got ${formatShape(plane)} and ${x.ndim}`,
    );
  const [a, b] = plane.map((d) => normalizeDim(d, x.ndim));
  if (a === b)
    throw argumentError(
      `expected rotation dims to be different, but got dim0 = ${plane[0]} and dim1 = ${plane[1]}`,
    );
  switch (((k % 4) + 4) % 4) {
    case 1:
      return transpose(flip(x, b), a, b);
    case 2:
      return flip(x, [a, b]);
    case 3:
      return transpose(flip(x, a), a, b);
    default:
      return x.clone();
  }
}

/** Left and right exchanged: the second dim reversed. */
export function fliplr(x: Tensor): Tensor {
  requireTensors('fliplr', { x });
  if (x.ndim < 2) throw shapeError('Input must be >= 2-d.');
  return flip(x, 1);
}

/** Up and down exchanged: the first dim reversed. */
export function flipud(x: Tensor): Tensor {
  requireTensors('flipud', { x });
  if (x.ndim < 1) throw shapeError('Input must be >= 1-d.');
  return flip(x, 0);
}

/** All elements in row-major order, `[numel]`; a view where the layout allows it. */
export const ravel = onTensors('ravel', ['x'], (x: Tensor): Tensor => reshape(x, x.numel));

/** `view` with the shape of another tensor. */
export const viewAs = onTensors(
  'viewAs',
  ['x', 'other'],
  (x: Tensor, other: Tensor): Tensor => x.view(other.shape),
);
/** `reshape` with the shape of another tensor. */
export const reshapeAs = onTensors(
  'reshapeAs',
  ['x', 'other'],
  (x: Tensor, other: Tensor): Tensor => reshape(x, other.shape),
);
/** {@link expand} by its other name. */
export const broadcastTo = (x: Tensor, shape: readonly number[]): Tensor => expand(x, shape);

/** Differences of neighbours along `dim`, `n` times over. */
export function diff(x: Tensor, options: { n?: number; dim?: number } = {}): Tensor {
  checkCall('diff', { x }, options, { n: true, dim: true });
  const { n = 1, dim = -1 } = options;
  if (!(Number.isInteger(n) && n >= 0))
    throw argumentError(`order must be non-negative but got ${n}`);
  if (x.ndim === 0) throw shapeError('diff expects input to be at least one-dimensional');
  if (n === 0) return x;
  const axis = normalizeDim(dim, x.ndim);
  const size = Math.max(x.shape[axis] - 1, 0);
  const [later, earlier] = [narrow(x, axis, x.shape[axis] - size, size), narrow(x, axis, 0, size)];
  const step = x.dtype === 'bool' ? later.ne(earlier) : later.sub(earlier);
  return n === 1 ? step : diff(step, { n: n - 1, dim });
}
