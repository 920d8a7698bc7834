// What the device holds before, during and after work whose results are all forgotten.

import { setTimeout } from 'node:timers/promises';
import { arange, setDevice } from '@voxgrad/core';
import { createWasmDevice } from '@voxgrad/wasm';

const device = createWasmDevice({ threads: 1, budgetBytes: 256 * 2 ** 20 });
setDevice(device);

const held = () => {
  const { blocks, usedBytes } = device.memory();
  return { blocks, usedBytes };
};

const work = () => {
  const x = arange(0, 2 ** 20, { dtype: 'float32' });
  const clones = Array.from({ length: 10 }, () => x.clone());
  return { ...held(), clones: clones.length };
};

const before = held();
const { blocks, usedBytes } = work();
await setTimeout(10);
for (let i = 0; i < 5; i++) {
  globalThis.gc?.();
  await setTimeout(10);
}
console.log(JSON.stringify({ before, during: { blocks, usedBytes }, after: held() }));
