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
if (new URLSearchParams(location.search).has('uniforms'))
  tf.env().set('WEBGL_USE_SHAPES_UNIFORMS', true);

if (!(await tf.setBackend(backend))) throw new Error(`this browser has no ${backend}`);
await tf.ready();

export const pageDevice: TfjsDevice = createTfjsDevice(tf);
export const report: CertifyReport = await certify(pageDevice);
