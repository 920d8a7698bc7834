import type * as tfjs from '@tensorflow/tfjs-core';
import {
  type ConvCall,
  type ConvKernelName,
  cpuKernels,
  Device,
  missingKernel,
  type Refusal,
  registerDevice,
  VoxgradError,
} from '@voxgrad/core';
import { convForward } from './convolution.js';

export type Tfjs = typeof tfjs;

/** Backends whose results can be read synchronously. */
const SYNCHRONOUS = new Set(['cpu', 'wasm']);

/**
 * A device over the current backend of TensorFlow.js: `await tf.ready()` first, then
 * `createTfjsDevice(tf)`; it is registered as `tfjs:<backend>`.
 *
 * Forward convolutions run on tfjs (groups, and stride together with dilation, are composed of
 * calls that it has); their backward is the composite one, because tfjs differentiates neither
 * dilated nor grouped convolutions. Everything else computes on the host, in float32.
 */
export function createTfjsDevice(tf: Tfjs): Device {
  const backend = tf.getBackend();
  if (!backend)
    throw new VoxgradError(
      'DEVICE',
      'createTfjsDevice(): tfjs has no backend yet; import one (such as @tensorflow/tfjs-backend-cpu) ' +
        'and await tf.ready() first',
    );
  if (!SYNCHRONOUS.has(backend))
    throw new VoxgradError(
      'UNSUPPORTED',
      `createTfjsDevice(): the backend '${backend}' is read asynchronously, which this device does not ` +
        `do yet; use one of ${[...SYNCHRONOUS].join(', ')} (tf.setBackend)`,
    );
  const device = new Device(
    `tfjs:${backend}`,
    'tfjs',
    {
      // Integers are for indices and labels; tfjs itself has no float64 and no int64.
      computes: new Set(['float32', 'int64', 'int32', 'int16', 'int8', 'uint8', 'bool']),
      synchronous: true,
      profile: null,
      checkConv,
    },
    {
      ...cpuKernels,
      convBackward: undefined,
      convForward: (x, weight, geometry) => convForward(tf, x, weight, geometry),
    },
  );
  return registerDevice(device);
}

/** What tfjs's conv3d asserts, asked beforehand (tfjs-core 4.22, ops/conv3d.ts). */
function checkConv(kernel: ConvKernelName, { geometry, dtype }: ConvCall): Refusal[] {
  if (kernel !== 'convForward') return [missingKernel(kernel)];
  const refusals: Refusal[] = [];
  const source = 'tfjs-core 4.22.0, src/ops/conv3d.ts';
  if (dtype !== 'float32')
    refusals.push({ check: 'dtype', message: `tfjs convolves float32 only, not ${dtype}`, source });
  if (geometry.groups > 1)
    refusals.push({
      check: 'groups',
      message: `tfjs has no grouped 3D convolution (groups=${geometry.groups})`,
      source,
    });
  if (geometry.batch === 0)
    refusals.push({ check: 'batch', message: 'tfjs does not convolve an empty batch', source });
  if (geometry.stride.some((s) => s > 1) && geometry.dilation.some((d) => d > 1))
    refusals.push({
      check: 'stride',
      message:
        `tfjs takes either strides or dilations, not both (strides [${geometry.stride.join(', ')}], ` +
        `dilations [${geometry.dilation.join(', ')}])`,
      source,
    });
  return refusals;
}
