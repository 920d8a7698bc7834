// The tfjs device of the page: the backend that its address names, certified.

import * as tf from '@tensorflow/tfjs-core';
import '@tensorflow/tfjs-backend-cpu';
import '@tensorflow/tfjs-backend-webgl';
import '@tensorflow/tfjs-backend-webgpu';
import { type CertifyReport, certify } from '@voxgrad/core';
import { createTfjsDevice, type TfjsDevice } from '@voxgrad/tfjs';

export { tf };

export const backend = new URLSearchParams(location.search).get('backend') ?? 'webgl';

// Small tensors would be computed on tfjs's cpu backend, which is not what is tested here.
tf.env().set('WEBGL_CPU_FORWARD', false);
tf.env().set('WEBGPU_CPU_FORWARD', false);

if (!(await tf.setBackend(backend))) throw new Error(`this browser has no ${backend}`);
await tf.ready();

/** What WebGPU refused, such as shaders that do not compile: tfjs itself goes on with old numbers. */
export const refusedByGpu: string[] = [];
const gpu = (tf.backend() as { device?: EventTarget }).device;
gpu?.addEventListener('uncapturederror', (event) => {
  refusedByGpu.push((event as unknown as { error: Error }).error.message);
});

export const pageDevice: TfjsDevice = createTfjsDevice(tf);
export const report: CertifyReport = await certify(pageDevice);
