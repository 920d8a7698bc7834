// The devices that every test of this folder runs on. Nothing is excluded for any of them: what a
// device cannot do stands in its capabilities, and is tested as a refusal.

import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { setWasmPaths } from '@tensorflow/tfjs-backend-wasm';
import * as tf from '@tensorflow/tfjs-core';
import '@tensorflow/tfjs-backend-cpu';
import { cpu, type Device } from '@voxgrad/core';
import { npu } from '@voxgrad/npu';
import { createTfjsDevice } from '@voxgrad/tfjs';
import { createWasmDevice } from '@voxgrad/wasm';
import { bare } from './bare.js';
import { placesOf } from './places.js';

async function tfjsDevice(backend: string): Promise<Device> {
  await tf.setBackend(backend);
  await tf.ready();
  return createTfjsDevice(tf);
}

const wasmHome = dirname(createRequire(import.meta.url).resolve('@tensorflow/tfjs-backend-wasm'));
setWasmPaths(`${wasmHome}/`);

// Tensors of tests are small, so these two must not leave small ones to the host.
const wasm = createWasmDevice({ threads: 1, smallBytes: 0 });
const wasmThreads = createWasmDevice({ threads: 2, smallBytes: 0 });
await wasmThreads.ready();

export const DEVICES: readonly Device[] = [
  cpu,
  wasm,
  wasmThreads,
  npu('Ascend910B1', { cann: '8.2.RC1' }),
  await tfjsDevice('cpu'),
  await tfjsDevice('wasm'),
  bare,
];

export const PLACES = placesOf(DEVICES);

export { computed, refused, STRATEGIES, tolerance, unlessItMustRead } from './places.js';
