// Tries many inputs, in processes that are watched: whichever hangs, dies, grows too large or fails in
// another way than it should is tried again alone.

import { fork } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FileJob, Job, Report } from './worker.js';

export const MAX_MS = 2000;
export const MAX_BYTES = 300e6;

/** Of a file that is tried alone: `judge` reads it by five functions. */
const FILE_MS = 5 * MAX_MS;

/** How long an input may be at hand before the process counts as hanging; others want the processor too. */
const HANGING_MS = 60_000;

/** Inputs that one process tries; it grows a little with each. */
const PER_PROCESS = 50_000;

export interface FuzzOptions {
  readonly runs: number;
  readonly seed: number;
  /** The number of the first input. */
  readonly from?: number;
  /** All if there are none. */
  readonly formats?: readonly string[];
  onProgress?(done: number): void;
}

export interface Outcome {
  /** Inputs that load; the others are refused. */
  readonly loaded: number;
  readonly faults: readonly Report[];
}

const WORKER = fileURLToPath(new URL('./worker.ts', import.meta.url));
const FLAGS = [
  '--conditions=voxgrad-source',
  '--import',
  'tsx',
  '--expose-gc',
  '--max-old-space-size=300',
];

/** Tries inputs `from` to before `from + runs`. */
export async function fuzz(options: FuzzOptions): Promise<Outcome> {
  const { runs, seed, from = 0, formats = [], onProgress } = options;
  const faults: Report[] = [];
  let loaded = 0;
  const end = from + runs;
  for (let begin = from; begin < end; ) {
    const job = { seed, formats, begin, end: Math.min(end, begin + PER_PROCESS) };
    const {
      next,
      reports,
      loaded: some,
    } = await tryInputs(job, (done) => onProgress?.(done - from));
    loaded += some;
    for (const { index } of reports) {
      // Alone, so that it does not answer for what others left behind, and without haste.
      const again = await tryInputs({ seed, formats, begin: index, end: index + 1 });
      faults.push(...again.reports);
    }
    begin = next;
    onProgress?.(begin - from);
  }
  return { loaded, faults };
}

/** Tries inputs in one process, as far as that gets. */
function tryInputs(
  job: Pick<Job, 'seed' | 'formats' | 'begin' | 'end'>,
  onProgress?: (index: number) => void,
): Promise<{ next: number; reports: Report[]; loaded: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'voxgrad-fuzz-'));
  const at = join(folder, 'at');
  const child = fork(WORKER, { execArgv: FLAGS, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const reports: Report[] = [];
  let [loaded, finished, hung] = [0, false, false];
  let [last, since] = [-1, Date.now()];
  const current = () => {
    try {
      return Number(readFileSync(at, 'utf8'));
    } catch {
      return -1; // it has not begun
    }
  };
  const watch = setInterval(() => {
    const index = current();
    if (index !== last) [last, since] = [index, Date.now()];
    else if (index >= 0 && Date.now() - since > HANGING_MS) {
      hung = true;
      child.kill('SIGKILL');
    }
    if (index >= 0) onProgress?.(index);
  }, 250);
  child.on('message', (message: Report | { loaded: number }) => {
    if ('loaded' in message) [loaded, finished] = [message.loaded, true];
    else reports.push(message);
  });
  child.send({ ...job, at, maxMs: MAX_MS, maxBytes: MAX_BYTES } satisfies Job);
  return new Promise((resolve, reject) => {
    child.on('exit', (code, signal) => {
      clearInterval(watch);
      const index = current();
      rmSync(folder, { recursive: true });
      if (index < 0) return reject(new Error(`the process ended at once (${signal ?? code})`));
      if (!finished) {
        const how = hung ? 'hangs' : 'kills the process';
        reports.push({ index, kind: how, message: `${how} (${signal ?? code})` });
      }
      const ended = finished && reports.at(-1)?.kind !== 'memory' ? job.end : index + 1;
      resolve({ next: ended, reports, loaded });
    });
  });
}

/** What one file does wrong, in a process of its own, which is ended if it takes too long. */
export function tryFile(file: string): Promise<Report[]> {
  const child = fork(WORKER, { execArgv: FLAGS, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const reports: Report[] = [];
  const timer = setTimeout(() => child.kill('SIGKILL'), HANGING_MS);
  child.on('message', (message: Report) => reports.push(message));
  child.send({ file, maxMs: FILE_MS, maxBytes: MAX_BYTES } satisfies FileJob);
  return new Promise((resolve) => {
    child.on('exit', (code, signal) => {
      clearTimeout(timer);
      const how = `hangs or kills the process (${signal ?? code})`;
      resolve(code === 0 ? reports : [...reports, { index: 0, kind: how, message: how }]);
    });
  });
}
