// Devices and strategies as the page chooses them.

import { type Choices, type Device, getDevice, setDevice, strategies } from '@voxgrad/core';
import { createWasmDevice, WasmDevice } from '@voxgrad/wasm';
import type { DeviceChoice, EngineChoice, Environment } from '../shared/protocol.js';

/** Made once each: a device has a memory and threads of its own. */
const made = new Map<DeviceChoice, Device>();

export function deviceFor(choice: DeviceChoice): Device {
  const known = made.get(choice);
  if (known) return known;
  const device =
    choice === 'cpu'
      ? getDevice('cpu')
      : createWasmDevice(choice === 'wasm-1' ? { threads: 1 } : {});
  made.set(choice, device);
  return device;
}

/** Makes `choice` the default device and forces its strategies. */
export function choose({ device, forward, backward }: EngineChoice): Device {
  const chosen = deviceFor(device);
  setDevice(chosen);
  const choices: Choices = {
    conv3d: backward === 'auto' ? null : backward,
    'conv3d.forward': forward === 'auto' ? null : forward,
  };
  strategies.use(choices);
  return chosen;
}

/** Bytes of the device's own memory; 0 for one that has none. */
export const deviceMemory = (device: Device): number =>
  device instanceof WasmDevice ? device.memory().memoryBytes : 0;

export const threadsOf = (device: Device): number =>
  device instanceof WasmDevice ? device.threads : 1;

export function environment(): Environment {
  const isolated = globalThis.crossOriginIsolated === true;
  const cores = navigator.hardwareConcurrency || 1;
  return {
    isolated,
    cores,
    threads: isolated ? Math.min(8, cores) : 1,
    webgpu: 'gpu' in navigator,
    keepsSessions: 'indexedDB' in globalThis,
  };
}
