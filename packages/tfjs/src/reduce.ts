// Reductions over the last axes, scans and sorts along the last.

import {
  type ArgReduceName,
  type ArgScanName,
  cpuKernels,
  isFloat,
  numelOf,
  type ReduceName,
  type Storage,
  type View,
} from '@voxgrad/core';
import type { Backend, TfTensor } from './backend.js';
import { elementsOf, isWhole, store, windowOn } from './elements.js';
import { onHost } from './elementwise.js';
import { wrapped } from './integers.js';
import { arranged, padded, select } from './layout.js';

const lastSize = ({ shape }: View) => shape[shape.length - 1];

/** float32 sums of more terms than this are made of partial sums, which lose less. */
const BLOCK = 1024;

/** The sum of the rows of a matrix. */
export function sumRows(backend: Backend, rows: TfTensor): TfTensor {
  const [count, columns] = rows.shape;
  if (count <= BLOCK) return sumLast(backend, backend.transpose(rows, [1, 0]));
  const blocks = Math.ceil(count / BLOCK);
  const whole = padded(backend, rows, [
    [0, blocks * BLOCK - count],
    [0, 0],
  ]);
  const apart = backend.transpose(backend.reshape(whole, [blocks, BLOCK, columns]), [0, 2, 1]);
  const sums = sumLast(backend, backend.reshape(apart, [blocks * columns, BLOCK]));
  return sumRows(backend, backend.reshape(sums, [blocks, columns]));
}

function sumLast(backend: Backend, x: TfTensor): TfTensor {
  const [kept, reduced] = x.shape;
  const axes = (t: TfTensor) => backend.kernel('Sum', { x: t }, { axis: [1], keepDims: false });
  if (reduced <= BLOCK) return axes(x);
  const blocks = Math.ceil(reduced / BLOCK);
  const size = Math.ceil(reduced / blocks);
  const missing = blocks * size - reduced;
  const full =
    missing === 0
      ? x
      : padded(backend, x, [
          [0, 0],
          [0, missing],
        ]);
  const partial = axes(backend.reshape(full, [kept * blocks, size]));
  return sumLast(backend, backend.reshape(partial, [kept, blocks]));
}

function extreme(backend: Backend, x: TfTensor, op: 'amax' | 'amin'): TfTensor {
  const { tf } = backend;
  const find = (t: TfTensor) => (op === 'amax' ? tf.max(t, 1) : tf.min(t, 1));
  if (x.dtype !== 'float32') return find(x);
  // Some backends forget NaN.
  const hasNan = tf.any(tf.isNaN(x), 1);
  return select(backend, hasNan, backend.scalar(Number.NaN), find(x));
}

/** The sum of each channel where the axes stand so already: `[C, N, D, H, W]` as seen by a view. */
function channelSums(backend: Backend, view: View, count: number): Storage | null {
  const { shape, strides } = view;
  if (count !== 4 || shape.length !== 5) return null;
  const swapped = (values: readonly number[]) => [1, 0, 2, 3, 4].map((axis) => values[axis]);
  const back = windowOn(view, swapped(shape), swapped(strides));
  if (!isWhole(back) || !elementsOf(backend, view.storage).isLastOnly) return null;
  const first = backend.run(() => {
    const last = elementsOf(backend, view.storage).last(back.shape);
    const rows = backend.reshape(last, [numelOf(back.shape) / shape[0], shape[0]]);
    return sumRows(backend, rows);
  });
  return store(backend, view.dtype, shape[0], { first });
}

export function reduce(backend: Backend, op: ReduceName, x: View, count: number): Storage {
  if (onHost(backend, x)) return cpuKernels.reduce(op, x, count);
  const at = x.shape.length - count;
  const [kept, reduced] = [numelOf(x.shape.slice(0, at)), numelOf(x.shape.slice(at))];
  if (reduced === 0 || kept === 0) {
    const value = op === 'prod' ? 1 : op === 'sum' ? 0 : op === 'amax' ? -Infinity : Infinity;
    return cpuKernels.fill(x.dtype, kept, value);
  }
  const channels = op === 'sum' && x.dtype === 'float32' ? channelSums(backend, x, count) : null;
  if (channels) return channels;
  const first = backend.run(() => {
    const { tf } = backend;
    const rows = backend.reshape(arranged(backend, x), [kept, reduced]);
    const given = x.dtype === 'bool' ? tf.cast(rows, 'int32') : rows;
    const y =
      op === 'sum'
        ? sumLast(backend, given)
        : op === 'prod'
          ? tf.prod(given, 1)
          : extreme(backend, given, op);
    if (x.dtype === 'bool') return tf.cast(y, 'bool');
    return isFloat(x.dtype) ? y : wrapped(backend, y, x.dtype);
  });
  return store(backend, x.dtype, kept, { first });
}

export function argReduce(backend: Backend, op: ArgReduceName, x: View): Storage {
  if (onHost(backend, x)) return cpuKernels.argReduce(op, x);
  const size = lastSize(x);
  const kept = numelOf(x.shape) / size;
  const first = backend.run(() => {
    const { tf } = backend;
    const given = backend.reshape(arranged(backend, x), [kept, size]);
    const rows = x.dtype === 'bool' ? tf.cast(given, 'int32') : given;
    const best = op === 'argmax' ? tf.argMax(rows, 1) : tf.argMin(rows, 1);
    if (rows.dtype !== 'float32') return best;
    const nan = tf.cast(tf.isNaN(rows), 'int32');
    const hasNan = tf.greater(tf.max(nan, 1), backend.scalar(0, 'int32'));
    return select(backend, hasNan, tf.argMax(nan, 1), best);
  });
  return store(backend, 'int64', kept, { first });
}

/** `x` moved right by `by` along the last of two axes, `value` coming in. */
function shifted(backend: Backend, x: TfTensor, by: number, value: number): TfTensor {
  const [rows, size] = x.shape;
  const kept = backend.kernel('Slice', { x }, { begin: [0, 0], size: [rows, size - by] });
  const paddings = [
    [0, 0],
    [by, 0],
  ];
  return backend.kernel('PadV2', { x: kept }, { paddings, constantValue: value });
}

/** Hillis and Steele's scan: h ↦ a·h + b compose to such maps again. */
export function recurrence(backend: Backend, a: View, b: View): Storage {
  if (onHost(backend, a, b)) return cpuKernels.recurrence(a, b);
  const length = numelOf(b.shape);
  if (length === 0) return cpuKernels.fill(b.dtype, 0, 0);
  const size = lastSize(b);
  const first = backend.run(() => {
    const { tf } = backend;
    let [factor, term] = [a, b].map((view) =>
      backend.reshape(arranged(backend, view), [length / size, size]),
    );
    for (let by = 1; by < size; by *= 2) {
      term = tf.add(term, tf.mul(factor, shifted(backend, term, by, 0)));
      factor = tf.mul(factor, shifted(backend, factor, by, 1));
    }
    return isFloat(b.dtype) ? backend.clone(term) : wrapped(backend, term, b.dtype);
  });
  return store(backend, b.dtype, length, { first });
}

export function argScan(backend: Backend, op: ArgScanName, x: View): Storage {
  if (onHost(backend, x)) return cpuKernels.argScan(op, x);
  const length = numelOf(x.shape);
  if (length === 0) return cpuKernels.fill('int64', 0, 0);
  const size = lastSize(x);
  const first = backend.run(() => {
    const { tf } = backend;
    const rows = length / size;
    const given = backend.reshape(arranged(backend, x), [rows, size]);
    let best = given.dtype === 'bool' ? tf.cast(given, 'int32') : given;
    const row = backend.integers(
      Int32Array.from({ length: size }, (_, i) => i),
      [1, size],
    );
    let at: TfTensor = tf.tile(row as never, [rows, 1] as never);
    for (let by = 1; by < size; by *= 2) {
      const [before, beforeAt] = [shifted(backend, best, by, 0), shifted(backend, at, by, -1)];
      // What came earlier stays where it is strictly better; the last of equal values wins.
      const better = op === 'cummax' ? tf.greater(before, best) : tf.less(before, best);
      const isNan = best.dtype === 'float32' ? tf.isNaN(best) : tf.zerosLike(tf.cast(best, 'bool'));
      const wasNan = best.dtype === 'float32' ? tf.isNaN(before) : isNan;
      const wins = tf.logicalAnd(
        tf.greaterEqual(beforeAt, backend.scalar(0, 'int32')),
        tf.logicalAnd(tf.logicalOr(better, wasNan), tf.logicalNot(isNan)),
      );
      best = select(backend, wins, before, best);
      at = select(backend, wins, beforeAt, at);
    }
    return backend.clone(at);
  });
  return store(backend, 'int64', length, { first });
}

/** Whether each element of `[rows, n, 1]` comes before each of `[rows, 1, n]` in the order wanted. */
function precedes(backend: Backend, x: TfTensor, y: TfTensor, descending: boolean): TfTensor {
  const { tf } = backend;
  const below = descending ? tf.greater(x, y) : tf.less(x, y);
  if (x.dtype !== 'float32') return below;
  // NaN counts as larger than every number.
  const [p, q] = [tf.isNaN(x), tf.isNaN(y)];
  const nan = descending ? tf.logicalAnd(p, tf.logicalNot(q)) : tf.logicalAnd(tf.logicalNot(p), q);
  return tf.logicalOr(below, nan);
}

/**
 * Ranks by comparing all pairs of a row: exact, and equal values keep their order, which tfjs's topk
 * does not promise.
 */
export function argSort(backend: Backend, x: View, descending: boolean): Storage {
  if (onHost(backend, x) || backend.synchronous) return cpuKernels.argSort(x, descending);
  const length = numelOf(x.shape);
  if (length === 0) return cpuKernels.fill('int64', 0, 0);
  const n = lastSize(x);
  const rows = length / n;
  const first = backend.run(() => {
    const { tf } = backend;
    const given = arranged(backend, x);
    const values = given.dtype === 'bool' ? tf.cast(given, 'int32') : given;
    const [down, across] = [
      backend.reshape(values, [rows, n, 1]),
      backend.reshape(values, [rows, 1, n]),
    ];
    const before = precedes(backend, down, across, descending);
    const after = precedes(backend, across, down, descending);
    const indices = Int32Array.from({ length: n }, (_, i) => i);
    const earlier = tf.less(
      backend.integers(indices, [1, n, 1]),
      backend.integers(indices, [1, 1, n]),
    );
    const tie = tf.logicalAnd(earlier, tf.logicalNot(tf.logicalOr(before, after)));
    // In float32: WebGPU does not turn the axes of integers, and reduces the last one.
    const rank = tf.sum(backend.toFloat(tf.logicalOr(before, tie)), 1); // [rows, n]
    // The position whose rank is r: ranks are a permutation.
    const isRank = tf.equal(
      backend.reshape(rank, [rows, n, 1]),
      tf.tensor(Float32Array.from(indices), [1, 1, n]),
    );
    const places = tf.tensor(Float32Array.from(indices), [1, n, 1]);
    const at = tf.mul(backend.toFloat(isRank), places);
    return tf.cast(tf.sum(at, 1), 'int32');
  });
  return store(backend, 'int64', length, { first });
}

export function searchSorted(
  backend: Backend,
  sorted: View,
  values: View,
  right: boolean,
): Storage {
  if (backend.synchronous || onHost(backend, sorted, values))
    return cpuKernels.searchSorted(sorted, values, right);
  const [rows, size] = sorted.shape;
  const perRow = values.shape[1];
  const length = rows * perRow;
  if (length === 0 || size === 0) return cpuKernels.fill('int64', length, 0);
  const first = backend.run(() => {
    const { tf } = backend;
    const edges = backend.reshape(arranged(backend, sorted), [rows, 1, size]);
    const wanted = backend.reshape(arranged(backend, values), [rows, perRow, 1]);
    const below = right
      ? tf.logicalNot(precedes(backend, wanted, edges, false))
      : precedes(backend, edges, wanted, false);
    return tf.cast(tf.sum(tf.cast(below, 'int32'), 2), 'int32');
  });
  return store(backend, 'int64', length, { first });
}
