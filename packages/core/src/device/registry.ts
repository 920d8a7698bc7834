import { requireFunction } from '../arguments.js';
import { cpu } from '../cpu/device.js';
import { argumentError, VoxgradError } from '../errors.js';
import { shared } from '../shared.js';
import { describe } from '../tensor/shape.js';
import { Device } from './device.js';

export type DeviceLike = Device | string;

const state = shared('devices', () => ({
  known: new Map<string, Device>([['cpu', cpu]]),
  current: undefined as Device | undefined,
}));

/** Makes `device` known by its name; the newest device of a name wins. */
export function registerDevice(device: Device): Device {
  if (!(device instanceof Device))
    throw argumentError(`registerDevice(): expected a Device, but got ${describe(device)}`);
  state.known.set(device.name, device);
  return device;
}

/** All known devices. */
export const devices = (): Device[] => [...state.known.values()];

/** The device called `name`, or the current default when `name` is omitted. */
export function getDevice(name?: DeviceLike): Device {
  if (name === undefined) {
    state.current ??= cpu;
    return state.current;
  }
  if (name instanceof Device) return name;
  const found = state.known.get(name);
  if (found) return found;
  throw new VoxgradError(
    'DEVICE',
    `no device is called ${describe(name)}; known: ${[...state.known.keys()].join(', ')}. ` +
      'Create it first (createTfjsDevice, npu, …) or use one of these',
  );
}

/** Makes `device` the default for everything created without a `device` option. */
export function setDevice(device: DeviceLike): void {
  state.current = getDevice(device);
}

/** Runs `fn` with another default device. `fn` must be synchronous. */
export function withDevice<T>(device: DeviceLike, fn: () => T): T {
  requireFunction('withDevice', 'fn', fn);
  const previous = state.current;
  state.current = getDevice(device);
  try {
    const result = fn();
    if (result instanceof Promise)
      throw argumentError(
        'withDevice(): the function returned a promise, but the default device is restored as soon ' +
          'as it returns; pass { device } explicitly in asynchronous code',
      );
    return result;
  } finally {
    state.current = previous;
  }
}
