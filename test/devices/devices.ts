// The devices that every test of this folder runs on. Nothing is excluded for any of them: what a
// device cannot do stands in its capabilities, and is tested as a refusal.

import * as tf from '@tensorflow/tfjs-core';
import '@tensorflow/tfjs-backend-cpu';
import {
  type Capabilities,
  cpu,
  cpuKernels,
  Device,
  DTYPES,
  type DType,
  isFloat,
  missingKernel,
  strategies,
} from '@voxgrad/core';
import { npu } from '@voxgrad/npu';
import { createTfjsDevice } from '@voxgrad/tfjs';
import { createWasmDevice } from '@voxgrad/wasm';

await tf.setBackend('cpu');
await tf.ready();

const { convForward: _f, convWeight: _w, convBackward: _b, ...primitives } = cpuKernels;

/** Without any convolution kernel: the composites must run everything out of the primitives. */
const bareCapabilities: Capabilities = {
  ...cpu.capabilities,
  checkConv: (kernel) => [missingKernel(kernel)],
};

// Tensors of tests are small, so these two must not leave small ones to the host.
const wasm = createWasmDevice({ threads: 1, smallBytes: 0 });
const wasmThreads = createWasmDevice({ threads: 2, smallBytes: 0 });
await wasmThreads.ready();

export const DEVICES: readonly Device[] = [
  cpu,
  wasm,
  wasmThreads,
  npu('Ascend910B1', { cann: '8.2.RC1' }),
  createTfjsDevice(tf),
  new Device('bare', 'bare', bareCapabilities, primitives),
];

const FLOATS = DTYPES.filter(isFloat);

/** Float dtypes in which `device` computes. */
export const computed = (device: Device): DType[] =>
  FLOATS.filter((dtype) => device.capabilities.computes.has(dtype));

/** Float dtypes that `device` stores but does not compute in. */
export const refused = (device: Device): DType[] =>
  FLOATS.filter((dtype) => !device.capabilities.computes.has(dtype));

/** Every device with every float dtype that it computes. */
export const PLACES = DEVICES.flatMap((device) =>
  computed(device).map((dtype) => ({ device, dtype, name: `${device.name} ${dtype}` })),
);

/** Names of all strategies for the backward of a convolution. */
export const STRATEGIES = strategies.list('conv3d').map((s) => s.name);

/** How far a result may be from the float64 reference (relative error), by order of derivative. */
export const tolerance = (dtype: DType, order: 0 | 1 | 2): number =>
  dtype === 'float64' ? [1e-13, 1e-13, 1e-12][order] : [2e-5, 2e-5, 1e-4][order];
