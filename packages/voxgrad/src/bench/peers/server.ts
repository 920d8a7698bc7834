// The process of a peer that runs in JavaScript: reads commands, runs them, answers (see work.ts).

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { jax } from './jax.js';
import { onnx } from './onnx.js';
import { tfjs } from './tfjs.js';
import { type Answer, type Command, type Pass, resultsOf, type Work, weightsOf } from './work.js';

export type Numbers = Float32Array;

/** The numbers of a piece of work. */
export interface WorkData {
  readonly x: Numbers;
  readonly weights: readonly Numbers[];
  /** The gradient of a convolution's output. */
  readonly g: Numbers;
  /** The work as an ONNX model. */
  model(): Uint8Array;
}

/** Work, ready to run. */
export interface Prepared {
  readonly version: string;
  /** Computes, waits until it is done, and forgets the results. */
  readonly run: Readonly<Partial<Record<Pass, () => Promise<void>>>>;
  /** What a pass computes, under the names of `resultsOf`, in PyTorch's order of elements. */
  values(pass: Pass): Promise<Readonly<Record<string, Numbers>>>;
}

export interface JsPeer {
  /** Why it cannot run the work, or null. */
  refuses(work: Work, threads: number): string | null;
  /** @param from the file from which its packages are looked for */
  prepare(work: Work, data: WorkData, at: { threads: number; from: string }): Promise<Prepared>;
}

export const JS_PEERS = {
  'tfjs cpu': tfjs('cpu'),
  'tfjs wasm': tfjs('wasm'),
  'jax-js': jax,
  onnxruntime: onnx,
} as const satisfies Record<string, JsPeer>;

export type JsPeerName = keyof typeof JS_PEERS;

/** Serves standard input until it ends. */
export async function servePeer(name: JsPeerName, from: string): Promise<void> {
  const peer: JsPeer = JS_PEERS[name];
  let loaded: { prepared: Prepared; work: Work; folder: string } | null = null;

  const load = async ({ work, folder, threads }: Command & { do: 'load' }): Promise<Answer> => {
    const refused = peer.refuses(work, threads);
    if (refused !== null) return { refused };
    const prepared = await peer.prepare(work, dataIn(folder, work), { threads, from });
    loaded = { prepared, work, folder };
    return { version: prepared.version, passes: Object.keys(prepared.run) as Pass[] };
  };

  const answer = async (command: Command): Promise<Answer> => {
    if (command.do === 'load') {
      try {
        return await load(command);
      } catch (error) {
        return { refused: String(error).split('\n')[0] };
      }
    }
    if (!loaded) throw new Error('nothing is loaded');
    const { prepared, work, folder } = loaded;
    if (command.do === 'write') {
      const values = await prepared.values(command.pass);
      for (const result of resultsOf(work, command.pass))
        writeFileSync(join(folder, `${name}.${result}`), values[result]);
      return { written: true };
    }
    const run = prepared.run[command.pass];
    if (!run) throw new Error(`there is no pass ${command.pass}`);
    const begin = performance.now();
    await run();
    return { ms: performance.now() - begin };
  };

  // Libraries print to standard output too.
  const { write } = process.stdout;
  const print = write.bind(process.stdout);
  process.stdout.write = process.stderr.write.bind(process.stderr) as typeof write;
  for await (const line of createInterface({ input: process.stdin }))
    print(`${JSON.stringify(await answer(JSON.parse(line) as Command))}\n`);
}

function dataIn(folder: string, work: Work): WorkData {
  const read = (name: string): Numbers => {
    const { buffer, byteOffset, byteLength } = readFileSync(join(folder, name));
    return new Float32Array(buffer.slice(byteOffset, byteOffset + byteLength));
  };
  return {
    x: read('x'),
    weights: weightsOf(work).map((_, i) => read(`w${i}`)),
    g: read('g'),
    model: () => readFileSync(join(folder, 'model.onnx')),
  };
}
