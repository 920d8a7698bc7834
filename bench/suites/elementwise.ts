// Elementwise operations on tensors that no cache holds, in bytes moved per second, against a plain
// copy; and what an operation on a few elements costs.

import { fromHost, noGrad, scope, type Tensor, tensor } from '@voxgrad/core';
import type { WasmDevice } from '@voxgrad/wasm';
import { noise } from '../lib/conv-cases.js';
import { deviceOf, devicePair } from '../lib/devices.js';
import { interleaved, median, type Run } from '../lib/measure.js';
import { progress, QUICK, THREADS } from '../lib/options.js';
import { against, type Cell, printTable } from '../lib/table.js';

const LENGTH = QUICK ? 2 ** 20 : 2 ** 24;
const GOAL = 0.7;

/** Arrays that an operation reads or writes. */
const OPERATIONS = {
  add: { arrays: 3, run: (a: Tensor, b: Tensor) => a.add(b) },
  mul: { arrays: 3, run: (a: Tensor, b: Tensor) => a.mul(b) },
  relu: { arrays: 2, run: (a: Tensor) => a.relu() },
  sum: { arrays: 1, run: (a: Tensor) => a.sum() },
  clone: { arrays: 2, run: (a: Tensor) => a.clone() },
} as const;

const gigabytes = (arrays: number, ms: number) => (arrays * LENGTH * 4) / ms / 1e6;

/** Copies between two places of a device's memory, by the platform's own copy. */
function deviceCopy({ engine: { memory } }: WasmDevice): Run {
  const [from, to] = [memory.take(LENGTH * 4, 'bench'), memory.take(LENGTH * 4, 'bench')];
  return () => {
    const bytes = new Uint8Array(memory.memory.buffer);
    bytes.copyWithin(to, from, from + LENGTH * 4);
  };
}

async function large(): Promise<void> {
  const devices = await devicePair({ budgetBytes: 2 ** 30 });
  const [source, target] = [new Float32Array(LENGTH), new Float32Array(LENGTH)];
  const runs: Record<string, Run> = {
    host: () => target.set(source),
    copy: deviceCopy(devices.one),
  };
  for (const [which, device] of Object.entries(devices)) {
    const [a, b] = [1, 2].map((seed) =>
      fromHost(noise(LENGTH, 'float32', seed), 'float32', [LENGTH], { device }),
    );
    // A scope gives the result back, as a loop that keeps nothing does in time.
    for (const [name, { run }] of Object.entries(OPERATIONS))
      runs[`${name} ${which}`] = () => scope(() => noGrad(() => run(a, b)) && undefined);
  }
  progress(`elementwise: ${LENGTH} numbers`);
  const { ms, ratio } = await interleaved(runs);
  const rows: Cell[][] = [
    ['copy, host → host', ms.host, gigabytes(2, ms.host), 1, '', '', ''],
    ['copy, device → device', ms.copy, gigabytes(2, ms.copy), ratio('host', 'copy'), '', '', ''],
  ];
  for (const [name, { arrays }] of Object.entries(OPERATIONS)) {
    const [one, many] = [`${name} one`, `${name} many`];
    const bandwidth = (against: string, of: string) => (arrays / 2) * ratio(against, of);
    rows.push([
      name,
      ms[one],
      gigabytes(arrays, ms[one]),
      bandwidth('host', one),
      against(bandwidth('copy', one), GOAL),
      ms[many],
      against(bandwidth('copy', many), GOAL),
    ]);
  }
  printTable(
    `Bandwidth on ${(LENGTH / 1e6).toFixed(1)} million float32`,
    [
      'operation',
      'ms',
      'GB/s',
      ': host copy',
      ': device copy',
      `ms, ${THREADS} threads`,
      ': device copy',
    ],
    rows,
  );
}

/** Microseconds of a forward and backward on 8 elements, each in a chain of `depth` operations. */
function microseconds(device: WasmDevice, depth: number, operation: (x: Tensor) => Tensor) {
  const x = tensor([1, 2, 3, 4, 5, 6, 7, 8], { device, requiresGrad: true });
  const gradient = tensor([1, 1, 1, 1, 1, 1, 1, 1], { device });
  const step = () => {
    let y = x;
    for (let i = 0; i < depth; i++) y = operation(y);
    y.backward(gradient);
  };
  const repeats = Math.ceil((QUICK ? 2000 : 20_000) / depth);
  for (let i = 0; i < repeats; i++) step();
  const times = Array.from({ length: 9 }, () => {
    const begin = performance.now();
    for (let i = 0; i < repeats; i++) step();
    return ((performance.now() - begin) * 1000) / repeats / depth;
  });
  return median(times);
}

async function small(): Promise<void> {
  const device = await deviceOf({ threads: THREADS });
  const two = tensor([2, 2, 2, 2, 2, 2, 2, 2], { device });
  const rows: Cell[][] = Object.entries({
    'add a tensor': (x: Tensor) => x.add(two),
    'mul by a tensor': (x: Tensor) => x.mul(two),
    relu: (x: Tensor) => x.relu(),
  }).map(([name, operation]) => [
    name,
    against(microseconds(device, 1, operation), 5, 'most'),
    against(microseconds(device, 50, operation), 5, 'most'),
  ]);
  printTable(
    'An operation on 8 elements, forward and backward, µs',
    ['operation', 'alone (with the walk of the tape)', 'each of a chain of 50'],
    rows,
  );
}

export async function elementwise(): Promise<void> {
  await large();
  await small();
}
