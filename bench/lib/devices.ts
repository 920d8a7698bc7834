import { createWasmDevice, type WasmDevice, type WasmOptions } from '@voxgrad/wasm';
import { THREADS } from './options.js';

/** A device with all its threads up. */
export async function deviceOf(options: WasmOptions): Promise<WasmDevice> {
  const device = createWasmDevice(options);
  await device.ready();
  return device;
}

/** The same device with one thread and with several. */
export async function devicePair(options: WasmOptions = {}) {
  const one = await deviceOf({ ...options, threads: 1 });
  const many = await deviceOf({ ...options, threads: THREADS });
  return { one, many };
}
