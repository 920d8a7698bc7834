// A training process is killed at random moments, saving included, and started again: it ends with the
// losses and weights of an undisturbed one. A few kills; 50 with `npm run test:long`, or
// `VOXGRAD_KILLS=50 npx vitest run packages/train/test/kill.test.ts`.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { bundleProgram } from '../../../test/support/bundle.js';
import { randoms } from '../../../test/support/randoms.js';

const LONG = Number(process.env.VOXGRAD_RUNS ?? 1) > 1;
const KILLS = Number(process.env.VOXGRAD_KILLS ?? (LONG ? 50 : 4));
const SEED = Number(process.env.VOXGRAD_SEED ?? 20_260_101);

/** In ms after a process has begun; a whole run takes longer, and each update some tens of them. */
const LATEST = 300;
/** In ms after each update, so that a run outlasts several kills. */
const PAUSE = '15';

const folder = mkdtempSync(join(tmpdir(), 'voxgrad-train-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The program in one file, which starts at once. */
const bundled = (): Promise<string> =>
  bundleProgram(new URL('programs/train.ts', import.meta.url), join(folder, 'train.mjs'));

/** Runs the program; with `delay`, kills it so many ms after it has begun. Returns what it found. */
async function run(program: string, path: string, delay?: number): Promise<string | undefined> {
  const pause = delay === undefined ? '0' : PAUSE;
  const child = spawn(process.execPath, [program, path, pause], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  const ended = once(child, 'close');
  if (delay !== undefined) {
    await Promise.race([once(child.stdout, 'data'), ended]);
    await Promise.race([new Promise((resolve) => setTimeout(resolve, delay)), ended]);
    child.kill('SIGKILL');
  }
  const [code, signal] = await ended;
  if (signal === 'SIGKILL') return undefined;
  expect(code).toBe(0);
  return out.split('\n').at(-2);
}

test(`${KILLS} kills leave no trace in the losses`, {
  timeout: 30_000 + 10_000 * KILLS,
}, async () => {
  const program = await bundled();
  const expected = await run(program, join(folder, 'undisturbed.pt'));
  expect(JSON.parse(expected ?? '').losses).toHaveLength(12);
  const random = randoms(SEED);
  let [kills, runs] = [0, 0];
  while (kills < KILLS) {
    const path = join(folder, `run-${runs++}.pt`);
    let outcome: string | undefined;
    while (outcome === undefined && kills < KILLS) {
      outcome = await run(program, path, random() * LATEST);
      if (outcome === undefined) kills++;
    }
    outcome ??= await run(program, path);
    // Compared as texts: every digit counts.
    expect(outcome === expected, `run ${runs}, after ${kills} kills of seed ${SEED}`).toBe(true);
  }
  const unfinished = readdirSync(folder).filter((name) => name.endsWith('.tmp')).length;
  if (LONG || KILLS >= 50)
    console.info(
      `${kills} kills in ${runs} runs; ${unfinished} came while a file was being written`,
    );
});
