// The device's memory is a cache over the host's: what is dropped comes back with its values, and
// nothing depends on when a collector runs.

import { arange, bytesPerElement, type Tensor, VoxgradError } from '@voxgrad/core';
import { describe, expect, it } from 'vitest';
import { thrownBy } from '../../core/test/support/numbers.js';
import { createWasmDevice, type WasmDevice } from '../src/index.js';
import { Block } from '../src/memory/block.js';
import { runProgram } from './support/programs.js';

const MIB = 2 ** 20;

/** A tensor of `mib` MiB on `device`: `first`, `first + 1`, … */
const counting = (device: WasmDevice, mib: number, first = 0): Tensor =>
  arange(first, first + (mib * MIB) / 4, { dtype: 'float32', device });

/** Makes the device hold the only copy: a clone runs in a kernel. */
const onDevice = (x: Tensor): Tensor => x.clone();

const small = (budgetMib: number) =>
  createWasmDevice({ threads: 1, budgetBytes: budgetMib * MIB });

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
    const x = counting(device, 4);
    onDevice(x).dataSync();
    const { copiedOutBytes } = device.memory();
    // `x` came from the host and the clone was read: neither has to be copied again.
    for (let i = 0; i < 6; i++) onDevice(counting(device, 4, i)).dataSync();
    const { copiedOutBytes: later } = device.memory();
    expect(later - copiedOutBytes).toBe(6 * 4 * MIB); // the six that were read, once each
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
    expect(error.message).toMatch(/^(copy|clone): cannot get 4\.0 MiB .* budget of 6\.0 MiB/);
    // The device is as usable as before.
    const half = x.narrow(0, 0, x.numel / 4).clone();
    expect(half.numel * bytesPerElement(half.dtype)).toBe(MIB);
    expectCounting(half, 0);
    expectCounting(x, 0);
  });

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
    // 400 temporaries of 16 MiB over a budget of 128 MiB: 6.4 GB if any were held.
    expect(peakMib).toBeLessThan(1500);
  });
});
