// The umbrella: everything under one name. Only this package knows all devices, and that `wasm` is the
// default one.

import { offerDevice } from '@voxgrad/core';
import { createWasmDevice } from '@voxgrad/wasm';

export * from '@voxgrad/checkpoint';
export * from '@voxgrad/core';
export * as data from '@voxgrad/data';
export * as nn from '@voxgrad/nn';
export { functional as F, init } from '@voxgrad/nn';
export { npu } from '@voxgrad/npu';
export * as optim from '@voxgrad/optim';
export { createTfjsDevice } from '@voxgrad/tfjs';
export {
  createWasmDevice,
  type MemoryStatistics,
  WasmDevice,
  type WasmOptions,
} from '@voxgrad/wasm';

offerDevice('wasm', () => createWasmDevice(), { preferred: true });
