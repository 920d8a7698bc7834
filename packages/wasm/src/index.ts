export { createWasmDevice, WasmDevice } from './device.js';
export type { MemoryStatistics } from './memory/device-memory.js';
export type { Precision, WasmOptions } from './options.js';
