// The eleven patterns: whether the one that crashes elsewhere completes and in how much memory, how
// exact every strategy is, and whether the chosen one is ever slower than the native-style fused one.
// `--scale=N` shrinks them; `--mode=precision` or `--mode=perf` measures one of the two alone, and
// `--only=train05` some of them.

import type { MemoryStatistics } from '@voxgrad/wasm';
import { DEPTHWISE, patternContests } from '../../packages/voxgrad/src/bench/compare/cases.js';
import { PATTERNS, type Pattern, scaled } from '../../packages/voxgrad/src/bench/patterns.js';
import { benchLines, MODES, type Mode, runBench } from '../../packages/voxgrad/src/bench/run.js';
import { compare } from '../lib/compare.js';
import { deviceOf } from '../lib/devices.js';
import { option, progress, QUICK, THREADS } from '../lib/options.js';
import { runProgram } from '../lib/program.js';
import { against, printTable } from '../lib/table.js';

interface Result {
  readonly made: number;
  readonly peakMib: number;
  readonly forwardSeconds: number;
  readonly backwardSeconds: number;
  readonly finite: boolean;
  readonly memory: MemoryStatistics;
}

const GOAL_MIB = 2.5 * 1024;

const SCALE = Number(option('--scale') ?? (QUICK ? 8 : 1));
const ASKED: readonly Mode[] = MODES.filter((mode) => mode === (option('--mode') ?? mode));
/** Turns of a comparison: few, since one takes seconds at full size. */
const ROUNDS = 3;

export async function patterns(): Promise<void> {
  if ((option('--mode') ?? 'peers') === 'peers')
    await compare('patterns', [...(QUICK ? [] : DEPTHWISE), ...patternContests(SCALE)]);
  const device = await deviceOf({ threads: THREADS });
  for (const mode of ASKED)
    for (const dtype of mode === 'precision'
      ? (['float32', 'float64'] as const)
      : (['float32'] as const)) {
      const result = await runBench({
        suite: 'patterns',
        mode,
        device,
        dtype,
        // The reference computes in plain loops.
        scale: mode === 'precision' ? Math.max(SCALE, 8) : SCALE,
        rounds: ROUNDS,
        only: option('--only') ?? '',
        progress: (text) => progress(`patterns, ${mode}, ${dtype}: ${text}`),
      });
      const [title, , ...table] = benchLines(result);
      console.log([`\n### ${title}, ${THREADS} threads\n`, ...table].join('\n'));
    }
  if (ASKED.includes('perf') && option('--only') === undefined) await memoryOfLargest();
}

async function memoryOfLargest(): Promise<void> {
  const largest = PATTERNS.find(({ name }) => name === 'train05_dw_k9_g7') as Pattern;
  const { name, ...call } = scaled(largest, SCALE);
  progress(`patterns: ${name} [${call.input}] float32, memory`);
  const got = await runProgram<Result>('pattern.ts', [
    JSON.stringify(call),
    `--threads=${THREADS}`,
  ]);
  printTable(
    `${name}, float32, [${call.input}], ${THREADS} threads`,
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
