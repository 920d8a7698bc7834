// Forward and backward of one pattern, and the memory that they take. Argument: the pattern as JSON.

import { numelOf, ones, randn, setDevice } from '@voxgrad/core';
import { functional as F } from '@voxgrad/nn';
import { createWasmDevice } from '@voxgrad/wasm';
import { THREADS } from '../lib/options.js';
import { peakResidentMib } from '../lib/program.js';

const { input, weight: shape, ...options } = JSON.parse(process.argv[2]);
const device = createWasmDevice({ threads: THREADS });
await device.ready();
setDevice(device);

const x = randn(input, { requiresGrad: true });
const weight = randn(shape, { requiresGrad: true });
const made = peakResidentMib();

const begin = performance.now();
const y = F.conv3d(x, weight, undefined, options);
const forward = performance.now();
y.backward(ones(y.shape));
const backward = performance.now();

const finite = (values: Float32Array) => {
  for (let i = 0; i < values.length; i += 997) if (!Number.isFinite(values[i])) return false;
  return true;
};
const peakMib = peakResidentMib();
const BYTES = 4;
console.log(
  JSON.stringify({
    // Each with its gradient.
    liveBytes: 2 * BYTES * (numelOf(x.shape) + numelOf(weight.shape) + numelOf(y.shape)),
    made,
    peakMib,
    forwardSeconds: (forward - begin) / 1000,
    backwardSeconds: (backward - forward) / 1000,
    finite: finite(x.grad?.storage.array as Float32Array) && weight.grad !== null,
    memory: device.memory(),
  }),
);
