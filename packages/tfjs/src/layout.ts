// From strided views to tensors of tfjs and back. A view is cut out of a box: its storage seen in a shape
// in which each axis of the view is a (stepped) part of one axis of the box. Where there is no such
// shape, its elements are gathered one by one.

import { broadcastShapes, numelOf, type Storage, sameShape, type View } from '@voxgrad/core';
import { type Backend, SHADER_RANK, type TfTensor } from './backend.js';
import { type Elements, elementsOf, isWhole, rowStrides } from './elements.js';

/** Most axes that the kernels of tfjs take. */
export const MAX_RANK = 6;

/** An axis that tells elements apart: neither of size 1 nor expanded. */
interface Axis {
  readonly size: number;
  readonly stride: number;
  /** Where it stands in the view. */
  readonly at: number;
}

/** One axis of a box, and the part of it that is meant. */
interface Part {
  readonly size: number;
  readonly from: number;
  readonly count: number;
  readonly step: number;
}

const realAxes = ({ shape, strides }: View): Axis[] =>
  shape
    .map((size, at) => ({ size, stride: strides[at], at }))
    .filter(({ size, stride }) => size > 1 && stride !== 0)
    .sort((a, b) => b.stride - a.stride || a.at - b.at);

/** The parts of a box of `base` that `axes` (largest stride first) mean, or null. */
function partsOf(base: readonly number[], axes: readonly Axis[], offset: number): Part[] | null {
  if (base.length > MAX_RANK) return null;
  const strides = rowStrides(base);
  const from = base.map((size, j) => Math.floor(offset / strides[j]) % size);
  const parts = base.map((size, j): Part => ({ size, from: from[j], count: 1, step: 1 }));
  const used = new Set<number>();
  for (const { size: count, stride } of axes) {
    const j = strides.findIndex(
      (s, i) => !used.has(i) && base[i] > 1 && s <= stride && stride % s === 0,
    );
    if (j < 0) return null;
    const step = stride / strides[j];
    if (from[j] + (count - 1) * step >= base[j]) return null;
    used.add(j);
    parts[j] = { size: base[j], from: from[j], count, step };
  }
  return parts;
}

/** The box that the strides themselves speak of. */
function boxOfStrides(length: number, axes: readonly Axis[]): number[] | null {
  const box: number[] = [];
  let rest = length;
  for (const { stride } of axes) {
    if (rest % stride !== 0) return null;
    box.push(rest / stride);
    rest = stride;
  }
  return rest > 1 ? [...box, rest] : box;
}

function findParts(elements: Elements, axes: readonly Axis[], offset: number): Part[] | null {
  const own = elements.shape;
  const inOwn = own && partsOf(own, axes, offset);
  if (inOwn) return inOwn;
  const box = boxOfStrides(elements.length, axes);
  return box && partsOf(box, axes, offset);
}

/** Positions of the elements of a view within its storage. */
function positions({ shape, strides, offset }: View): Int32Array {
  const out = new Int32Array(numelOf(shape));
  let filled = 1;
  out[0] = offset;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    for (let i = 1; i < shape[axis]; i++)
      for (let j = 0; j < filled; j++) out[i * filled + j] = out[j] + i * strides[axis];
    filled *= shape[axis];
  }
  return out;
}

/**
 * The elements of `view` as a tensor of its shape; with `broadcast`, axes along which it is expanded
 * may have size 1. May be the storage's own tensor: not to be disposed of, and to be called in a tidy.
 */
export function arranged(
  backend: Backend,
  view: View,
  options: { readonly broadcast?: boolean } = {},
): TfTensor {
  const { shape } = view;
  const elements = elementsOf(backend, view.storage);
  if (isWhole(view)) return backend.reshape(elements.first(), shape);
  if (numelOf(shape) === 0) return backend.tf.zeros([...shape], elements.first().dtype);
  if (view.strides.some((stride) => stride < 0)) return reversed(backend, view);
  const axes = realAxes(view);
  const parts = findParts(elements, axes, view.offset);
  if (!parts) {
    const flat = backend.reshape(elements.first(), [elements.length]);
    const at = backend.integers(positions(view));
    return backend.reshape(backend.tf.gather(flat, at as never), shape);
  }
  const box = backend.reshape(
    elements.first(),
    parts.map(({ size }) => size),
  );
  // Axes of the box come in the order of strides; then those of the view, expanded ones of size 1.
  const cut = backend.reshape(
    cutOut(backend, box, parts),
    axes.map(({ size }) => size),
  );
  const order = axes.map((_, i) => i).sort((i, j) => axes[i].at - axes[j].at);
  const real = new Set(axes.map(({ at }) => at));
  const narrow = shape.map((size, at) => (real.has(at) ? size : 1));
  const turned = backend.reshape(backend.transpose(cut, order), narrow);
  if (options.broadcast || sameShape(narrow, shape)) return turned;
  return broadcastTo(backend, turned, shape);
}

/** Elements that run backwards along some axes. */
function reversed(backend: Backend, view: View): TfTensor {
  const { storage, dtype, shape, strides } = view;
  const back = shape.flatMap((n, axis) => (strides[axis] < 0 && n > 1 ? [axis] : []));
  const forward: View = {
    storage,
    dtype,
    shape,
    strides: strides.map(Math.abs),
    offset: back.reduce((at, axis) => at + (shape[axis] - 1) * strides[axis], view.offset),
  };
  return back.reduce(
    (x, axis) => {
      const [outer, inner] = [numelOf(shape.slice(0, axis)), numelOf(shape.slice(axis + 1))];
      const rows = backend.reshape(x, [outer, shape[axis], inner]);
      return backend.reshape(backend.kernel('Reverse', { x: rows }, { dims: [1] }), shape);
    },
    arranged(backend, forward),
  );
}

export function broadcastTo(backend: Backend, x: TfTensor, shape: readonly number[]): TfTensor {
  if (sameShape(x.shape, shape)) return x;
  if (x.size === 1) {
    const tiled = backend.tf.tile(backend.reshape(x, [1]) as never, [numelOf(shape)] as never);
    return backend.reshape(tiled, shape);
  }
  // Neighbours that are repeated alike are one axis: fewer axes than tfjs takes.
  const sizes: [size: number, times: number][] = [];
  const padded = [...new Array(shape.length - x.shape.length).fill(1), ...x.shape];
  shape.forEach((size, i) => {
    const times = size / padded[i];
    const before = sizes[sizes.length - 1];
    if (before && before[1] === 1 && times === 1) before[0] *= padded[i];
    else if (before && before[0] === 1 && padded[i] === 1) before[1] *= times;
    else sizes.push([padded[i], times]);
  });
  const merged = backend.reshape(
    x,
    sizes.map(([size]) => size),
  );
  return backend.reshape(
    backend.kernel('Tile', { x: merged }, { reps: sizes.map(([, times]) => times) }),
    shape,
  );
}

function cutOut(backend: Backend, box: TfTensor, parts: readonly Part[]): TfTensor {
  let y = box;
  const extent = parts.map(({ count, step }) => (count - 1) * step + 1);
  if (parts.some(({ size }, i) => extent[i] !== size))
    y = backend.kernel('Slice', { x: y }, { begin: parts.map(({ from }) => from), size: extent });
  return everyNth(
    backend,
    y,
    parts.map(({ step }) => step),
  );
}

/** The elements at multiples of a step along each axis. */
function everyNth(backend: Backend, x: TfTensor, steps: readonly number[]): TfTensor {
  if (steps.every((step) => step === 1)) return x;
  // Neighbours of which every element stays are one axis.
  const merged: { size: number; step: number }[] = [];
  x.shape.forEach((size, axis) => {
    const step = steps[axis];
    const before = merged[merged.length - 1];
    if (before && before.step === 1 && step === 1) before.size *= size;
    else merged.push({ size, step });
  });
  if (merged.length > SHADER_RANK) {
    const some = everyNth(
      backend,
      x,
      steps.map((step, axis) => (axis < 2 ? step : 1)),
    );
    return everyNth(
      backend,
      some,
      steps.map((step, axis) => (axis < 2 ? 1 : step)),
    );
  }
  const sizes = merged.map(({ size }) => size);
  const y = backend.kernel(
    'StridedSlice',
    { x: backend.reshape(x, sizes) },
    {
      begin: sizes.map(() => 0),
      end: sizes,
      strides: merged.map(({ step }) => step),
      beginMask: 0,
      endMask: 0,
      ellipsisMask: 0,
      newAxisMask: 0,
      shrinkAxisMask: 0,
    },
  );
  return backend.reshape(
    y,
    x.shape.map((size, axis) => Math.ceil(size / steps[axis])),
  );
}

/** `x` with `value` around it. Numbers only: tfjs does not pad bool. */
export function padded(
  backend: Backend,
  x: TfTensor,
  paddings: readonly (readonly [number, number])[],
  value = 0,
): TfTensor {
  if (paddings.every(([lo, hi]) => lo === 0 && hi === 0)) return x;
  // An axis without padding is one with the axis before it.
  const merged: { size: number; lo: number; hi: number }[] = [];
  x.shape.forEach((size, i) => {
    const [lo, hi] = paddings[i];
    const before = merged[merged.length - 1];
    if (before && lo + hi === 0) {
      before.size *= size;
      before.lo *= size;
      before.hi *= size;
    } else merged.push({ size, lo, hi });
  });
  const shape = x.shape.map((size, i) => size + paddings[i][0] + paddings[i][1]);
  if (merged.length <= SHADER_RANK) {
    const y = backend.kernel(
      'PadV2',
      {
        x: backend.reshape(
          x,
          merged.map(({ size }) => size),
        ),
      },
      { paddings: merged.map(({ lo, hi }) => [lo, hi]), constantValue: value },
    );
    return backend.reshape(y, shape);
  }
  const first = paddings.map((pair, i): readonly [number, number] => (i < 2 ? pair : [0, 0]));
  const rest = paddings.map((pair, i): readonly [number, number] => (i < 2 ? [0, 0] : pair));
  return padded(backend, padded(backend, x, first, value), rest, value);
}

/** `source`, of the box's parts, in a box of `value`. */
function placedIn(
  backend: Backend,
  source: TfTensor,
  parts: readonly Part[],
  value: number,
): TfTensor {
  const counts = parts.map(({ count }) => count);
  const sizes = [...counts];
  let y = source;
  parts.forEach(({ count, step }, axis) => {
    if (step === 1) return;
    const [outer, inner] = [numelOf(sizes.slice(0, axis)), numelOf(sizes.slice(axis + 1))];
    const apart = backend.reshape(y, [outer * count, 1, inner]);
    const spread = padded(
      backend,
      apart,
      [
        [0, 0],
        [0, step - 1],
        [0, 0],
      ],
      value,
    );
    const extent = (count - 1) * step + 1;
    const whole = backend.reshape(spread, [outer, count * step, inner]);
    y = backend.kernel('Slice', { x: whole }, { begin: [0, 0, 0], size: [outer, extent, inner] });
    sizes[axis] = extent;
  });
  const margins = parts.map(({ size, from }, i): [number, number] => [
    from,
    size - from - sizes[i],
  ]);
  return padded(backend, backend.reshape(y, sizes), margins, value);
}

/** Writes `values`, a tensor of the target's shape, into the elements that `target` views. */
export function assignTo(backend: Backend, target: View, values: () => TfTensor): void {
  const elements = elementsOf(backend, target.storage);
  if (numelOf(target.shape) === 0) return;
  const first = backend.run(() => {
    const source = values();
    if (isWhole(target)) return backend.clone(source);
    return backend.clone(written(backend, elements, target, source));
  });
  elements.replace({ first });
}

function written(backend: Backend, elements: Elements, target: View, source: TfTensor): TfTensor {
  const { tf } = backend;
  const axes = realAxes(target);
  const shape = elements.shape ?? [elements.length];
  const parts = findParts(elements, axes, target.offset);
  if (!parts) {
    const list = positions(target);
    const from = Int32Array.from({ length: elements.length }, (_, i) => i);
    list.forEach((at, i) => {
      from[at] = elements.length + i;
    });
    const both = tf.concat([
      backend.reshape(elements.first(), [elements.length]) as never,
      backend.reshape(source, [source.size]) as never,
    ]);
    return backend.reshape(tf.gather(both, backend.integers(from) as never), shape);
  }
  const isBool = elements.dtype === 'bool';
  const numbers = (x: TfTensor) => (isBool ? tf.cast(x, 'int32') : x);
  // The axes of the view in the order of their strides, as they stand in the box.
  const present = target.shape.flatMap((size, at) =>
    axes.some((axis) => axis.at === at) ? [size] : [],
  );
  const inView = [...axes].sort((a, b) => a.at - b.at);
  const turned = backend.transpose(
    backend.reshape(numbers(source), present),
    axes.map((axis) => inView.indexOf(axis)),
  );
  const part = backend.reshape(
    turned,
    parts.map(({ count }) => count),
  );
  const { constant } = elements;
  const back = (y: TfTensor) => backend.reshape(isBool ? tf.cast(y, 'bool') : y, shape);
  if (constant !== null && Number.isFinite(Number(constant)))
    return back(placedIn(backend, part, parts, Number(constant)));
  const box = backend.reshape(
    numbers(elements.first()),
    parts.map(({ size }) => size),
  );
  const partial = parts.flatMap(({ size, count }, i) => (count === size ? [] : [i]));
  if (partial.length === 1 && parts[partial[0]].step === 1)
    return back(between(backend, box, part, partial[0], parts[partial[0]]));
  const ones = tf.ones(part.shape, 'int32');
  const inside = tf.cast(placedIn(backend, ones, parts, 0), 'bool');
  return back(select(backend, inside, placedIn(backend, part, parts, 0), box));
}

/** `box` with `part` in place of its elements along one axis. */
function between(
  backend: Backend,
  box: TfTensor,
  part: TfTensor,
  axis: number,
  { from, count, size }: Part,
): TfTensor {
  const cut = (begin: number, length: number) =>
    backend.kernel(
      'Slice',
      { x: box },
      {
        begin: box.shape.map((_, i) => (i === axis ? begin : 0)),
        size: box.shape.map((n, i) => (i === axis ? length : n)),
      },
    );
  const pieces = [part];
  if (from > 0) pieces.unshift(cut(0, from));
  if (from + count < size) pieces.push(cut(from + count, size - from - count));
  return backend.tf.concat(pieces as never[], axis);
}

/** A view of all of a storage in another shape. */
export const viewOf = (storage: Storage, shape: readonly number[]): View => ({
  storage,
  dtype: storage.dtype,
  shape,
  strides: rowStrides(shape),
  offset: 0,
});

/** `condition ? a : b`; all three broadcast. */
export function select(backend: Backend, condition: TfTensor, a: TfTensor, b: TfTensor): TfTensor {
  const shape = [condition, a, b].reduce<readonly number[]>(
    (known, { shape: s }) => broadcastShapes(known, s),
    [],
  );
  const [t, e] = [a, b].map((x) => broadcastTo(backend, x, shape));
  const c = backend.reshape(broadcastTo(backend, condition, shape), [numelOf(shape)]);
  const y = backend.kernel('Select', {
    condition: c,
    t: backend.reshape(t, [numelOf(shape)]),
    e: backend.reshape(e, [numelOf(shape)]),
  });
  return backend.reshape(y, shape);
}
