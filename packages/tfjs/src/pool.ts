// Pooling along one axis at a time. The windows of an axis are lists of positions: tap t reads the t-th
// position of each window, and a slot of zeros where a window has ended.

import {
  type AxisWindows,
  cpuKernels,
  isFloat,
  numelOf,
  type PoolGeometry,
  type Storage,
  type View,
  volume,
} from '@voxgrad/core';
import type { Backend, TfTensor } from './backend.js';
import { store } from './elements.js';
import { onHost } from './elementwise.js';
import { wrapped } from './integers.js';
import { arranged, padded, select } from './layout.js';

const AXES = [0, 1, 2] as const;

/** Positions of each window. */
const members = ({ starts, ends, step }: AxisWindows): number[][] =>
  starts.map((start, i) => {
    const list: number[] = [];
    for (let at = start; at < ends[i]; at += step) list.push(at);
    return list;
  });

/** For each of `size` positions, the windows that read it. */
function readers(windows: AxisWindows, size: number): number[][] {
  const lists = Array.from({ length: size }, (): number[] => []);
  members(windows).forEach((list, window) => {
    for (const at of list) lists[at].push(window);
  });
  return lists;
}

/** The t-th entry of each list, `none` where it has ended. */
const taps = (lists: readonly (readonly number[])[], none: (list: readonly number[]) => number) =>
  Array.from({ length: Math.max(...lists.map((list) => list.length), 0) }, (_, t) =>
    Int32Array.from(lists, (list) => list[t] ?? none(list)),
  );

/** Sums of the elements of `x` along `axis` that each list names. */
function sumAlong(
  backend: Backend,
  x: TfTensor,
  axis: number,
  lists: readonly (readonly number[])[],
): TfTensor {
  const { tf } = backend;
  const size = x.shape[axis];
  const rounds = taps(lists, () => size);
  const needsZero = rounds.some((round) => round.includes(size));
  const paddings = x.shape.map((_, i): [number, number] => [0, i === axis ? 1 : 0]);
  const source = needsZero ? padded(backend, x, paddings) : x;
  if (rounds.length === 0)
    return tf.zeros(
      x.shape.map((n, i) => (i === axis ? lists.length : n)),
      x.dtype,
    );
  return rounds
    .map((round): TfTensor => tf.gather(source, backend.integers(round) as never, axis))
    .reduce((sum, part) => tf.add(sum, part));
}

function pooled(
  backend: Backend,
  x: View,
  output: readonly number[],
  lists: (axis: 0 | 1 | 2) => number[][],
): Storage {
  const length = x.shape[0] * output[0] * output[1] * output[2];
  const first = backend.run(() => {
    const y = AXES.reduce<TfTensor>(
      (part, axis) => sumAlong(backend, part, axis + 1, lists(axis)),
      arranged(backend, x),
    );
    return isFloat(x.dtype) ? backend.clone(y) : wrapped(backend, y, x.dtype);
  });
  return store(backend, x.dtype, length, { first });
}

export function sumPool(backend: Backend, x: View, g: PoolGeometry): Storage {
  if (onHost(backend, x) || numelOf(x.shape) === 0) return cpuKernels.sumPool(x, g);
  return pooled(backend, x, g.output, (axis) => members(g.windows[axis]));
}

export function spreadPool(backend: Backend, x: View, g: PoolGeometry): Storage {
  if (onHost(backend, x) || numelOf(x.shape) === 0) return cpuKernels.spreadPool(x, g);
  return pooled(backend, x, g.input, (axis) => readers(g.windows[axis], g.input[axis]));
}

/** How the positions in a storage came about, for their adjoint. */
const origins = new WeakMap<Storage, PoolGeometry>();

/** The pooling that made an index of `[planes, positions, 1]`, if one did. */
export function pooledFrom(index: View): PoolGeometry | null {
  const geometry = origins.get(index.storage);
  const whole = geometry && index.shape[1] === volume(geometry.output) && index.offset === 0;
  return whole && index.shape[0] * index.shape[1] === index.storage.length ? geometry : null;
}

const alongAxis = (backend: Backend, x: TfTensor, at: readonly Int32Array[]): TfTensor =>
  AXES.reduce<TfTensor>(
    (part, axis) => backend.tf.gather(part, backend.integers(at[axis]) as never, axis + 1),
    x,
  );

/** Flat positions of an input of `[1, D, H, W]`. */
const iota = (backend: Backend, g: PoolGeometry): TfTensor =>
  backend.integers(
    Int32Array.from({ length: volume(g.input) }, (_, i) => i),
    [1, ...g.input],
  );

/** The first maximum of each window, the last NaN: one comparison for each place in a window. */
export function maxPoolIndices(backend: Backend, x: View, g: PoolGeometry): Storage {
  if (onHost(backend, x) || numelOf(x.shape) === 0) return cpuKernels.maxPoolIndices(x, g);
  const length = x.shape[0] * volume(g.output);
  const first = backend.run(() => {
    const { tf } = backend;
    const source = arranged(backend, x);
    const places = iota(backend, g);
    // A window that has ended repeats its last element, which changes neither rule.
    const lists = AXES.map((axis) =>
      taps(members(g.windows[axis]), (list) => list[list.length - 1]),
    );
    let best: TfTensor | null = null;
    let at: TfTensor | null = null;
    for (const d of lists[0])
      for (const h of lists[1])
        for (const w of lists[2]) {
          const here = [d, h, w];
          const value = alongAxis(backend, source, here);
          const place = alongAxis(backend, places, here);
          if (!best || !at) {
            best = value;
            at = tf.tile(place as never, [x.shape[0], 1, 1, 1] as never) as TfTensor;
            continue;
          }
          const isNan = value.dtype === 'float32' ? tf.isNaN(value) : null;
          const larger = tf.greater(value, best);
          const better: TfTensor = isNan ? tf.logicalOr(larger, isNan) : larger;
          best = select(backend, better, value, best);
          at = select(backend, better, place, at);
        }
    return backend.clone(at ?? places);
  });
  const storage = store(backend, 'int64', length, { first });
  origins.set(storage, g);
  return storage;
}

/** `x[w]` at `index[w]` of each plane: what each input position gets from the windows that read it. */
export function unpooled(backend: Backend, x: View, index: View, g: PoolGeometry): Storage {
  const planes = x.shape[0];
  const length = planes * volume(g.input);
  const first = backend.run(() => {
    const { tf } = backend;
    const pool = (view: View) => backend.reshape(arranged(backend, view), [planes, ...g.output]);
    const [values, chosen] = [pool(x), pool(index)];
    const places = iota(backend, g);
    const zero = backend.scalar(0, values.dtype === 'int32' ? 'int32' : 'float32');
    const lists = AXES.map((axis) => readers(g.windows[axis], g.input[axis]));
    // The slot after the last window is one that nobody chose.
    const rounds = lists.map((list, axis) => taps(list, () => g.output[axis]));
    const margins = [0, 1, 1, 1].map((hi): [number, number] => [0, hi]);
    const from = padded(backend, chosen, margins, -1);
    const given = padded(backend, values, margins);
    let sum: TfTensor | null = null;
    for (const d of rounds[0])
      for (const h of rounds[1])
        for (const w of rounds[2]) {
          const hit = tf.equal(alongAxis(backend, from, [d, h, w]), places);
          const part = select(backend, hit, alongAxis(backend, given, [d, h, w]), zero);
          sum = sum ? tf.add(sum, part) : part;
        }
    return sum ?? tf.zeros([length], values.dtype);
  });
  return store(backend, x.dtype, length, { first });
}
