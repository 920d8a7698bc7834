// What the device suite asks of every device: with which dtypes, which strategies, how exactly.

import { type Device, DTYPES, type DType, isFloat, strategies, VoxgradError } from '@voxgrad/core';

const FLOATS = DTYPES.filter(isFloat);

/** Float dtypes in which `device` computes. */
export const computed = (device: Device): DType[] =>
  FLOATS.filter((dtype) => device.capabilities.computes.has(dtype));

/** Float dtypes that `device` stores but does not compute in. */
export const refused = (device: Device): DType[] =>
  FLOATS.filter((dtype) => !device.capabilities.computes.has(dtype));

/** Every device with every float dtype that it computes. */
export const placesOf = (devices: readonly Device[]) =>
  devices.flatMap((device) =>
    computed(device).map((dtype) => ({ device, dtype, name: `${device.name} ${dtype}` })),
  );

/** Names of all strategies for the backward of a convolution. */
export const STRATEGIES = strategies.list('conv3d').map((s) => s.name);

/** How far a result may be from the float64 reference (relative error), by order of derivative. */
export const tolerance = (dtype: DType, order: 0 | 1 | 2): number =>
  dtype === 'float64' ? [1e-13, 1e-13, 1e-12][order] : [2e-5, 2e-5, 1e-4][order];

/**
 * What `compute` returns; or null where the device is read asynchronously and says that an operation has
 * to see its numbers.
 */
export function unlessItMustRead<T>(device: Device, compute: () => T): T | null {
  try {
    return compute();
  } catch (error) {
    const refuses =
      !device.capabilities.synchronous &&
      error instanceof VoxgradError &&
      error.code === 'DEVICE' &&
      error.message.includes('can only be read asynchronously: use await');
    if (refuses) return null;
    throw error;
  }
}
