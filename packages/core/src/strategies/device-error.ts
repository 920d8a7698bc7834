import type { ConvKernelName, Device, Kernels } from '../device/device.js';
import { VoxgradError } from '../errors.js';

/** A device claimed a kernel in its capabilities that it does not bring. */
export function deviceError(device: Device, kernel: ConvKernelName): never {
  throw new VoxgradError(
    'DEVICE',
    `${device.name} accepts calls of ${kernel} in its capabilities but has no such kernel`,
  );
}

/** A strategy was run on a device that lacks its kernel, without asking whether it is supported. */
export function missing(device: Device, kernel: keyof Kernels): never {
  throw new VoxgradError('DEVICE', `${device.name} has no ${kernel} kernel`);
}
