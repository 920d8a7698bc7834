// A suite of contests: peers from this folder, tables on standard output, and all of it as Markdown, JSON
// and a plot in `bench/results`.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Contest, ContestRow } from '../../packages/voxgrad/src/bench/compare/contest.js';
import { contestLines, misses } from '../../packages/voxgrad/src/bench/compare/report.js';
import { compare as compareOver } from '../../packages/voxgrad/src/bench/compare/run.js';
import {
  openBlasFolder,
  PEER_GROUPS,
  type PeerGroup,
  peerPrograms,
} from '../../packages/voxgrad/src/bench/peers/programs.js';
import { PASSES } from '../../packages/voxgrad/src/bench/peers/work.js';
import { installPeers } from '../peers/install.js';
import { bundle } from './bundle.js';
import { option, progress, QUICK, THREADS } from './options.js';
import { plot } from './plot.js';

const RESULTS = fileURLToPath(new URL('../results/', import.meta.url));

/** `--peers=torch,onnx` of torch, onnx, tfjs and jax, or `--peers=none`; all if omitted. */
function askedPeers(): PeerGroup[] {
  const all = Object.keys(PEER_GROUPS) as PeerGroup[];
  const asked = option('--peers');
  if (asked === undefined) return all;
  const names = asked === 'none' ? [] : asked.split(',');
  const unknown = names.filter((name) => !(name in PEER_GROUPS));
  if (unknown.length > 0)
    throw new Error(`--peers takes ${all.join(', ')} or none, but got ${unknown.join(', ')}`);
  return names as PeerGroup[];
}

/** `--only-threads=N`: on N threads alone. */
const threadCounts = (): number[] => {
  const asked = option('--only-threads');
  return asked === undefined ? [...new Set([1, THREADS])] : [Number(asked)];
};

/** `--flag=a,b`: those alone. */
const asked = (flag: string) => {
  const names = option(flag)?.split(',');
  return (name: string): boolean => names?.includes(name) ?? true;
};

export async function compare(suite: string, contests: readonly Contest[]): Promise<void> {
  installPeers();
  const server = await bundle('programs/peer.ts');
  const { programs, missing } = peerPrograms(askedPeers(), (name) => ({
    command: process.execPath,
    args: [server, name],
  }));
  const only = option('--only') ?? '';
  const chosen = contests
    .filter(({ name }) => name.includes(only))
    .map((contest) => ({
      ...contest,
      precisions: (contest.precisions ?? ['balanced']).filter(asked('--precisions')),
      passes: (contest.passes ?? PASSES).filter(asked('--passes')),
    }))
    .filter(({ passes, precisions }) => passes.length > 0 && precisions.length > 0);
  if (chosen.length === 0)
    throw new Error(
      `--only=${only}: no case is called so: ${contests.map((c) => c.name).join('; ')}`,
    );
  const kept = process.argv.includes('--add') ? readRows(suite) : [];
  const rows = await compareOver(chosen, {
    ...{ programs, missing, progress: (text: string) => progress(`${suite}: ${text}`) },
    threads: threadCounts(),
    rounds: Number(option('--rounds') ?? (QUICK ? 2 : 5)),
    slowSeconds: Number(option('--slow') ?? 4),
    patienceSeconds: Number(option('--patience') ?? 600),
    onRows: (rows) => writeResults(suite, joined(kept, rows)),
  });
  console.log([`\n### ${suite} against peers, float32\n`, ...contestLines(rows)].join('\n'));
  for (const miss of misses(rows)) progress(`missed: ${miss}`);
  const svg = await plot(suite, joined(kept, rows));
  if (svg !== null) writeFileSync(`${RESULTS}${suite}.svg`, svg);
  progress(`written: bench/results/${suite}.md, .json, .svg`);
}

/** `--add`: a suite may run in parts; what was measured before stays where it is not measured again. */
function readRows(suite: string): ContestRow[] {
  const path = `${RESULTS}${suite}.json`;
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).rows : [];
}

function joined(kept: readonly ContestRow[], rows: readonly ContestRow[]): ContestRow[] {
  const key = ({ name, pass, threads, precision }: ContestRow) =>
    [name, pass, threads, precision].join();
  const fresh = new Map(rows.map((row) => [key(row), row]));
  const updated = kept.map((row) => {
    const again = fresh.get(key(row));
    fresh.delete(key(row));
    // A peer that was not asked this time keeps its figure.
    return again ? { ...again, peers: { ...row.peers, ...again.peers } } : row;
  });
  return [...updated, ...fresh.values()];
}

function writeResults(suite: string, rows: readonly ContestRow[]): void {
  mkdirSync(RESULTS, { recursive: true });
  const machine = {
    date: new Date().toISOString().slice(0, 10),
    node: process.version,
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    blas: openBlasFolder() ? 'OpenBLAS' : 'default',
  };
  const document = { suite, machine, command: process.argv.slice(2), rows };
  writeFileSync(`${RESULTS}${suite}.json`, `${JSON.stringify(document, null, 1)}\n`);
  const text = [
    `# ${suite}`,
    '',
    `${machine.date}, Node ${machine.node}, ${machine.cores} × ${machine.cpu}, PyTorch over ${machine.blas}`,
    '',
    ...contestLines(rows),
  ];
  writeFileSync(`${RESULTS}${suite}.md`, `${text.join('\n')}\n`);
}
