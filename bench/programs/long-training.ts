// Many steps of a small network, in a synchronous loop or with an await per step; no dispose, no scope.
// Arguments: `sync` or `await`, and the number of steps.

import { setImmediate, setTimeout } from 'node:timers/promises';
import { manualSeed, randn, setDevice } from '@voxgrad/core';
import * as nn from '@voxgrad/nn';
import { Adam } from '@voxgrad/optim';
import { createWasmDevice } from '@voxgrad/wasm';
import { median } from '../lib/measure.js';
import { residentMib } from '../lib/program.js';

const [kind, count] = process.argv.slice(2);
const steps = Number(count);
const budgetBytes = 64 * 2 ** 20;
const device = createWasmDevice({ threads: 1, budgetBytes });
setDevice(device);

function build() {
  manualSeed(1);
  const model = new nn.Sequential(
    new nn.Conv3d(1, 8, 3, { padding: 1 }),
    new nn.BatchNorm3d(8),
    new nn.ReLU(),
    new nn.Conv3d(8, 2, 1),
  );
  const optimizer = new Adam(model.parameters(), { lr: 1e-3 });
  const x = randn([1, 1, 16, 16, 16]);
  const target = randn([1, 2, 16, 16, 16]);
  return () => {
    optimizer.zeroGrad();
    const loss = nn.functional.mseLoss(model.call(x), target);
    loss.backward();
    optimizer.step();
    return loss.item();
  };
}

const held = () => {
  const { blocks, usedBytes } = device.memory();
  return { blocks, usedBytes };
};

async function collected() {
  for (let i = 0; i < 4; i++) {
    await setTimeout(10);
    globalThis.gc?.();
  }
  await setTimeout(10);
}

const samples: number[] = [];
let most = 0;

async function train() {
  const step = build();
  for (let i = 1; i <= steps; i++) {
    step();
    most = Math.max(most, device.memory().usedBytes);
    if (i % 10 === 0) samples.push(residentMib());
    if (kind === 'await') await setImmediate();
  }
}

const begin = performance.now();
// Kernels that are compiled for threads stay; so the counters are taken after a first step.
build()();
await collected();
const before = held();
await train();
const seconds = (performance.now() - begin) / 1000;
const last = residentMib();
// Collections make it a saw: beside the two ends, the middles of two tenths of the way.
const tenth = samples.length / 10;
const early = median(samples.slice(tenth, 2 * tenth));
const late = median(samples.slice(-tenth));
await collected();
console.log(
  JSON.stringify({
    seconds,
    first: samples[9],
    last,
    early,
    late,
    most,
    budgetBytes,
    before,
    after: held(),
  }),
);
