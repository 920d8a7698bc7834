// The device's memory is a cache over the host's: what is dropped comes back with its values, and
// nothing depends on when a collector runs.

import {
  bytesPerElement,
  conv3d,
  fromHost,
  noGrad,
  type Tensor,
  VoxgradError,
} from '@voxgrad/core';
import * as nn from '@voxgrad/nn';
import { Adam } from '@voxgrad/optim';
import { describe, expect, it } from 'vitest';
import { defined, filled, thrownBy } from '../../core/test/support/numbers.js';
import { createWasmDevice, type Precision, type WasmDevice } from '../src/index.js';
import { Block } from '../src/memory/block.js';
import { runProgram } from './support/programs.js';

const MIB = 2 ** 20;

/** A tensor of `mib` MiB for `device`, on the host until a kernel reads it: `first`, `first + 1`, … */
function counting(device: WasmDevice, mib: number, first = 0): Tensor {
  const length = (mib * MIB) / 4;
  const values = Float32Array.from({ length }, (_, i) => first + i);
  return fromHost(values, 'float32', [length], { device });
}

/** Makes the device hold the only copy: a clone runs in a kernel. */
const onDevice = (x: Tensor): Tensor => x.clone();

// Exact: with little room, direct convolution takes the place of quicker algorithms.
const small = (budgetMib: number, precision: Precision = 'exact') =>
  createWasmDevice({ threads: 1, budgetBytes: budgetMib * MIB, precision });

function blockOf(x: Tensor): Block {
  const { residence } = x.storage;
  if (!(residence instanceof Block)) throw new Error('the tensor was never on the device');
  return residence;
}

const isThere = (x: Tensor): boolean => blockOf(x).pointer !== 0;

function expectCounting(x: Tensor, first: number): void {
  const values = x.dataSync() as Float32Array;
  // Plain loops: millions of expectations would take minutes.
  for (let i = 0; i < values.length; i++)
    if (values[i] !== first + i) throw new Error(`element ${i} is ${values[i]}, not ${first + i}`);
}

describe('device memory', () => {
  it('finds room for a large block though modules of kernels lie in between', () => {
    const { memory, kernels } = createWasmDevice({ threads: 1, budgetBytes: 16 * MIB }).engine;
    const first = memory.take(6 * MIB, 'a test');
    const kernel = kernels.get('a test', () => {});
    const before = kernel.publish();
    memory.give(first);
    // No gap is as long, on either side of the module.
    const large = memory.take(12 * MIB, 'a test');
    expect(large).toBeLessThan(before);
    memory.give(large);
    const bytes = new Uint8Array(memory.memory.buffer, kernel.publish(), kernel.bytes.length);
    expect([...bytes]).toEqual([...kernel.bytes]);
  });

  it('stays within its budget in a synchronous loop that forgets its temporaries', () => {
    const device = small(64);
    const x = counting(device, 4);
    for (let i = 0; i < 200; i++) {
      onDevice(x);
      const { usedBytes, capacityBytes, memoryBytes } = device.memory();
      expect(usedBytes).toBeLessThanOrEqual(64 * MIB);
      expect(capacityBytes).toBeLessThanOrEqual(64 * MIB);
      expect(memoryBytes).toBeLessThanOrEqual(65 * MIB);
    }
    expect(device.memory().evictions).toBeGreaterThan(100);
  });

  it('drops the least recently used first', () => {
    const device = small(18);
    const [a, b, c] = [0, 1, 2].map((i) => onDevice(counting(device, 4, i)));
    // `a` has been used since, so a fourth costs `b`.
    const sum = a.narrow(0, 0, 2048).clone();
    const d = onDevice(c);
    const e = onDevice(c);
    expect([a, b, c, d, e].map(isThere)).toEqual([true, false, true, true, true]);
    expect(sum.numel).toBe(2048);
  });

  it('keeps the values of what only the device had', () => {
    const device = small(18);
    const tensors = Array.from({ length: 12 }, (_, i) => onDevice(counting(device, 4, i)));
    expect(tensors.filter(isThere).length).toBeLessThanOrEqual(4);
    expect(device.memory().copiedOutBytes).toBeGreaterThanOrEqual(7 * 4 * MIB);
    tensors.forEach((x, i) => {
      expectCounting(onDevice(x), i);
      expectCounting(x, i);
    });
  });

  it('drops without a copy what the host has as well', () => {
    const device = small(18);
    const clones = Array.from({ length: 6 }, (_, i) => {
      const clone = onDevice(counting(device, 4, i));
      clone.storage.array; // reading it leaves a copy on the host
      return clone;
    });
    expect(clones.filter(isThere).length).toBeLessThanOrEqual(4);
    expect(device.memory().evictions).toBeGreaterThan(6);
    expect(device.memory().copiedOutBytes).toBe(6 * 4 * MIB);
  });

  it('updates in place what has been dropped', () => {
    const device = small(18);
    const x = onDevice(counting(device, 4, 7));
    const others = Array.from({ length: 5 }, (_, i) => onDevice(counting(device, 4, i)));
    expect(isThere(x)).toBe(false);
    x.narrow(0, 1024, 8192).copy_(counting(device, 4, 100).narrow(0, 0, 8192));
    for (const y of others) onDevice(y);
    const values = x.dataSync() as Float32Array;
    expect([values[1023], values[1024], values[1024 + 8191], values[1024 + 8192]]).toEqual([
      7 + 1023,
      100,
      100 + 8191,
      7 + 1024 + 8192,
    ]);
  });

  it('sees a write by the host after a read by the device', () => {
    const device = small(64);
    const x = counting(device, 4);
    onDevice(x);
    x.narrow(0, 0, 1).fill_(-1);
    expect((onDevice(x).dataSync() as Float32Array)[0]).toBe(-1);
  });

  it('grows when what was dropped is wanted again, up to the budget', () => {
    const device = small(512);
    const start = device.memory().capacityBytes;
    const tensors = Array.from({ length: 24 }, (_, i) => onDevice(counting(device, 4, i)));
    for (let round = 0; round < 4; round++) for (const x of tensors) onDevice(x);
    expect(start).toBeLessThan(24 * 4 * MIB);
    expect(device.memory().capacityBytes).toBeGreaterThan(start);
    expect(device.memory().capacityBytes).toBeLessThanOrEqual(512 * MIB);
  });

  it('says who asked for how much when the budget is too small', () => {
    const device = small(6);
    const x = counting(device, 4);
    const error = thrownBy(() => onDevice(x));
    expect(error).toBeInstanceOf(VoxgradError);
    expect((error as VoxgradError).code).toBe('MEMORY');
    expect(error.message).toMatch(
      /^clone\(\): cannot allocate \d+ bytes \(4\.0 MiB\) of device memory for copy: .* budget of 6\.0 MiB/,
    );
    // The device is as usable as before.
    const half = x.narrow(0, 0, x.numel / 4).clone();
    expect(half.numel * bytesPerElement(half.dtype)).toBe(MIB);
    expectCounting(half, 0);
    expect(x.narrow(0, x.numel - 1, 1).item()).toBe(x.numel - 1);
  });

  it('trains what does not fit, with the result of a device where it does', () => {
    const train = (budgetMib: number) => {
      const device = small(budgetMib);
      const layers = Array.from(
        { length: 16 },
        (_, i) => new nn.Conv3d(i === 0 ? 1 : 4, 4, 3, { padding: 1 }),
      );
      noGrad(() => {
        for (const { weight, bias } of layers) {
          weight.copy_(filled(weight.shape, -0.3, 0.4).to('float32'));
          bias?.fill_(0.1);
        }
      });
      const model = new nn.Sequential(...layers.flatMap((layer) => [layer, new nn.ReLU()])).to(
        device,
      );
      const optimizer = new Adam(model.parameters(), { lr: 0.01 });
      const x = filled([1, 1, 32, 32, 32]).to('float32').to(device);
      const losses = [0, 1].map(() => {
        optimizer.zeroGrad();
        const loss = model.call(x).mean();
        loss.backward();
        optimizer.step();
        return loss.item();
      });
      const state = [...model.stateDict().values()].map((t) => [...t.to('cpu').dataSync()]);
      return { losses, state, memory: device.memory() };
    };
    // 32 activations of 0.5 MiB, and their gradients.
    const [tight, wide] = [train(5), train(256)];
    expect(tight.memory.memoryBytes).toBeLessThanOrEqual(6 * MIB);
    expect(tight.memory.evictions).toBeGreaterThan(20);
    expect(tight.losses).toEqual(wide.losses);
    expect(tight.state).toEqual(wide.state);
  });

  it.each([['Winograd', { budget: 8, channels: 32, kernel: 3, size: 24 }]])(
    'convolves directly where there is no room for %s',
    (_, { budget, channels, kernel, size }) => {
      const gradients = (device: WasmDevice) => {
        const x = filled([1, channels, size, size, size]).to('float32').to(device).requiresGrad_();
        const groups = kernel > 3 ? channels : 1;
        const shape = [channels, channels / groups, kernel, kernel, kernel];
        const w = filled(shape).to('float32').to(device).requiresGrad_();
        conv3d(x, w, null, { padding: (kernel - 1) / 2, groups })
          .sum()
          .backward();
        // As text: the difference of long arrays takes minutes to print.
        return [x.grad, w.grad].map((g) =>
          Buffer.from(defined(g).dataSync().buffer).toString('latin1'),
        );
      };
      const direct = gradients(small(64));
      const same = (device: WasmDevice) => gradients(device).every((text, i) => text === direct[i]);
      expect(same(small(budget, 'balanced'))).toBe(true);
      expect(same(small(256, 'balanced'))).toBe(false);
    },
  );

  it('has everything back after an await and a collection', async () => {
    const { before, after, during } = await runProgram<{
      before: { blocks: number; usedBytes: number };
      during: { blocks: number; usedBytes: number };
      after: { blocks: number; usedBytes: number };
    }>('counters.ts', ['--expose-gc']);
    expect(during.blocks).toBeGreaterThan(before.blocks);
    expect(after).toEqual(before);
  });

  it('lets the host collect dropped blocks inside a synchronous loop', async () => {
    const { peakMib } = await runProgram<{ peakMib: number }>('loop.ts');
    // 150 temporaries of 16 MiB over a budget of 128 MiB: 2.4 GiB if they were held.
    expect(peakMib).toBeLessThan(1200);
  });
});
