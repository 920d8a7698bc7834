// The eleven patterns: against peers, how exact every strategy is, whether the chosen one is ever slower
// than the native-style fused one, and in how much memory each completes. `--mode=peers`, `precision`,
// `perf` or `memory` measures one of these alone, `--scale=N` shrinks them, and `--only=train05` takes
// some of them.

import type { MemoryStatistics } from '@voxgrad/wasm';
import { DEPTHWISE, patternContests } from '../../packages/voxgrad/src/bench/compare/cases.js';
import { PATTERNS, scaled } from '../../packages/voxgrad/src/bench/patterns.js';
import { benchLines, MODES, type Mode, runBench } from '../../packages/voxgrad/src/bench/run.js';
import { compare } from '../lib/compare.js';
import { deviceOf } from '../lib/devices.js';
import { option, progress, QUICK, THREADS } from '../lib/options.js';
import { runProgram } from '../lib/program.js';
import { against, type Cell, printTable } from '../lib/table.js';

interface Result {
  readonly liveBytes: number;
  readonly made: number;
  readonly peakMib: number;
  readonly forwardSeconds: number;
  readonly backwardSeconds: number;
  readonly finite: boolean;
  readonly memory: MemoryStatistics;
}

/** Of the bytes of the tensors that must live: input, output, their gradients, weights. */
const GOAL = 1.5;

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
  if ((option('--mode') ?? 'memory') === 'memory') await memoryOfEach();
}

/** Forward and backward in processes of their own, which hold nothing else. */
async function memoryOfEach(): Promise<void> {
  const only = option('--only') ?? '';
  const rows: Cell[][] = [];
  for (const pattern of PATTERNS.filter(({ name }) => name.includes(only))) {
    const { name, ...call } = scaled(pattern, SCALE);
    progress(`patterns: ${name} [${call.input}] float32, memory`);
    const got = await runProgram<Result>('pattern.ts', [
      JSON.stringify(call),
      `--threads=${THREADS}`,
    ]);
    const live = got.liveBytes / 2 ** 20;
    rows.push([
      name,
      live,
      got.made,
      got.peakMib,
      against(got.peakMib / live, GOAL, 'most'),
      got.memory.memoryBytes / 2 ** 20,
      String(got.memory.evictions),
      got.forwardSeconds,
      got.backwardSeconds,
      got.finite,
    ]);
  }
  printTable(
    `Memory of forward and backward, float32, ${THREADS} threads`,
    [
      'pattern',
      'must live, MiB',
      'resident with the input',
      'peak resident',
      'peak over what must live',
      'WebAssembly MiB',
      'dropped',
      'forward s',
      'backward s',
      'finite',
    ],
    rows,
  );
}
