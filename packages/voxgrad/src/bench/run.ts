// The suites of `voxgrad bench`: which cases, measured how, and the tables of what came out.

import type { Device, DType } from '@voxgrad/core';
import { type Cell, markdownTable } from './markdown.js';
import { DENSE, PATTERNS, type Pattern } from './patterns.js';
import { measurePerf, type PerfRow } from './perf.js';
import { measurePrecision, type PrecisionRow } from './precision.js';

export const SUITES = { patterns: PATTERNS, dense: DENSE } as const satisfies Record<
  string,
  readonly Pattern[]
>;
export type SuiteName = keyof typeof SUITES;

export const MODES = ['precision', 'perf'] as const;
export type Mode = (typeof MODES)[number];

export interface BenchOptions {
  readonly suite: SuiteName;
  readonly mode: Mode;
  readonly device: Device;
  readonly dtype: DType;
  readonly scale: number;
  readonly rounds: number;
  /** Time every strategy. */
  readonly all?: boolean;
  /** Only the cases whose names hold this. */
  readonly only?: string;
  readonly progress?: (text: string) => void;
}

export interface BenchResult {
  readonly suite: SuiteName;
  readonly mode: Mode;
  readonly device: string;
  readonly dtype: DType;
  readonly scale: number;
  readonly rows: readonly PerfRow[] | readonly PrecisionRow[];
}

export async function runBench(options: BenchOptions): Promise<BenchResult> {
  const { suite, mode, device, dtype, scale, only = '', progress = () => {} } = options;
  const cases = SUITES[suite].filter(({ name }) => name.includes(only));
  const [perf, precision]: [PerfRow[], PrecisionRow[]] = [[], []];
  for (const [i, pattern] of cases.entries()) {
    progress(`${i + 1} of ${cases.length}: ${pattern.name}`);
    if (mode === 'perf') perf.push(await measurePerf(pattern, options));
    else precision.push(await measurePrecision(pattern, options));
    // Between two turns of the event loop collectors give large arrays back.
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
  return {
    suite,
    mode,
    device: device.name,
    dtype,
    scale,
    rows: mode === 'perf' ? perf : precision,
  };
}

const shape = (sizes: readonly number[]) => sizes.join('×');
const exponential = (value: number) => value.toExponential(1);

/** By how much the chosen strategy is faster than the native one. */
function saved({ speedup, strategy, native }: PerfRow): string {
  if (speedup === null) return typeof native === 'number' ? '-' : 'native refused';
  return speedup === 1
    ? `the same (${strategy})`
    : `${(100 * (1 - 1 / speedup)).toFixed(1)} % less`;
}

function perfRow(row: PerfRow): Cell[] {
  const { pattern, input, strategy, forwardMs, forwardBackwardMs, native, speedup } = row;
  return [
    ...[pattern, shape(input), strategy ?? 'none', forwardMs, forwardBackwardMs, native],
    speedup ?? '-',
    saved(row),
  ];
}

function precisionRows(row: PrecisionRow): Cell[][] {
  const against = row.compositeAgainstNative;
  const apart = against === null ? '-' : exponential(Math.max(against.dx, against.dw));
  return row.strategies.map(({ strategy, dx, dw, finite }) => [
    ...[
      row.pattern,
      shape(row.input),
      row.native,
      `${strategy}${strategy === row.chosen ? ' *' : ''}`,
    ],
    ...[exponential(row.y), exponential(dx), exponential(dw), finite],
    strategy === 'composite' ? apart : '',
  ]);
}

/** What a run found, as a table. */
export interface BenchTable {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

export function benchTable({ suite, mode, device, dtype, scale, rows }: BenchResult): BenchTable {
  const title = `${suite}, ${mode}: ${device}, ${dtype}${scale === 1 ? '' : `, volumes divided by ${scale}`}`;
  if (mode === 'perf') {
    const head = [
      'case',
      'input',
      'strategy',
      'forward ms',
      'forward+backward ms',
      'native ms',
      'speedup',
      'chosen against native',
    ];
    return { title, head, rows: (rows as readonly PerfRow[]).map(perfRow) };
  }
  const head = [
    'case',
    'input',
    'native',
    'strategy (* chosen)',
    'y error',
    'dx error',
    'dw error',
    'finite',
    'composite against native',
  ];
  return { title, head, rows: (rows as readonly PrecisionRow[]).flatMap(precisionRows) };
}

/** The result as a Markdown table. */
export function benchLines(result: BenchResult): string[] {
  const { title, head, rows } = benchTable(result);
  return [title, '', ...markdownTable(head, rows)];
}

/** Whether something came out wrong: not finite, or off by more than the dtype explains. */
export function isWrong({ mode, rows }: BenchResult): boolean {
  if (mode === 'perf') return false;
  return (rows as readonly PrecisionRow[]).some(({ strategies, dtype }) =>
    strategies.some(
      ({ finite, dx, dw }) => !finite || !(Math.max(dx, dw) <= (TOLERANCE[dtype] ?? 0)),
    ),
  );
}

/** Relative errors that rounding of sums over a volume explains. */
const TOLERANCE: Readonly<Partial<Record<DType, number>>> = {
  float64: 1e-12,
  float32: 1e-4,
  float16: 1e-1,
  bfloat16: 5e-1,
};
