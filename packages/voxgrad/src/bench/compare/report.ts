// The results of contests as Markdown tables.

import { type Cell, markdownTable } from '../markdown.js';
import type { ContestRow, PeerResult } from './contest.js';

const digits = (error: number): string => error.toExponential(1);

/** `397 (6.5× ≥ 6)`: milliseconds, how many times ours, and the goal, with ✗ where it is missed. */
export function peerCell({ ms, error, speedup, goal, once }: PeerResult): string {
  if (ms === 'wrong') return `wrong (error ${error === null ? 'unknown' : digits(error)})`;
  if (typeof ms === 'string' || speedup === null) return String(ms);
  const target = goal === null ? '' : ` ${speedup >= goal ? '≥' : '✗'} ${goal}`;
  const times = speedup >= 100 ? speedup.toFixed(0) : speedup.toPrecision(3);
  return `${ms >= 100 ? ms.toFixed(0) : ms.toPrecision(3)}${once ? '¹' : ''} (${times}×${target})`;
}

const PASS_NAMES = { forward: 'forward', train: 'forward + backward' } as const;

const errorCell = ({ error, bound }: ContestRow): string =>
  `${digits(error)}${error <= bound ? '' : ` ✗ ${bound}`}`;

/** A table for each number of threads, and the reasons behind what has no time. */
export function contestLines(rows: readonly ContestRow[]): string[] {
  const lines: string[] = [];
  for (const threads of new Set(rows.map((row) => row.threads))) {
    const shown = rows.filter((row) => row.threads === threads);
    const peers = [...new Set(shown.flatMap((row) => Object.keys(row.peers)))];
    const head = ['case', 'pass', 'precision', 'voxgrad, ms', 'error', ...peers];
    const cells = shown.map((row): Cell[] => [
      ...[row.name, PASS_NAMES[row.pass], row.precision, row.ms, errorCell(row)],
      ...peers.map((peer) => (row.peers[peer] ? peerCell(row.peers[peer]) : 'n/a')),
    ]);
    lines.push(
      `${threads} thread${threads === 1 ? '' : 's'}:`,
      '',
      ...markdownTable(head, cells),
      '',
    );
  }
  return [...lines, ...notes(rows)];
}

function notes(rows: readonly ContestRow[]): string[] {
  const reasons = new Map<string, Set<string>>();
  let once = false;
  for (const { name, peers } of rows)
    for (const [peer, result] of Object.entries(peers)) {
      once ||= result.once === true;
      if (result.reason === undefined) continue;
      const text = `${peer}: ${result.ms}, ${result.reason}`;
      reasons.set(text, (reasons.get(text) ?? new Set()).add(name));
    }
  const all = new Set(rows.map(({ name }) => name)).size;
  return [
    ...(once ? ['¹ too slow to be repeated: one run.', ''] : []),
    ...[...reasons].map(
      ([text, cases]) => `- ${text}${cases.size === all ? '' : ` (${[...cases].join('; ')})`}`,
    ),
  ];
}

/** What misses a goal or an error bound, in words. */
export function misses(rows: readonly ContestRow[]): string[] {
  return rows.flatMap((row) => {
    const what = `${row.name}, ${PASS_NAMES[row.pass]}, ${row.precision}, ${row.threads} thread(s)`;
    const peers = Object.entries(row.peers).filter(
      ([, { speedup, goal }]) => speedup !== null && goal !== null && speedup < goal,
    );
    return [
      ...(row.error <= row.bound ? [] : [`${what}: error ${digits(row.error)}, not ${row.bound}`]),
      ...peers.map(
        ([peer, { speedup, goal }]) => `${what}: ${speedup?.toFixed(2)}× ${peer}, not ${goal}×`,
      ),
    ];
  });
}
