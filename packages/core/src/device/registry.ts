import { requireFunction } from '../arguments.js';
import { cpu } from '../cpu/device.js';
import { argumentError, VoxgradError } from '../errors.js';
import { checkOptions } from '../options.js';
import { shared } from '../shared.js';
import { describe } from '../tensor/shape.js';
import { Device } from './device.js';

/** A device, or its name. */
export type DeviceLike = Device | string;

const state = shared('devices', () => ({
  known: new Map<string, Device>([['cpu', cpu]]),
  /** Devices that are made when someone first asks for them. */
  offered: new Map<string, () => Device>(),
  /** Name of the device that is the default while nobody has chosen one. */
  preferred: 'cpu',
  current: undefined as Device | undefined,
}));

/** Makes `device` known by its name; the newest device of a name wins. */
export function registerDevice(device: Device): Device {
  if (!(device instanceof Device))
    throw argumentError(`registerDevice(): expected a Device, but got ${describe(device)}`);
  state.known.set(device.name, device);
  return device;
}

/**
 * Makes the device `name` known without making it: `create`, which registers it, is called when it is
 * first asked for. A `preferred` one is the default from now on, unless one was chosen already.
 */
export function offerDevice(
  name: string,
  create: () => Device,
  options: { preferred?: boolean } = {},
): void {
  if (typeof name !== 'string')
    throw argumentError(`offerDevice(): expected a name, but got ${describe(name)}`);
  requireFunction('offerDevice', 'create', create);
  checkOptions('offerDevice', options, ['preferred']);
  state.offered.set(name, create);
  if (options.preferred) state.preferred = name;
}

/** The device called `name`, made now if it was only offered. */
function find(name: string): Device | undefined {
  return state.known.get(name) ?? state.offered.get(name)?.();
}

/** All known devices. */
export function devices(): Device[] {
  for (const name of state.offered.keys()) find(name);
  return [...state.known.values()];
}

/** The device called `name`, or the current default when `name` is omitted. */
export function getDevice(name?: DeviceLike): Device {
  if (name === undefined) {
    state.current ??= find(state.preferred) ?? cpu;
    return state.current;
  }
  if (name instanceof Device) return name;
  const found = find(name);
  if (found) return found;
  throw new VoxgradError(
    'DEVICE',
    `no device is called ${describe(name)}; known: ${[...new Set([...state.known.keys(), ...state.offered.keys()])].join(', ')}. ` +
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
