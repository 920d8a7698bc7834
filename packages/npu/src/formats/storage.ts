// Which format each storage has. Views look into one storage, so they share its format: a 5-D view of
// a matrix is stored as ND (inferred from infer_fmt and the reports of the incident).

import {
  requireTensors,
  type Storage,
  shared,
  type Tensor,
  type View,
  VoxgradError,
} from '@voxgrad/core';
import { baseFormat, type StorageFormat, shapeInMemory } from './formats.js';

/** Formats that were chosen; `by dims` where an operation of the device made the tensor as it is now. */
const chosen = shared('npu.formats', () => new WeakMap<Storage, StorageFormat | 'by dims'>());

export function setStorageFormat(storage: Storage, format: StorageFormat | 'by dims'): void {
  chosen.set(storage, format);
}

/** The format of what `view` looks into. */
export function formatOf({ storage, shape }: View): StorageFormat {
  const format = chosen.get(storage);
  if (format !== undefined && format !== 'by dims') return format;
  const rank = format === 'by dims' || storage.rank < 0 ? shape.length : storage.rank;
  return baseFormat(rank);
}

/** Throws unless `tensor` is one, on an npu device. */
export function requireNpu(operation: string, tensor: Tensor): void {
  requireTensors(operation, { tensor });
  if (tensor.device.type === 'npu') return;
  throw new VoxgradError(
    'DEVICE',
    `${operation}(): tensors on ${tensor.device} have no storage format; move the tensor to an npu ` +
      "device first: tensor.to(npu('Ascend910B1', { cann }))",
  );
}

/**
 * The storage format of a tensor on an npu device, such as `NCDHW`; views share that of their base.
 * The counterpart of `torch_npu.get_npu_format`; `formatId` gives its number.
 * @throws VoxgradError for tensors of other devices
 */
export function getFormat(tensor: Tensor): StorageFormat {
  requireNpu('getFormat', tensor);
  return formatOf(tensor);
}

/** The dimensions that a tensor has in the memory of the NPU: those of its format's blocks. */
export function storageShape(tensor: Tensor): number[] {
  requireNpu('storageShape', tensor);
  return shapeInMemory(formatOf(tensor), tensor.shape, tensor.dtype);
}
