// What the device holds before, during and after training whose tensors are all forgotten.

import { setTimeout } from 'node:timers/promises';
import { ones, setDevice } from '@voxgrad/core';
import * as nn from '@voxgrad/nn';
import { Adam } from '@voxgrad/optim';
import { createWasmDevice } from '@voxgrad/wasm';

const device = createWasmDevice({ threads: 1, budgetBytes: 256 * 2 ** 20 });
setDevice(device);

const held = () => {
  const { blocks, usedBytes } = device.memory();
  return { blocks, usedBytes };
};

function train() {
  const model = new nn.Sequential(
    new nn.Conv3d(1, 8, 3, { padding: 1 }),
    new nn.BatchNorm3d(8),
    new nn.ReLU(),
    new nn.Conv3d(8, 1, 1),
  );
  const optimizer = new Adam(model.parameters(), { lr: 1e-3 });
  const x = ones([1, 1, 16, 16, 16]);
  for (let i = 0; i < 20; i++) {
    optimizer.zeroGrad();
    nn.functional.mseLoss(model.call(x), x).backward();
    optimizer.step();
  }
  return held();
}

const before = held();
const during = train();
await setTimeout(10);
for (let i = 0; i < 5; i++) {
  globalThis.gc?.();
  await setTimeout(10);
}
console.log(JSON.stringify({ before, during, after: held() }));
