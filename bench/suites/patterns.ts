// The pattern that crashes elsewhere, at full size: whether it completes, and in how much memory.

import { existsSync, readFileSync } from 'node:fs';
import type { MemoryStatistics } from '@voxgrad/wasm';
import { progress, QUICK, THREADS } from '../lib/options.js';
import { runProgram } from '../lib/program.js';
import { against, printTable } from '../lib/table.js';

interface Pattern {
  readonly name: string;
  readonly input: number[];
  readonly weight: number[];
  readonly stride: number;
  readonly padding: number;
  readonly dilation: number;
  readonly groups: number;
}

interface Result {
  readonly made: number;
  readonly peakMib: number;
  readonly forwardSeconds: number;
  readonly backwardSeconds: number;
  readonly finite: boolean;
  readonly memory: MemoryStatistics;
}

const GOAL_MIB = 2.5 * 1024;

/** The published shape, for where the folder of facts is absent. */
const TRAIN05: Pattern = {
  name: 'train05_dw_k9_g7',
  input: [1, 7, 296, 296, 168],
  weight: [7, 1, 9, 9, 9],
  stride: 1,
  padding: 4,
  dilation: 1,
  groups: 7,
};

function patternCalled(name: string): Pattern {
  const file = new URL('../../../shared/facts/patterns.json', import.meta.url);
  if (!existsSync(file)) return TRAIN05;
  const { patterns } = JSON.parse(readFileSync(file, 'utf8')) as { patterns: Pattern[] };
  return patterns.find((pattern) => pattern.name === name) ?? TRAIN05;
}

export async function patterns(): Promise<void> {
  const { name, ...call } = patternCalled('train05_dw_k9_g7');
  const { input, weight, stride, padding, dilation, groups } = call;
  const small = [1, 7, 48, 48, 40];
  const options = { input: QUICK ? small : input, weight, stride, padding, dilation, groups };
  progress(`patterns: ${name} [${options.input}] float32`);
  const got = runProgram<Result>('pattern.ts', [JSON.stringify(options), `--threads=${THREADS}`]);
  printTable(
    `${name}, float32, [${options.input}], ${THREADS} threads`,
    [
      'forward s',
      'backward s',
      'finite',
      'resident MiB with the input',
      'peak resident MiB',
      'WebAssembly MiB',
      'dropped',
    ],
    [
      [
        got.forwardSeconds,
        got.backwardSeconds,
        got.finite,
        got.made,
        against(got.peakMib, GOAL_MIB, 'most'),
        got.memory.memoryBytes / 2 ** 20,
        String(got.memory.evictions),
      ],
    ],
  );
}
