// A process that saves over a file again and again is killed at random moments; the file must be the
// old content or the new one, byte for byte. 20 kills; 200 with `npm run test:long`, or
// `VOXGRAD_KILLS=200 npx vitest run packages/checkpoint/test/save-kill.test.ts`.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { bundleProgram } from '../../../test/support/bundle.js';
import { randoms } from '../../../test/support/randoms.js';
import { load, save } from '../src/index.js';
import { CONTENTS } from './programs/contents.js';
import { mapIn } from './support.js';

const folder = mkdtempSync(join(tmpdir(), 'voxgrad-'));
afterAll(() => rmSync(folder, { recursive: true }));

const LONG = Number(process.env.VOXGRAD_RUNS ?? 1) > 1;
const KILLS = Number(process.env.VOXGRAD_KILLS ?? (LONG ? 200 : 20));
const SEED = Number(process.env.VOXGRAD_SEED ?? 20_260_101);

/** In ms after the process has begun to save; a save takes some tens of them. */
const LATEST = 120;

/** The program in one file, which starts at once. */
const bundled = (): Promise<string> =>
  bundleProgram(
    new URL('programs/save-forever.ts', import.meta.url),
    join(mkdtempSync(join(folder, 'program-')), 'save-forever.mjs'),
  );

/** Starts `program`, which saves to `path`, and kills it `delay` ms after it has begun. */
async function killed(program: string, path: string, delay: number): Promise<void> {
  const child = spawn(process.execPath, [program, path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  await Promise.race([once(child.stdout, 'data'), ended]);
  await new Promise((resolve) => setTimeout(resolve, delay));
  child.kill('SIGKILL');
  const [, signal] = await ended;
  expect(signal).toBe('SIGKILL');
}

test(`${KILLS} kills leave the old file or the new one`, { timeout: 30_000 * KILLS }, async () => {
  const program = await bundled();
  const beside = mkdtempSync(join(folder, 'saved-'));
  const path = join(beside, 'model.pt');
  const allowed = await Promise.all(CONTENTS.map((content) => save(content())));
  const random = randoms(SEED);
  await save(CONTENTS[0](), path);
  const found = [0, 0];
  let leftovers = 0;
  for (let i = 0; i < KILLS; i++) {
    await killed(program, path, random() * LATEST);
    const bytes = readFileSync(path);
    const which = allowed.findIndex((content) => bytes.equals(content));
    expect(which, `after kill ${i} of seed ${SEED}`).toBeGreaterThanOrEqual(0);
    expect(mapIn(await load(path)).get('which')).toBe(which + 1);
    found[which]++;
    // What is left of the killed save has a name of its own, and is in nobody's way.
    for (const name of readdirSync(beside).filter((other) => other !== 'model.pt')) {
      expect(name).toMatch(/^model\.pt\.\d+-[0-9a-f]{8}\.tmp$/);
      rmSync(join(beside, name));
      leftovers++;
    }
  }
  if (KILLS >= 200)
    console.info(`found ${found.join(' and ')} of the contents; ${leftovers} died while writing`);
});
