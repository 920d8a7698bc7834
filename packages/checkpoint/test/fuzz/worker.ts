// The process that inputs are tried in: it may hang or die of one, and the one who started it
// (fuzz.ts) finds the number of that input in a file.

import { openSync, readFileSync, writeSync } from 'node:fs';
import { load } from '../../src/index.js';
import { makeInput } from './inputs.js';
import { expectSame, Fault, judge, type Tensors } from './judge.js';
import { chosenSamples, contentsOf, type Input, inputOf, type Sample } from './samples.js';

export interface Job {
  readonly seed: number;
  readonly begin: number;
  readonly end: number;
  readonly formats: readonly string[];
  /** The file that has the number of the input at hand. */
  readonly at: string;
  readonly maxMs: number;
  readonly maxBytes: number;
}

/** One file, which is tried as it is. */
export interface FileJob {
  readonly file: string;
  readonly maxMs: number;
  readonly maxBytes: number;
}

export interface Report {
  readonly index: number;
  readonly kind: string;
  readonly message: string;
}

/** What the checksums of a zip archive do not cover: its tensors may go by other numbers. */
const hasChecksums = ({ format, name }: Sample): boolean =>
  format === 'npz' || (format === 'torch-zip' && name !== 'big-endian');

/** What `input` does wrong. */
async function faultOf(input: Input): Promise<Fault | undefined> {
  try {
    await judge(input);
  } catch (error) {
    return asFault(error);
  }
  return undefined;
}

const asFault = (error: unknown): Fault =>
  error instanceof Fault
    ? error
    : new Fault('the harness', error instanceof Error ? `${error.stack}` : String(error));

const memory = () => process.resourceUsage().maxRSS * 1024;

const inMegabytes = (bytes: number): string => `the process grew by ${Math.round(bytes / 1e6)} MB`;

/** What this process has computed so far: others on the machine do not count. */
function computedMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

async function tryFile({ file, maxMs, maxBytes }: FileJob): Promise<void> {
  const input = new Uint8Array(readFileSync(file));
  await load(Uint8Array.of(0)).catch(() => {}); // what every first call needs is there
  const before = memory();
  const begin = computedMs();
  const fault = await faultOf(input);
  const ms = computedMs() - begin;
  if (ms > maxMs) report({ index: 0, kind: 'time', message: `takes ${Math.round(ms)} ms` });
  if (fault !== undefined) report({ index: 0, kind: fault.kind, message: fault.message });
  const grown = memory() - before;
  if (grown > maxBytes) report({ index: 0, kind: 'memory', message: inMegabytes(grown) });
}

async function work({ seed, begin, end, formats, at, maxMs, maxBytes }: Job): Promise<void> {
  const chosen = await chosenSamples(formats);
  const honest = new Map<Sample, Tensors>();
  for (const sample of chosen) {
    const contents = contentsOf(sample);
    const tensors = await judge(inputOf(sample, sample.build(contents).bytes, contents));
    if (tensors === undefined) throw new Error(`the sample ${sample.name} does not load`);
    honest.set(sample, tensors);
  }
  const place = openSync(at, 'w');
  globalThis.gc?.();
  const before = memory();
  let loaded = 0;
  for (let index = begin; index < end; index++) {
    writeSync(place, String(index).padEnd(12), 0);
    const { input, sample, onlyBytes } = makeInput(chosen, seed, index);
    const start = computedMs();
    try {
      const found = await judge(input);
      if (found !== undefined) loaded++;
      const original = honest.get(sample);
      if (found !== undefined && original !== undefined && onlyBytes && hasChecksums(sample))
        expectSame(found, original);
      const ms = computedMs() - start;
      if (ms > maxMs) throw new Fault('time', `takes ${Math.round(ms)} ms`);
    } catch (error) {
      const { kind, message } = asFault(error);
      report({ index, kind, message });
    }
    const grown = memory() - before;
    if (grown > maxBytes) {
      report({
        index,
        kind: 'memory',
        message: `the process grew by ${Math.round(grown / 1e6)} MB`,
      });
      break; // the next is tried in a fresh one
    }
  }
  process.send?.({ loaded });
}

const report = (found: Report): void => {
  process.send?.(found);
};

if (process.send !== undefined) {
  process.once('message', (job: Job | FileJob) => {
    ('file' in job ? tryFile(job) : work(job)).then(
      () => process.disconnect(),
      (error) => {
        console.error(error);
        process.exit(1);
      },
    );
  });
}
