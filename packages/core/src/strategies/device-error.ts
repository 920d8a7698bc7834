import type { ConvKernelName, Device } from '../device/device.js';
import { VoxgradError } from '../errors.js';

/** A device claimed a kernel in its capabilities that it does not bring. */
export function deviceError(device: Device, kernel: ConvKernelName): never {
  throw new VoxgradError(
    'DEVICE',
    `${device.name} accepts calls of ${kernel} in its capabilities but has no such kernel`,
  );
}
