// The umbrella: everything under one name. Only this package knows all devices, and that `wasm` is the
// default one.

import { offerDevice } from '@voxgrad/core';
import '@voxgrad/core/methods';
import { createWasmDevice } from '@voxgrad/wasm';

export * from '@voxgrad/checkpoint';
export * from '@voxgrad/core';
export * as data from '@voxgrad/data';
export * as nn from '@voxgrad/nn';
export { functional as F, init } from '@voxgrad/nn';
export {
  type Arithmetic,
  type Diagnosis,
  doctor,
  type Finding,
  formatCast,
  getFormat,
  type ModelDescription,
  type NpuDevice,
  type NpuOptions,
  npu,
  type Plan,
  type PlanLayer,
  plan,
  planTable,
  repro,
  type StorageFormat,
  storageShape,
} from '@voxgrad/npu';
export * as optim from '@voxgrad/optim';
export { createTfjsDevice } from '@voxgrad/tfjs';
export {
  createWasmDevice,
  type MemoryStatistics,
  WasmDevice,
  type WasmOptions,
} from '@voxgrad/wasm';
export { type DescribeModelOptions, describeModel } from './describe-model/describe-model.js';
export { loadLayersModel } from './layers-model/load.js';

offerDevice('wasm', () => createWasmDevice(), { preferred: true });
