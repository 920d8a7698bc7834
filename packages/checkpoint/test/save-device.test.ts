// Tensors whose elements only a device has are copied out piece by piece, and stay there alone.

import { arange, type Tensor } from '@voxgrad/core';
import { createWasmDevice } from '@voxgrad/wasm';
import { expect, test } from 'vitest';
import { load, save } from '../src/index.js';
import { mapIn, tensorIn } from './support.js';

const device = createWasmDevice({ threads: 1 });
const LENGTH = 3 * 2 ** 20 + 5;

/** 12 MB and something, which a kernel has just made. */
const made = (): Tensor => arange(LENGTH, { dtype: 'float32', device }).add(1);

const onHost = ({ storage }: Tensor): boolean | undefined => storage.residence?.onHost;

test.each(['torch', 'safetensors', 'npz'] as const)('as %s', async (format) => {
  const whole = made();
  const turned = made()
    .narrow(0, 5, LENGTH - 5)
    .reshape([3, 2 ** 20])
    .transpose(0, 1);
  expect([whole, turned].map(onHost)).toEqual([false, false]);
  const file = await save({ whole, turned }, undefined, { format });
  expect([whole, turned].map(onHost)).toEqual([false, false]);
  const back = mapIn(await load(file, { device: 'cpu' }));
  for (const [name, before] of Object.entries({ whole, turned })) {
    const after = tensorIn(back.get(name));
    expect(after.shape).toEqual(before.shape);
    const [a, b] = [after.dataSync(), before.dataSync()] as [Float32Array, Float32Array];
    expect(Buffer.from(a.buffer).equals(Buffer.from(b.buffer))).toBe(true);
  }
});

test('a save takes nothing on the device for itself', async () => {
  const tensor = made();
  await save([tensor]);
  const { usedBytes, blocks } = device.memory();
  for (let i = 0; i < 5; i++) await save([tensor]);
  const after = device.memory();
  // Less only if the collector has found something of the tests before.
  expect(after.usedBytes).toBeLessThanOrEqual(usedBytes);
  expect(after.blocks).toBeLessThanOrEqual(blocks);
});
