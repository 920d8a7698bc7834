// Threads: results do not depend on how many there are, and what goes wrong in one is an error with a
// name within a bounded time.

import { setTimeout } from 'node:timers/promises';
import { VoxgradError } from '@voxgrad/core';
import { afterAll, describe, expect, it } from 'vitest';
import { thrownBy } from '../../core/test/support/numbers.js';
import { i32, int, value } from '../src/emit/code.js';
import { createWasmDevice, type WasmDevice } from '../src/index.js';
import { forItems, words } from '../src/kernels/arguments.js';
import { kernelOf } from '../src/kernels/engine.js';
import { DeviceMemory } from '../src/memory/device-memory.js';
import { KernelCache } from '../src/threads/kernel-cache.js';
import { Team } from '../src/threads/team.js';
import { faultyWorker } from './support/faulty-worker.js';
import { geometry, passes } from './support/passes.js';
import { runProgram } from './support/programs.js';

const started: WasmDevice[] = [];
afterAll(() => {
  for (const device of started) device.stop();
});

async function withThreads(threads: number): Promise<WasmDevice> {
  const device = createWasmDevice({ threads, smallBytes: 0 });
  started.push(device);
  await device.ready();
  expect(device.threads).toBe(threads);
  return device;
}

const GEOMETRIES = {
  dense: geometry({}),
  depthwise: geometry({ groups: 6, inChannels: 6, outChannels: 6 }),
  strided: geometry({ output: [5, 4, 22], stride: [2, 3, 1] }),
  dilated: geometry({ output: [7, 6, 20], dilation: [2, 3, 2] }),
  pointwise: geometry({
    kernel: [1, 1, 1],
    padding: [
      [0, 0],
      [0, 0],
      [0, 0],
    ],
  }),
};

describe('threads', () => {
  it('give the same bits, however many there are', async () => {
    const [one, ...more] = await Promise.all([1, 2, 3].map(withThreads));
    for (const [name, g] of Object.entries(GEOMETRIES))
      for (const dtype of ['float32', 'float64'] as const) {
        const right = passes(one, g, dtype);
        for (const device of more)
          for (let repeat = 0; repeat < 5; repeat++)
            expect(passes(device, g, dtype), `${name} ${dtype} ${device.threads}`).toEqual(right);
      }
  });

  it('are not waited for: computing works before they are up', async () => {
    const device = createWasmDevice({ threads: 2, smallBytes: 0 });
    started.push(device);
    expect(device.threads).toBe(1);
    const early = passes(device, GEOMETRIES.dense, 'float32');
    await device.ready();
    expect(device.threads).toBe(2);
    expect(passes(device, GEOMETRIES.dense, 'float32')).toEqual(early);
  });

  it('end with the program that does not stop them', async () => {
    const { threads, sum } = await runProgram<{ threads: number; sum: number }>('exits.ts');
    expect(threads).toBe(2);
    expect(sum).toBe(27 * 8);
  });

  it('stop when they are told to, and the device computes on', async () => {
    const device = await withThreads(2);
    const before = passes(device, GEOMETRIES.dense, 'float64');
    device.stop();
    expect(device.threads).toBe(1);
    expect(passes(device, GEOMETRIES.dense, 'float64')).toEqual(before);
  });
});

describe('kernels', () => {
  it('are kept within a bound, by all threads', async () => {
    const { engine } = await withThreads(2);
    const at = engine.memory.take(4 * 8, 'test');
    const write = (n: number) =>
      kernelOf(engine, `writes ${n}`, (builder) => {
        const { at } = words(builder, ['at']);
        forItems(builder, (item) => builder.f.store('i32', i32.add(at, i32.shl(item, 2)), int(n)));
      });
    const first = write(0);
    const check = (kernel: typeof first, n: number) => {
      engine.team.run(kernel, 8, [at]);
      const got = [...new Int32Array(engine.memory.memory.buffer, at, 8)];
      if (got.some((x) => x !== n)) throw new Error(`kernel ${n} wrote ${got}`);
    };
    for (let n = 0; n < 2500; n++) check(write(n), n);
    expect(engine.kernels.size).toBeLessThanOrEqual(1024);
    // Dropped long ago, and still in the hands of a caller.
    check(first, 0);
    check(write(0), 0);
    const { usedBytes } = engine.memory.statistics();
    for (let n = 0; n < 500; n++) check(write(n), n);
    // Dropped kernels give their bytes back.
    expect(engine.memory.statistics().usedBytes - usedBytes).toBeLessThan(1024);
  });
});

describe('a failure', () => {
  it('in a kernel names the kernel and leaves the device usable', async () => {
    const device = await withThreads(2);
    const right = passes(device, GEOMETRIES.dense, 'float32');
    // The first items take a while, so that workers come to the one that traps.
    const kernel = kernelOf(device.engine, 'a kernel that traps', (builder) => {
      const { f } = builder;
      const { at } = words(builder, ['at']);
      forItems(builder, (item) => {
        const turns = f.int(0);
        f.for(turns, 2_000_000, 1, () => f.keepLoopSmall(at));
        f.if(i32.eq(item, at), () => f.set(turns, value('i32', [0x00]))); // unreachable
      });
    });
    for (let at = 1; at < 8; at++) {
      const error = thrownBy(() => device.engine.team.run(kernel, 16, [at]));
      expect(error).toBeInstanceOf(VoxgradError);
      expect((error as VoxgradError).code).toBe('DEVICE');
      expect(error.message).toMatch(/the kernel 'a kernel that traps' failed.*unreachable/);
      if (error.message.includes('worker')) expect(error.message).toContain(`at item ${at}`);
    }
    expect(passes(device, GEOMETRIES.dense, 'float32')).toEqual(right);
    expect(device.threads).toBe(2);
  });

  it('of a worker in the middle of a job is an error within its time, not a hang', async () => {
    const memory = new DeviceMemory({ shared: true, budgetBytes: 2 ** 24, smallBytes: 0 });
    const team = new Team(memory, {
      threads: 2,
      workerUrl: faultyWorker('inside'),
      patience: 300,
    });
    await team.ready();
    const results = memory.take(4 * 64, 'test');
    const kernel = new KernelCache(memory).get('numbers its items', (builder) => {
      const { results } = words(builder, ['results']);
      forItems(builder, (item) =>
        builder.f.store('i32', i32.add(results, i32.shl(item, 2)), i32.add(item, 1)),
      );
    });
    const begin = performance.now();
    let error: unknown;
    // It may be asleep for the first jobs.
    for (let i = 0; i < 1000 && error === undefined; i++)
      try {
        team.run(kernel, 64, [results]);
      } catch (thrown) {
        error = thrown;
      }
    expect(performance.now() - begin).toBeLessThan(10_000);
    expect(error).toBeInstanceOf(VoxgradError);
    expect(String(error)).toMatch(/'numbers its items'.*goes on with one thread/);
    expect(team.size).toBe(1);
    new Int32Array(memory.memory.buffer, results, 64).fill(0);
    team.run(kernel, 64, [results]);
    expect([...new Int32Array(memory.memory.buffer, results, 64)]).toEqual(
      Array.from({ length: 64 }, (_, i) => i + 1),
    );
    await expect(team.ready()).rejects.toThrow('goes on with one thread');
  });

  it('of a worker between jobs leaves one thread, and ready() tells', async () => {
    const device = createWasmDevice({ threads: 2, smallBytes: 0, workerUrl: faultyWorker('idle') });
    const right = passes(device, GEOMETRIES.dense, 'float32');
    await setTimeout(500);
    expect(device.threads).toBe(1);
    await expect(device.ready()).rejects.toThrow(/worker voxgrad-wasm-1 ended with code 3/);
    expect(passes(device, GEOMETRIES.dense, 'float32')).toEqual(right);
  });

  it('to start a worker is told by ready(), and the device computes', async () => {
    const workerUrl = new URL('./no-such-worker.cjs', import.meta.url);
    const device = createWasmDevice({ threads: 2, smallBytes: 0, workerUrl });
    await expect(device.ready()).rejects.toThrow(/wasm: the worker voxgrad-wasm-1 failed/);
    expect(device.threads).toBe(1);
    expect(passes(device, GEOMETRIES.pointwise, 'float64')).toHaveLength(4);
  });
});
