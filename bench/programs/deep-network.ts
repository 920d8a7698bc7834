// One training step of a network whose activations sum to `gib` GiB, on a device of `budget` MiB.
// Arguments: budget in MiB, GiB of activations.

import { createHash } from 'node:crypto';
import { manualSeed, randn, setDevice } from '@voxgrad/core';
import * as nn from '@voxgrad/nn';
import { SGD } from '@voxgrad/optim';
import { createWasmDevice } from '@voxgrad/wasm';
import { peakResidentMib } from '../lib/program.js';

const [budget, gib] = process.argv.slice(2).map(Number);
const device = createWasmDevice({ threads: 2, budgetBytes: budget * 2 ** 20 });
await device.ready();
setDevice(device);
manualSeed(3);

const EDGE = 128;
const CHANNELS = 4;
const activation = CHANNELS * EDGE ** 3 * 4;
// Each layer leaves two: of its convolution, and of its rectifier.
const layers = Math.ceil((gib * 2 ** 30) / activation / 2);

const model = new nn.Sequential();
for (let i = 0; i < layers; i++) {
  model.append(new nn.Conv3d(i === 0 ? 1 : CHANNELS, CHANNELS, 3, { padding: 1 }));
  model.append(new nn.ReLU());
}
const optimizer = new SGD(model.parameters(), { lr: 0.1 });
const begin = performance.now();
const loss = model.call(randn([1, 1, EDGE, EDGE, EDGE])).mean();
loss.backward();
optimizer.step();
const hash = createHash('sha256');
for (const parameter of model.parameters()) hash.update(parameter.dataSync());
console.log(
  JSON.stringify({
    layers,
    loss: loss.item(),
    state: hash.digest('hex').slice(0, 16),
    seconds: (performance.now() - begin) / 1000,
    residentMib: peakResidentMib(),
    memory: device.memory(),
  }),
);
