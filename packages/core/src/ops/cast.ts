import { onTensors, requireTensors } from '../arguments.js';
import { defineOp } from '../autograd/op.js';
import type { Device } from '../device/device.js';
import { type DeviceLike, getDevice } from '../device/registry.js';
import { VoxgradError } from '../errors.js';
import { checkDType, type DType, isDType } from '../tensor/dtype.js';
import { Tensor } from '../tensor/tensor.js';

const castOp = defineOp<DType>({
  name: 'to',
  forward: ([x], dtype) =>
    new Tensor({ device: x.device, shape: x.shape, storage: x.device.kernels.copy(x, dtype) }),
  backward: ([g], { inputs }) => [g && cast(g, inputs[0].dtype)],
});

/** `x` in another dtype; `x` itself when it has that dtype already. */
export function cast(x: Tensor, dtype: DType): Tensor {
  requireTensors('to', { input: x });
  return x.dtype === dtype ? x : castOp([x], checkDType(dtype));
}

const transferOp = defineOp<Device>({
  name: 'to',
  forward: ([x], device) => {
    if (!x.device.capabilities.synchronous)
      throw new VoxgradError(
        'DEVICE',
        `a tensor on ${x.device.name} cannot be read synchronously: use tensor(await x.data(), …)`,
      );
    return new Tensor({ device, shape: x.shape, storage: x.device.kernels.copy(x, x.dtype) });
  },
  backward: ([g], { inputs }) => [g && transfer(g, inputs[0].device)],
});

const transfer = (x: Tensor, device: Device): Tensor =>
  x.device === device ? x : transferOp([x], device);

/** `x` as another dtype or on another device; `x` itself where nothing changes. */
export function to(x: Tensor, target: DType | DeviceLike): Tensor {
  requireTensors('to', { input: x });
  return isDType(target) ? cast(x, target) : transfer(x, getDevice(target));
}

const cloneOp = defineOp({
  name: 'clone',
  forward: ([x]) =>
    new Tensor({ device: x.device, shape: x.shape, storage: x.device.kernels.copy(x, x.dtype) }),
  backward: ([g]) => [g],
});

/** A row-major copy that shares nothing with `x`. */
export const clone = (x: Tensor): Tensor => cloneOp([x], undefined);

/** `x` itself if its elements are in row-major order, else such a copy. */
export const contiguous = (x: Tensor): Tensor => (x?.isContiguous ? x : clone(x));

export const double = (x: Tensor): Tensor => cast(x, 'float64');
export const float = (x: Tensor): Tensor => cast(x, 'float32');
export const half = (x: Tensor): Tensor => cast(x, 'float16');
export const bfloat16 = (x: Tensor): Tensor => cast(x, 'bfloat16');
export const int = (x: Tensor): Tensor => cast(x, 'int32');
export const short = (x: Tensor): Tensor => cast(x, 'int16');
export const char = (x: Tensor): Tensor => cast(x, 'int8');
export const byte = (x: Tensor): Tensor => cast(x, 'uint8');
export const long = (x: Tensor): Tensor => cast(x, 'int64');
export const bool = (x: Tensor): Tensor => cast(x, 'bool');
export const typeAs = onTensors(
  'typeAs',
  ['x', 'other'],
  (x: Tensor, other: Tensor): Tensor => cast(x, other.dtype),
);
