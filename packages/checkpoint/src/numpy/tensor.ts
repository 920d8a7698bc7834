import { type Device, Storage, Tensor } from '@voxgrad/core';
import { dtypeFor, elementsFrom } from '../elements.js';
import { CheckpointError } from '../error.js';
import { checkNpyLength, type NpyHeader, readNpyHeader } from './npy.js';

/**
 * The tensor in `file`, the bytes of a .npy file, which it copies: strided if NumPy wrote Fortran
 * order; uint16 as int32, uint32 and uint64 as int64.
 * @throws CheckpointError with code CORRUPT or UNSUPPORTED
 */
export function npyTensor(file: Uint8Array<ArrayBuffer>, device: Device): Tensor {
  const header = readNpyHeader(file);
  checkNpyLength(header, file.length - header.start);
  return tensorOf(header, file.slice(header.start), device);
}

/** The tensor of these elements, whose length has been checked, and which become its own. */
export function tensorOf(
  { type, order, shape, strides, unreadable }: NpyHeader,
  elements: Uint8Array<ArrayBuffer>,
  device: Device,
): Tensor {
  if (type === undefined) throw new CheckpointError('UNSUPPORTED', unreadable ?? 'has no dtype');
  const storage = new Storage(dtypeFor(type), elementsFrom(elements, type, order));
  return new Tensor({ storage, device, shape, strides });
}
