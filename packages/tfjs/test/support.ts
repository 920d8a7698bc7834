// tfjs in Node, on the backends that it has there.

import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { setWasmPaths } from '@tensorflow/tfjs-backend-wasm';
import * as tf from '@tensorflow/tfjs-core';
import '@tensorflow/tfjs-backend-cpu';
import { createTfjsDevice, type TfjsDevice } from '../src/index.js';

export { tf };

export const BACKENDS = ['cpu', 'wasm'] as const;

const home = dirname(createRequire(import.meta.url).resolve('@tensorflow/tfjs-backend-wasm'));
setWasmPaths(`${home}/`);

export async function deviceOn(backend: string): Promise<TfjsDevice> {
  if (!(await tf.setBackend(backend))) throw new Error(`tfjs has no backend ${backend} here`);
  await tf.ready();
  return createTfjsDevice(tf);
}
