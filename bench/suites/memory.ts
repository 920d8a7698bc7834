// Training for long in flat memory, and training past what the device can hold.

import type { MemoryStatistics } from '@voxgrad/wasm';
import { progress, QUICK } from '../lib/options.js';
import { runProgram } from '../lib/program.js';
import { against, type Cell, printTable } from '../lib/table.js';

const STEPS = QUICK ? 1000 : 10_000;
const GIB = QUICK ? 1.5 : 6;

interface Held {
  readonly blocks: number;
  readonly usedBytes: number;
}

interface LongTraining {
  readonly seconds: number;
  readonly first: number;
  readonly last: number;
  readonly early: number;
  readonly late: number;
  readonly most: number;
  readonly budgetBytes: number;
  readonly before: Held;
  readonly after: Held;
}

interface DeepNetwork {
  readonly layers: number;
  readonly loss: number;
  readonly state: string;
  readonly seconds: number;
  readonly residentMib: number;
  readonly memory: MemoryStatistics;
}

const mib = (bytes: number) => bytes / 2 ** 20;
const count = ({ blocks, usedBytes }: Held) => `${blocks} blocks, ${usedBytes} bytes`;

async function long(): Promise<void> {
  const rows: Cell[][] = [];
  for (const kind of ['sync', 'await']) {
    progress(`memory: ${STEPS} steps, ${kind}`);
    const got = await runProgram<LongTraining>('long-training.ts', [kind, String(STEPS)]);
    rows.push([
      kind,
      got.seconds,
      got.first,
      got.last,
      against(got.last / got.first, 1.02, 'most'),
      got.late / got.early,
      against(mib(got.most), mib(got.budgetBytes), 'most'),
      count(got.before),
      count(got.after),
    ]);
  }
  printTable(
    `${STEPS} steps of a small network`,
    [
      'loop',
      's',
      'MiB at step 100',
      'MiB at the end',
      'ratio',
      'last tenth : second',
      'most device MiB',
      'held before',
      'held after a collection',
    ],
    rows,
  );
}

async function deep(): Promise<void> {
  const results: (DeepNetwork & { budget: number })[] = [];
  for (const budget of QUICK ? [256, 2048] : [1024, 4095]) {
    progress(`memory: ${GIB} GiB of activations on a budget of ${budget} MiB`);
    const args = [String(budget), String(GIB)];
    results.push({ budget, ...(await runProgram<DeepNetwork>('deep-network.ts', args)) });
  }
  printTable(
    `A training step whose activations sum to ${GIB} GiB (${results[0].layers} layers)`,
    ['budget, MiB', 's', 'loss', 'state after', 'dropped', 'WebAssembly MiB', 'peak resident MiB'],
    results.map((r) => [
      String(r.budget),
      r.seconds,
      String(r.loss),
      r.state,
      String(r.memory.evictions),
      mib(r.memory.memoryBytes),
      r.residentMib,
    ]),
  );
  const [a, b] = results;
  console.log(`\nSame result: ${a.loss === b.loss && a.state === b.state ? 'yes' : 'NO'}`);
}

export async function memory(): Promise<void> {
  await long();
  await deep();
}
