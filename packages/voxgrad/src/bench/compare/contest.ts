// One piece of work, everybody who runs it, on one number of threads: each result is held against float64
// first, and only what is right is timed, in turns.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Device, zeros } from '@voxgrad/core';
import type { Precision, WasmDevice } from '@voxgrad/wasm';
import { exportOnnx } from '../../onnx.js';
import { interleaved, type Measured, type Run } from '../measure.js';
import { PeerCrash, PeerProcess, type PeerProgram, PeerTimeout } from '../peers/process.js';
import { type Answer, PASSES, type Pass, resultsOf, type Work } from '../peers/work.js';
import { CRASH } from '../strategies.js';
import { type Data, dataOf, writeData } from './data.js';
import { modelOf } from './model.js';
import { ourWork, type Values } from './ours.js';
import { passError, reference } from './reference.js';

/** How many times longer than ours a peer should take, at least. */
export type Goals = Readonly<Partial<Record<string, number>>>;

export interface Contest {
  readonly name: string;
  readonly work: Work;
  /** Of what runs here; the default is balanced. */
  readonly precisions?: readonly Precision[];
  readonly passes?: readonly Pass[];
  /** By pass, precision and peer: `train balanced PyTorch`. */
  readonly goals?: Goals;
}

/** How a peer fared beside one of our results. */
export interface PeerResult {
  /** Milliseconds, or why there are none: `n/a`, `nativeCRASH`, `wrong`. */
  readonly ms: number | 'n/a' | 'wrong' | typeof CRASH;
  /** Against float64; null where nothing came back. */
  readonly error: number | null;
  /** Its time over ours. */
  readonly speedup: number | null;
  readonly goal: number | null;
  /** Why it has no time. */
  readonly reason?: string;
  /** It took too long to be repeated. */
  readonly once?: boolean;
}

export interface ContestRow {
  readonly name: string;
  readonly pass: Pass;
  readonly threads: number;
  readonly precision: Precision;
  readonly ms: number;
  readonly error: number;
  /** What the precision promises. */
  readonly bound: number;
  readonly peers: Readonly<Record<string, PeerResult>>;
}

export interface ContestOptions {
  readonly threads: number;
  readonly rounds: number;
  /** Seconds after which a run is not repeated, … */
  readonly slowSeconds: number;
  /** … and after which it is given up. */
  readonly patienceSeconds: number;
  readonly programs: readonly PeerProgram[];
  /** Peers that cannot be started, and why. */
  readonly missing: Readonly<Record<string, string>>;
  /** A device for each precision, with `threads` threads. */
  device(precision: Precision): Promise<WasmDevice>;
  /** Where float64 is computed. */
  readonly referenceDevice: Device;
  progress(text: string): void;
}

/** A wrong algorithm errs by the order of the result itself; a slow sum in float32 by less than this. */
const WRONG = 1e-3;

/** Errors that each precision promises, relative to the output's largest magnitude. */
export const BOUNDS: Readonly<Record<Precision, number>> = {
  exact: 1e-5,
  balanced: 1e-5,
  fast: 3e-4,
};

const NO_TRAINING = 'does not train this';

/**
 * Between turns, until threads of the one before, which wait in a loop, are at rest: onnxruntime on two
 * threads took 18 ms some 50 ms after PyTorch, and 11 ms 200 ms after it, as it does alone.
 */
const REST_MS = 200;

type Loaded = { readonly process: PeerProcess; readonly passes: readonly Pass[] };

/** The peers of one contest, and how those ended that are not there any more. */
class Peers {
  readonly #loaded = new Map<string, Loaded>();
  readonly #out = new Map<string, Pick<PeerResult, 'ms' | 'reason'>>();

  constructor(
    readonly options: ContestOptions,
    readonly folder: string,
  ) {
    for (const [name, reason] of Object.entries(options.missing))
      this.#out.set(name, { ms: 'n/a', reason });
  }

  get names(): string[] {
    return [...this.#loaded.keys(), ...this.#out.keys()];
  }

  outOf(name: string, pass: Pass): Pick<PeerResult, 'ms' | 'reason'> | null {
    const out = this.#out.get(name);
    if (out) return out;
    if (this.#loaded.get(name)?.passes.includes(pass)) return null;
    return { ms: 'n/a', reason: pass === 'train' ? NO_TRAINING : 'has no such pass' };
  }

  async load(work: Work, passes: readonly Pass[]): Promise<void> {
    const { programs, threads } = this.options;
    for (const program of programs) {
      if (program.infersOnly && !passes.includes('forward')) {
        this.#out.set(program.name, { ms: 'n/a', reason: NO_TRAINING });
        continue;
      }
      const process = new PeerProcess(program);
      this.#loaded.set(program.name, { process, passes: [] });
      const folder = this.folder;
      const answer = await this.#ask(program.name, { do: 'load', work, folder, threads });
      if (answer === null) continue;
      if ('passes' in answer) {
        this.#loaded.set(program.name, { process, passes: answer.passes });
        continue;
      }
      const reason = 'refused' in answer ? answer.refused : 'answered something else';
      this.#remove(program.name, { ms: 'n/a', reason });
    }
  }

  /** An answer, or null where the peer is gone. */
  async #ask(name: string, command: Parameters<PeerProcess['ask']>[0]): Promise<Answer | null> {
    const loaded = this.#loaded.get(name);
    if (!loaded) return null;
    try {
      return await loaded.process.ask(command, this.options.patienceSeconds);
    } catch (error) {
      if (error instanceof PeerTimeout) this.#remove(name, { ms: 'n/a', reason: error.message });
      else if (error instanceof PeerCrash) this.#remove(name, { ms: CRASH, reason: error.message });
      else throw error;
      return null;
    }
  }

  #remove(name: string, out: Pick<PeerResult, 'ms' | 'reason'>): void {
    this.#loaded.get(name)?.process.stop();
    this.#loaded.delete(name);
    this.#out.set(name, out);
  }

  /** What a peer computes in a pass, or null where it is gone. */
  async values(name: string, work: Work, pass: Pass): Promise<Values | null> {
    if (!(await this.#ask(name, { do: 'write', pass }))) return null;
    const read = (result: string): Float32Array => {
      const bytes = readFileSync(join(this.folder, `${name}.${result}`));
      return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
    };
    return Object.fromEntries(resultsOf(work, pass).map((result) => [result, read(result)]));
  }

  /** A run that is timed in the peer's own process. */
  run(name: string, pass: Pass): Run {
    return async () => {
      const answer = await this.#ask(name, { do: 'run', pass });
      return answer && 'ms' in answer ? answer : { ms: Number.NaN };
    };
  }

  stop(): void {
    for (const { process } of this.#loaded.values()) process.stop();
  }
}

export async function runContest(contest: Contest, options: ContestOptions): Promise<ContestRow[]> {
  const { work, passes = PASSES } = contest;
  const folder = mkdtempSync(join(tmpdir(), 'voxgrad-bench-'));
  const peers = new Peers(options, folder);
  try {
    const data = dataOf(work);
    writeData(folder, data);
    if (passes.includes('forward'))
      writeFileSync(join(folder, 'model.onnx'), onnxModel(work, data, options.referenceDevice));
    await peers.load(work, passes);
    const rows: ContestRow[] = [];
    for (const pass of passes) rows.push(...(await onePass(contest, pass, data, peers, options)));
    return rows;
  } finally {
    peers.stop();
    rmSync(folder, { recursive: true });
  }
}

function onnxModel(work: Work, data: Data, device: Device): Uint8Array {
  const model = modelOf(work, data, { device, dtype: 'float32' });
  model.eval();
  const example = zeros([...work.input], { device });
  return exportOnnx(model, example);
}

async function onePass(
  { name, work, precisions = ['balanced'], goals = {} }: Contest,
  pass: Pass,
  data: Data,
  peers: Peers,
  options: ContestOptions,
): Promise<ContestRow[]> {
  const { threads, rounds, slowSeconds, progress } = options;
  progress(`${name}, ${pass}, ${threads} thread(s): errors`);
  const right = await reference(work, data, pass, options.referenceDevice);
  const runs: Record<string, Run> = {};
  const errors: Record<string, number> = {};
  for (const precision of precisions) {
    const where = { device: await options.device(precision), dtype: 'float32' } as const;
    const ours = ourWork(work, data, where);
    errors[precision] = passError(work, pass, await ours.values(pass), right);
    runs[precision] = () => ours.run(pass);
  }
  for (const peer of peers.names) {
    if (peers.outOf(peer, pass)) continue;
    const values = await peers.values(peer, work, pass);
    if (!values) continue;
    errors[peer] = passError(work, pass, values, right);
    if (errors[peer] <= WRONG) runs[peer] = peers.run(peer, pass);
  }
  progress(`${name}, ${pass}, ${threads} thread(s): times of ${Object.keys(runs).join(', ')}`);
  const measured = await interleaved(runs, { rounds, slowMs: slowSeconds * 1000, restMs: REST_MS });
  return precisions.map((precision) => ({
    ...{ name, pass, threads, precision },
    ms: measured.ms[precision],
    error: errors[precision],
    bound: BOUNDS[precision],
    peers: Object.fromEntries(
      peers.names.map((peer) => {
        const goal = goals[`${pass} ${precision} ${peer}`] ?? null;
        return [peer, { ...resultOf(peer, precision, measured), goal }];
      }),
    ),
  }));

  function resultOf(
    peer: string,
    precision: Precision,
    { ms, ratio, turns }: Measured<string>,
  ): Omit<PeerResult, 'goal'> {
    const error = errors[peer] ?? null;
    const out = peers.outOf(peer, pass);
    if (out) return { ...out, error, speedup: null };
    if (error === null || !(error <= WRONG)) return { ms: 'wrong', error, speedup: null };
    const once = turns[peer] === 1;
    return { ms: ms[peer], error, speedup: ratio(peer, precision), ...(once && { once }) };
  }
}
