// A window of any strides over the storage of a tensor.

import { requireTensors } from '../arguments.js';
import { defineOp, type Op } from '../autograd/op.js';
import { argumentError, shapeError } from '../errors.js';
import { bytesPerElement } from '../tensor/dtype.js';
import { checkShape, formatShape, numberList, numelOf } from '../tensor/shape.js';
import { Tensor } from '../tensor/tensor.js';
import { gather, indexTensor, scatterAddOp } from './indexing.js';
import { reshape } from './views.js';

interface Window {
  readonly shape: readonly number[];
  readonly strides: readonly number[];
  readonly offset: number;
}

/** Positions in the storage, in row-major order. */
function positions({ shape, strides, offset }: Window): number[] {
  let found = numelOf(shape) === 0 ? [] : [offset];
  shape.forEach((size, axis) => {
    found = found.flatMap((at) => Array.from({ length: size }, (_, i) => at + i * strides[axis]));
  });
  return found;
}

const asStridedOp: Op<{ window: Window; input: Window; length: number }> = defineOp({
  name: 'asStrided',
  forward: ([x], { window }) => new Tensor({ ...window, storage: x.storage, device: x.device }),
  backward: ([g], { options: { window, input, length } }) => {
    if (g === null) return [null];
    // To the places in the storage, and from there to the elements of x: where several of them are
    // one place, they share its gradient.
    const places = positions(input);
    const counts = new Map<number, number>();
    for (const at of places) counts.set(at, (counts.get(at) ?? 0) + 1);
    const options = { axis: 0, size: length };
    const flat = reshape(g, g.numel);
    const whole = scatterAddOp([flat, indexTensor(positions(window), g)], options);
    const found = gather(whole, 0, indexTensor(places, g));
    const shared = places.map((at) => counts.get(at) ?? 1);
    const own = shared.every((n) => n === 1) ? found : found.div(indexTensor(shared, g));
    return [reshape(own, input.shape)];
  },
});

/**
 * The elements of the storage of `x` at `storageOffset + Σ index·stride`, as a view: by default from
 * where `x` starts. The layout is what `x.stride()` says; `x.contiguous()` makes it row-major.
 */
export function asStrided(
  x: Tensor,
  size: readonly number[],
  stride: readonly number[],
  storageOffset: number = x?.offset ?? 0,
): Tensor {
  requireTensors('asStrided', { x });
  const shape = checkShape(size, 'as_strided');
  numberList('as_strided', 'stride', stride);
  if (stride.length !== shape.length)
    throw argumentError('mismatch in length of strides and shape');
  if (stride.some((n) => !(Number.isInteger(n) && n >= 0)))
    throw argumentError(
      `as_strided: Negative strides are not supported at the moment, got strides: ${formatShape(stride)}`,
    );
  const last = shape.reduce((at, n, axis) => at + (n - 1) * stride[axis], storageOffset);
  const { length } = x.storage;
  if (!(Number.isInteger(storageOffset) && storageOffset >= 0))
    throw argumentError(`Tensor: invalid storage offset ${storageOffset}`);
  const bytes = bytesPerElement(x.dtype);
  if (numelOf(shape) > 0 && last >= length)
    throw shapeError(
      `setStorage: sizes ${formatShape(shape)}, strides ${formatShape(stride)}, storage offset ` +
        `${storageOffset}, and itemsize ${bytes} requiring a storage size of ${(last + 1) * bytes} are out of ` +
        `bounds for storage of size ${length * bytes}`,
    );
  const window = { shape, strides: [...stride], offset: storageOffset };
  const input = { shape: x.shape, strides: x.strides, offset: x.offset };
  return asStridedOp([x], { window, input, length });
}
