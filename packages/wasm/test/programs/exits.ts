// A program that computes on threads and simply ends.

import { ones } from '@voxgrad/core';
import { functional as F } from '@voxgrad/nn';
import { createWasmDevice } from '@voxgrad/wasm';

const device = createWasmDevice({ threads: 2, smallBytes: 0 });
await device.ready();
const x = ones([1, 1, 4, 4, 4], { device });
const y = F.conv3d(x, ones([1, 1, 3, 3, 3], { device }));
console.log(JSON.stringify({ threads: device.threads, sum: y.sum().item() }));
