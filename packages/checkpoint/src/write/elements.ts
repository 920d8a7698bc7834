// The elements of tensors as bytes, little-endian, a piece at a time. Elements that the host holds are
// given as they lie there; those of a device are copied out one piece after another.

import { bytesPerElement, cpu, type Storage, Tensor } from '@voxgrad/core';
import type { Pieces } from './contents.js';

/** Of a piece: large enough that a write costs little, small enough to hold several of. */
export const PIECE_BYTES = 4 * 2 ** 20;

/** Whether reading all of `storage` copies nothing. */
const isOnHost = ({ residence }: Storage): boolean => residence === null || residence.onHost;

/** Elements `begin` to `end` of the storage of `tensor`, as they lie in it. */
export async function* storagePieces(tensor: Tensor, begin: number, end: number): Pieces {
  const { storage, device } = tensor;
  const step = PIECE_BYTES / bytesPerElement(storage.dtype);
  for (let at = begin; at < end; at += step) {
    const length = Math.min(step, end - at);
    if (device.capabilities.synchronous && isOnHost(storage))
      yield bytesOf(storage.array.subarray(at, at + length));
    else yield copyOf(new Tensor({ storage, device, shape: [length], offset: at }));
  }
}

/** The elements of `tensor` in row-major order. */
export async function* tensorPieces(tensor: Tensor): Pieces {
  const { storage, offset, numel, device } = tensor;
  if (tensor.isContiguous) {
    yield* storagePieces(tensor, offset, offset + numel);
    return;
  }
  // What the host holds is gathered there, instead of bringing all of it to the device.
  const view =
    device.capabilities.synchronous && isOnHost(storage)
      ? new Tensor({ ...viewOf(tensor), device: cpu })
      : tensor;
  for (const part of parts(view, PIECE_BYTES / bytesPerElement(storage.dtype))) yield copyOf(part);
}

/** `view` cut into views of at most `limit` elements, in row-major order. */
function* parts(view: Tensor, limit: number): Iterable<Tensor> {
  if (view.numel <= limit) {
    yield view;
    return;
  }
  const { storage, device, shape, strides, offset } = view;
  const axis = shape.findIndex((size) => size > 1);
  const rows = Math.max(1, Math.floor((limit * shape[axis]) / view.numel));
  for (let row = 0; row < shape[axis]; row += rows) {
    const cut = shape.with(axis, Math.min(rows, shape[axis] - row));
    const start = offset + row * strides[axis];
    yield* parts(new Tensor({ storage, device, shape: cut, strides, offset: start }), limit);
  }
}

const viewOf = ({ storage, shape, strides, offset }: Tensor) => ({
  storage,
  shape,
  strides,
  offset,
});

async function copyOf(view: Tensor): Promise<Uint8Array> {
  if (!view.device.capabilities.synchronous) return bytesOf(await view.data());
  // As in data(); but what the device has set aside for the copy is given back at once.
  const copy = view.device.kernels.copy(view, view.dtype);
  const { array } = copy;
  copy.release();
  return bytesOf(array);
}

export const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);
