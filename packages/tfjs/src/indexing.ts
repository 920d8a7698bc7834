// Gathering and scattering along the middle one of three axes.

import {
  cpuKernels,
  type HostArray,
  IndexError,
  isFloat,
  numelOf,
  type ScatterMode,
  type Storage,
  type View,
  VoxgradError,
} from '@voxgrad/core';
import type { Backend, TfTensor } from './backend.js';
import { elementsOf, store, windowOn } from './elements.js';
import { onHost } from './elementwise.js';
import { wrapped } from './integers.js';
import { arranged, select } from './layout.js';
import { pooledFrom, unpooled } from './pool.js';

/** The positions of `index` in row-major order, checked, where the host knows them. */
function known(backend: Backend, index: View, size: number): Int32Array | null {
  if (!elementsOf(backend, index.storage).hostNow()) return null;
  const list = cpuKernels.copy(index, 'int64').array as HostArray;
  const out = new Int32Array(list.length);
  for (let i = 0; i < list.length; i++) {
    const at = Number(list[i]);
    if (at < 0 || at >= size) throw new IndexError(at, size);
    out[i] = at;
  }
  return out;
}

const sameAlong = ({ shape, strides }: View, axis: number) =>
  shape[axis] === 1 || strides[axis] === 0;

/** The one list of positions that an index repeats over the outer and the inner axis. */
const oneList = (index: View): View | null =>
  sameAlong(index, 0) && sameAlong(index, 2)
    ? windowOn(index, [index.shape[1]], [index.strides[1]])
    : null;

/** Flat positions in `[outer, size, inner]` of an index on the device. */
function flatPositions(backend: Backend, index: View, size: number): TfTensor {
  const { tf } = backend;
  const [outer, , inner] = index.shape;
  checkReach(backend, outer * size * inner);
  const rows = backend.integers(
    Int32Array.from({ length: outer }, (_, i) => i * size),
    [outer, 1, 1],
  );
  const columns = backend.integers(
    Int32Array.from({ length: inner }, (_, k) => k),
    [1, 1, inner],
  );
  const at = tf.mul(tf.add(arranged(backend, index), rows), backend.scalar(inner, 'int32'));
  return tf.cast(backend.reshape(tf.add(at, columns), [numelOf(index.shape)]), 'int32');
}

function checkReach(backend: Backend, length: number): void {
  if (length <= backend.maxInteger) return;
  throw new VoxgradError(
    'UNSUPPORTED',
    `indexing ${length} elements on tfjs:${backend.name}, whose integers end at ${backend.maxInteger}; ` +
      'split the tensor first',
  );
}

/** The same, of positions that the host knows. */
function flatKnown(list: Int32Array, [outer, length, inner]: readonly number[], size: number) {
  const out = new Int32Array(list.length);
  let at = 0;
  for (let i = 0; i < outer; i++)
    for (let j = 0; j < length; j++)
      for (let k = 0; k < inner; k++, at++) out[at] = (i * size + list[at]) * inner + k;
  return out;
}

export function gather(backend: Backend, x: View, index: View): Storage {
  if (onHost(backend, x) && elementsOf(backend, index.storage).hostNow())
    return cpuKernels.gather(x, index);
  const [, size] = x.shape;
  const length = numelOf(index.shape);
  if (length === 0) return cpuKernels.fill(x.dtype, 0, 0);
  const list = oneList(index);
  const positions = known(backend, list ?? index, size);
  const first = backend.run(() => {
    const given = arranged(backend, x);
    if (list) {
      const at = positions ? backend.integers(positions) : arranged(backend, list);
      return backend.tf.gather(given, backend.tf.cast(at, 'int32') as never, 1);
    }
    const flat = backend.reshape(given, [numelOf(x.shape)]);
    const at = positions
      ? backend.integers(flatKnown(positions, index.shape, size))
      : flatPositions(backend, index, size);
    return backend.tf.gather(flat, at as never);
  });
  return store(backend, x.dtype, length, { first });
}

/**
 * For each of `length` places, the sources that go there: round r has the r-th of each, and `sources`
 * where there is none. In the order of the sources.
 */
function roundsOf(targets: Int32Array, length: number): Int32Array[] {
  const counts = new Int32Array(length);
  const rounds: Int32Array[] = [];
  targets.forEach((to, source) => {
    const round = counts[to]++;
    rounds[round] ??= new Int32Array(length).fill(targets.length);
    rounds[round][to] = source;
  });
  return rounds;
}

/** More sources than this at one place are added by tfjs's scatter instead. */
const MOST_ROUNDS = 16;

function mostAtOnePlace(targets: Int32Array, length: number): number {
  const counts = new Int32Array(length);
  let most = 0;
  for (const to of targets) most = Math.max(most, ++counts[to]);
  return most;
}

export function scatterAdd(backend: Backend, x: View, index: View, size: number): Storage {
  if (onHost(backend, x) && elementsOf(backend, index.storage).hostNow())
    return cpuKernels.scatterAdd(x, index, size);
  const [outer, , inner] = x.shape;
  const length = outer * size * inner;
  const pooled = pooledFrom(index);
  if (pooled && inner === 1) return unpooled(backend, x, index, pooled);
  if (numelOf(x.shape) === 0) return cpuKernels.fill(x.dtype, length, 0);
  const list = known(backend, index, size);
  const targets = list && flatKnown(list, index.shape, size);
  const first = backend.run(() => {
    const { tf } = backend;
    const values = backend.reshape(arranged(backend, x), [numelOf(x.shape)]);
    const given = values.dtype === 'bool' ? tf.cast(values, 'int32') : values;
    const back = (y: TfTensor) =>
      x.dtype === 'bool' ? tf.cast(y, 'bool') : isFloat(x.dtype) ? y : wrapped(backend, y, x.dtype);
    if (targets && mostAtOnePlace(targets, length) <= MOST_ROUNDS) {
      const padded = tf.pad(given as never, [[0, 1]] as never);
      const [one, ...rest] = roundsOf(targets, length).map((round) =>
        tf.gather(padded, backend.integers(round) as never),
      );
      return back(rest.reduce<TfTensor>((sum, part) => tf.add(sum, part), one));
    }
    const at = targets ? backend.integers(targets) : flatPositions(backend, index, size);
    const places = backend.reshape(at, [at.size, 1]);
    return back(tf.scatterND(places as never, given as never, [length] as never));
  });
  return store(backend, x.dtype, length, { first });
}

type Meet = (backend: Backend, there: TfTensor, x: TfTensor) => TfTensor;

const MEET: Record<ScatterMode, Meet> = {
  set: (_backend, _there, x) => x,
  mul: ({ tf }, there, x) => tf.mul(there, x),
  amax: (backend, there, x) =>
    select(backend, wins(backend, backend.tf.greater(x, there), x), x, there),
  amin: (backend, there, x) =>
    select(backend, wins(backend, backend.tf.less(x, there), x), x, there),
};

const wins = ({ tf }: Backend, better: TfTensor, x: TfTensor): TfTensor =>
  x.dtype === 'float32' ? tf.logicalOr(better, tf.isNaN(x)) : better;

export function scatter(
  backend: Backend,
  mode: ScatterMode,
  base: View,
  index: View,
  source: View,
): Storage {
  if (onHost(backend, base, source) && elementsOf(backend, index.storage).hostNow())
    return cpuKernels.scatter(mode, base, index, source);
  const [outer, size, inner] = base.shape;
  const length = numelOf(base.shape);
  const list = known(backend, index, size);
  const first = backend.run(() => {
    const { tf } = backend;
    const asNumbers = (view: View) => {
      const t = arranged(backend, view);
      return t.dtype === 'bool' ? tf.cast(t, 'int32') : t;
    };
    const finish = (y: TfTensor) => (base.dtype === 'bool' ? tf.cast(y, 'bool') : backend.clone(y));
    let result = asNumbers(base);
    if (numelOf(index.shape) === 0) return finish(result);
    const values = asNumbers(source);
    const places = list && flatKnown(list, index.shape, size);
    if (places && (mode === 'set' || mostAtOnePlace(places, length) <= MOST_ROUNDS)) {
      const flat = backend.reshape(values, [values.size]);
      result = backend.reshape(result, [length]);
      const rounds = mode === 'set' ? [lastOf(places, length)] : roundsOf(places, length);
      for (const round of rounds) {
        const isHit = Uint8Array.from(round, (at) => (at < values.size ? 1 : 0));
        const at = round.map((from) => Math.min(from, values.size - 1));
        const arriving = tf.gather(flat, backend.integers(at) as never);
        const hit = tf.tensor(isHit, [length], 'bool');
        result = select(backend, hit, MEET[mode](backend, result, arriving), result);
      }
      return finish(result);
    }
    // Within one position along the index's axis, targets are distinct.
    const positions = list ? backend.integers(list, index.shape) : arranged(backend, index);
    const rows = backend.integers(
      Int32Array.from({ length: size }, (_, i) => i),
      [1, size, 1],
    );
    result = backend.reshape(result, [outer, size, inner]);
    const part = (t: TfTensor, j: number) =>
      tf.slice(t as never, [0, j, 0] as never, [outer, 1, inner] as never) as TfTensor;
    for (let j = 0; j < index.shape[1]; j++) {
      const hit = tf.equal(part(positions, j), rows);
      const arriving = part(values, j);
      result = select(backend, hit, MEET[mode](backend, result, arriving), result);
    }
    return finish(result);
  });
  return store(backend, base.dtype, length, { first });
}

/** The last source that goes to each place; as many as there are sources where none does. */
function lastOf(targets: Int32Array, length: number): Int32Array {
  const out = new Int32Array(length).fill(targets.length);
  targets.forEach((to, source) => {
    out[to] = source;
  });
  return out;
}
