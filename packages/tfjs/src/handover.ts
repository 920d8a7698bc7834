// Tensors that change hands between tfjs and voxgrad, without a copy.

import { type DType, describe, Tensor, VoxgradError } from '@voxgrad/core';
import type { TfTensor } from './backend.js';
import { BackendDevice, type TfjsDevice } from './device.js';
import { asFive, elementsOf, isWhole, store } from './elements.js';
import { arranged } from './layout.js';
import type { TfjsTensor } from './types.js';

const DTYPES: Readonly<Record<string, DType>> = {
  float32: 'float32',
  int32: 'int32',
  bool: 'bool',
};

/**
 * `x`, a tensor of tfjs in float32, int32 or bool, as a tensor of `device` over the same data. `x` stays
 * the caller's to dispose of.
 *
 * @throws VoxgradError DTYPE for complex64 and string, DEVICE for a device that is not over tfjs
 */
export function fromTfjs(device: TfjsDevice, x: TfjsTensor): Tensor {
  if (!(device instanceof BackendDevice))
    throw new VoxgradError(
      'DEVICE',
      `fromTfjs(): expected a device of createTfjsDevice(tf), but got ${describe(device)}`,
    );
  const { backend } = device;
  const dtype = DTYPES[x.dtype];
  if (dtype === undefined)
    throw new VoxgradError(
      'DTYPE',
      `fromTfjs(): expected float32, int32 or bool, but got a tensor of ${x.dtype}`,
    );
  const first = backend.run(() => backend.clone(x as TfTensor));
  return new Tensor({
    device,
    shape: [...x.shape],
    storage: store(backend, dtype, x.size, { first }),
  });
}

/**
 * `x` as a tensor of tfjs of the same shape, over the same data where that is in order already. It is the
 * caller's, who disposes of it; int64 and smaller integers come as int32. Not recorded: gradients
 * do not pass.
 *
 * @typeParam T `tf.Tensor`, where its methods are wanted
 * @throws VoxgradError DEVICE for a tensor of another device, DTYPE for one that tfjs has no dtype for
 */
export function toTfjs<T extends TfjsTensor = TfjsTensor>(x: Tensor): T {
  const { device } = x;
  if (!(device instanceof BackendDevice))
    throw new VoxgradError(
      'DEVICE',
      `toTfjs(): expected a tensor on a tfjs device, but it is on ${device.name}; move it with .to(device) first`,
    );
  const { backend } = device;
  const shape = asFive(x);
  const elements = elementsOf(backend, x.storage);
  if (shape && isWhole(x) && elements.isLastOnly) elements.first();
  backend.select();
  const result: TfjsTensor = backend.tf.tidy(() => backend.clone(arranged(backend, x)));
  return result as T;
}
