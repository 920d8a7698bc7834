// Shape operations. Where the layout allows it the result is a view that shares elements with its
// input; the derivative of each is its inverse movement.

import { checkCall, onTensors, requireTensors } from '../arguments.js';
import { defineOp, type Op } from '../autograd/op.js';
import { argumentError, shapeError } from '../errors.js';
import {
  checkShape,
  describe,
  expandStrides,
  formatShape,
  inferReshape,
  normalizeDim,
  normalizeDims,
  numberList,
  numelOf,
  sameShape,
  viewStrides,
} from '../tensor/shape.js';
import { Tensor, type TensorInit } from '../tensor/tensor.js';
import { sum } from './reduce.js';

const viewOf = (x: Tensor, change: Partial<TensorInit>): Tensor =>
  new Tensor({
    storage: x.storage,
    device: x.device,
    shape: x.shape,
    strides: x.strides,
    offset: x.offset,
    ...change,
  });

const reshapeOp = defineOp<{ shape: readonly number[] }>({
  name: 'reshape',
  forward: ([x], { shape }) => {
    const strides = viewStrides(x.shape, x.strides, shape);
    if (strides) return viewOf(x, { shape, strides });
    return new Tensor({ device: x.device, shape, storage: x.device.kernels.copy(x, x.dtype) });
  },
  backward: ([g], { inputs }) => [g && reshape(g, inputs[0].shape)],
});

/** The same elements in row-major order under another shape; one size may be -1. */
export function reshape(x: Tensor, ...shape: number[] | [readonly number[]]): Tensor {
  requireTensors('reshape', { x });
  const target = inferReshape(sizesOf(shape), x.numel);
  return reshapeOp([x], { shape: target });
}

/** Like {@link reshape}, but always a view: an error where the layout would need a copy. */
export function view(x: Tensor, ...shape: number[] | [readonly number[]]): Tensor {
  requireTensors('view', { x });
  const target = inferReshape(sizesOf(shape), x.numel);
  if (!viewStrides(x.shape, x.strides, target))
    throw shapeError(
      "view size is not compatible with input tensor's size and stride (at least one dimension spans " +
        'across two contiguous subspaces). Use .reshape(...) instead.',
    );
  return reshapeOp([x], { shape: target });
}

const sizesOf = (shape: readonly (number | readonly number[])[]): readonly number[] => {
  const list = shape.length === 1 && Array.isArray(shape[0]) ? shape[0] : shape;
  if (list.some((size) => typeof size !== 'number'))
    throw argumentError(
      `expected sizes as numbers or one list of them, but got ${describe(shape)}`,
    );
  return list as readonly number[];
};

const permuteOp = defineOp<readonly number[]>({
  name: 'permute',
  forward: ([x], dims) =>
    viewOf(x, { shape: dims.map((d) => x.shape[d]), strides: dims.map((d) => x.strides[d]) }),
  backward: ([g], { options }) => {
    const inverse = new Array<number>(options.length);
    options.forEach((d, i) => {
      inverse[d] = i;
    });
    return [g && permute(g, inverse)];
  },
});

/** Axes in another order. */
export function permute(x: Tensor, ...dims: number[] | [readonly number[]]): Tensor {
  requireTensors('permute', { x });
  const order = sizesOf(dims).map((d) => normalizeDim(d, x.ndim));
  if (order.length !== x.ndim || new Set(order).size !== x.ndim)
    throw argumentError(
      `permute(${formatShape(order)}): expected each of the ${x.ndim} dims once for a tensor of shape ${formatShape(x.shape)}`,
    );
  return permuteOp([x], order);
}

/** Exchanges two axes. */
export function transpose(x: Tensor, dim0: number, dim1: number): Tensor {
  requireTensors('transpose', { x });
  const order = x.shape.map((_, axis) => axis);
  const [a, b] = [normalizeDim(dim0, x.ndim), normalizeDim(dim1, x.ndim)];
  if (x.ndim === 0) return x;
  [order[a], order[b]] = [b, a];
  return permuteOp([x], order);
}

/** Transpose of a matrix; tensors of fewer dims are returned as they are. */
export function t(x: Tensor): Tensor {
  requireTensors('t', { x });
  if (x.ndim > 2)
    throw shapeError(`t() expects a tensor with <= 2 dimensions, but self is ${x.ndim}D`);
  return x.ndim < 2 ? x : transpose(x, 0, 1);
}

/** The last two dims exchanged; of real numbers, the conjugate transpose too. */
export function adjoint(x: Tensor): Tensor {
  requireTensors('adjoint', { x });
  if (x.ndim === 1)
    throw shapeError(
      'tensor.adjoint() is only supported on matrices or batches of matrices. Got 1-D tensor.',
    );
  return x.ndim === 0 ? x : transpose(x, -2, -1);
}

const expandOp = defineOp<readonly number[]>({
  name: 'expand',
  forward: ([x], shape) => viewOf(x, { shape, strides: expandStrides(x.shape, x.strides, shape) }),
  backward: ([g], { inputs }) => [g && sumToSize(g, inputs[0].shape)],
});

/** Repeats axes of size 1 without copying; -1 keeps a size. */
export function expand(x: Tensor, ...shape: number[] | [readonly number[]]): Tensor {
  requireTensors('expand', { x });
  const sizes = sizesOf(shape);
  const lead = sizes.length - x.ndim;
  const target = sizes.map((size, axis) =>
    size === -1 && axis >= lead ? x.shape[axis - lead] : size,
  );
  checkShape(target, 'expand');
  return expandOp([x], target);
}

/** {@link expand} to the shape of another tensor. */
export const expandAs = onTensors(
  'expandAs',
  ['x', 'other'],
  (x: Tensor, other: Tensor): Tensor => expand(x, other.shape),
);

/** Sums away what broadcasting `shape` to the shape of `x` had repeated. */
export function sumToSize(x: Tensor, shape: readonly number[]): Tensor {
  requireTensors('sumToSize', { x });
  numberList('sumToSize', 'shape', shape);
  if (sameShape(x.shape, shape)) return x;
  const lead = x.ndim - shape.length;
  const repeated = x.shape.flatMap((size, axis) =>
    axis < lead || (shape[axis - lead] === 1 && size !== 1) ? [axis] : [],
  );
  return reshape(repeated.length > 0 ? sum(x, repeated, { keepdim: true }) : x, shape);
}

/** Inserts an axis of size 1. */
export function unsqueeze(x: Tensor, dim: number): Tensor {
  requireTensors('unsqueeze', { x });
  const shape = [...x.shape];
  shape.splice(normalizeDim(dim, x.ndim + 1), 0, 1);
  return reshapeOp([x], { shape });
}

/** Drops axes of size 1: all of them, or `dim` where it has size 1. */
export function squeeze(x: Tensor, dim?: number | readonly number[]): Tensor {
  requireTensors('squeeze', { x });
  const dims = dim === undefined ? undefined : numberList('squeeze', 'dim', dim);
  const drop = dims?.map((d) => normalizeDim(d, x.ndim));
  const shape = x.shape.filter((size, axis) => size !== 1 || (drop && !drop.includes(axis)));
  return reshapeOp([x], { shape });
}

/** Merges the axes from `startDim` to `endDim` into one. */
export function flatten(x: Tensor, startDim = 0, endDim = -1): Tensor {
  requireTensors('flatten', { x });
  if (x.ndim === 0) return reshape(x, 1);
  const [from, to] = [normalizeDim(startDim, x.ndim), normalizeDim(endDim, x.ndim)];
  if (from > to)
    throw argumentError('flatten() has invalid args: startDim cannot come after endDim');
  const middle = numelOf(x.shape.slice(from, to + 1));
  return reshape(x, [...x.shape.slice(0, from), middle, ...x.shape.slice(to + 1)]);
}

// ---- windows: slice and its adjoint ----

/** For each axis: first position, number of positions, distance. */
interface Window {
  readonly starts: readonly number[];
  readonly sizes: readonly number[];
  readonly steps: readonly number[];
}

const windowView = (x: Tensor, w: Window): Tensor =>
  viewOf(x, {
    shape: w.sizes,
    strides: x.strides.map((stride, axis) => stride * w.steps[axis]),
    offset: x.offset + w.starts.reduce((at, start, axis) => at + start * x.strides[axis], 0),
  });

const sliceOp: Op<Window> = defineOp({
  name: 'slice',
  forward: ([x], window) => windowView(x, window),
  backward: ([g], { options, inputs }) => [
    g && embedOp([g], { ...options, shape: inputs[0].shape, value: 0 }),
  ],
});

const embedOp: Op<Window & { shape: readonly number[]; value: number }> = defineOp({
  name: 'embed',
  forward: ([x], { shape, value, ...window }) => {
    const out = Tensor.filled(shape, value, x.dtype, x.device);
    x.device.kernels.assign(windowView(out, window), x);
    return out;
  },
  backward: ([g], { options }) => [g && sliceOp([g], options)],
});

const wholeWindow = (x: Tensor): { starts: number[]; sizes: number[]; steps: number[] } => ({
  starts: x.shape.map(() => 0),
  sizes: [...x.shape],
  steps: x.shape.map(() => 1),
});

/**
 * `x` placed into a tensor of `shape` filled with `value`, from position `starts`, every `steps`
 * positions: constant padding, and the spreading of a strided convolution's gradient.
 */
export function embed(
  x: Tensor,
  shape: readonly number[],
  starts: readonly number[],
  options: { steps?: readonly number[]; value?: number } = {},
): Tensor {
  checkCall('embed', { x }, options, { steps: true, value: true });
  const steps = options.steps ?? x.shape.map(() => 1);
  return embedOp([x], { shape, starts, steps, sizes: x.shape, value: options.value ?? 0 });
}

/** `length` positions of `dim` from `start`, as a view. */
export function narrow(x: Tensor, dim: number, start: number, length: number): Tensor {
  requireTensors('narrow', { x });
  if (x.ndim === 0) throw shapeError('narrow() cannot be applied to a 0-dim tensor.');
  const axis = normalizeDim(dim, x.ndim);
  const size = x.shape[axis];
  if (![start, length].every(Number.isInteger))
    throw argumentError(
      `narrow(): start and length must be integers, but got ${start} and ${length}`,
    );
  if (length < 0) throw argumentError('narrow(): length must be non-negative.');
  const from = start < 0 ? start + size : start;
  if (!(from >= 0 && from + length <= size))
    throw argumentError(
      `start (${start}) + length (${length}) exceeds dimension size (${size}) at dim ${axis}.`,
    );
  const window = wholeWindow(x);
  window.starts[axis] = from;
  window.sizes[axis] = length;
  return sliceOp([x], window);
}

/** Positions `start, start + step, …` before `end` of `dim` (Python's slice), as a view. */
export function slice(
  x: Tensor,
  dim: number,
  start = 0,
  end: number = Number.POSITIVE_INFINITY,
  step = 1,
): Tensor {
  requireTensors('slice', { x });
  if (x.ndim === 0) throw shapeError('slice() cannot be applied to a 0-dim tensor.');
  if (!(Number.isInteger(step) && step > 0)) throw argumentError('slice step must be positive');
  if (![start, end].every((at) => Number.isInteger(at) || Math.abs(at) === Infinity))
    throw argumentError(`slice(): positions must be integers, but got ${start} and ${end}`);
  const axis = normalizeDim(dim, x.ndim);
  const size = x.shape[axis];
  const clip = (at: number) => Math.min(Math.max(at < 0 ? at + size : at, 0), size);
  const from = clip(start);
  const window = wholeWindow(x);
  window.starts[axis] = from;
  window.sizes[axis] = Math.max(0, Math.ceil((clip(end) - from) / step));
  window.steps[axis] = step;
  return sliceOp([x], window);
}

/** One position of `dim`, which disappears from the shape. */
export function select(x: Tensor, dim: number, index: number): Tensor {
  requireTensors('select', { x });
  if (x.ndim === 0) throw shapeError('select() cannot be applied to a 0-dim tensor.');
  const axis = normalizeDim(dim, x.ndim);
  const size = x.shape[axis];
  if (!Number.isInteger(index) || index < -size || index >= size)
    throw argumentError(
      `select(): index ${index} out of range for tensor of size ${formatShape(x.shape)} at dimension ${axis}`,
    );
  return squeeze(narrow(x, axis, index < 0 ? index + size : index, 1), axis);
}

const flipOp = defineOp<readonly number[]>({
  name: 'flip',
  forward: ([x], dims) => {
    const backwards = viewOf(x, {
      strides: x.strides.map((s, axis) => (dims.includes(axis) ? -s : s)),
      offset: dims.reduce((at, d) => at + Math.max(x.shape[d] - 1, 0) * x.strides[d], x.offset),
    });
    return new Tensor({
      device: x.device,
      shape: x.shape,
      storage: x.device.kernels.copy(backwards, x.dtype),
    });
  },
  backward: ([g], { options }) => [g && flip(g, options)],
});

/** Reverses the order along `dims`. */
export function flip(x: Tensor, ...dims: number[] | [readonly number[]]): Tensor {
  requireTensors('flip', { x });
  const given = numberList('flip', 'dims', dims.length === 1 ? dims[0] : dims);
  return flipOp([x], given.length === 0 ? [] : normalizeDims(given, x.ndim));
}
