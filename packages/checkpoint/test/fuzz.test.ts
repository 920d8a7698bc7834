// Files of every format, cut, altered and made to do harm (test/fuzz): each loads to what its bytes
// say, or is refused with a CheckpointError. `npm run fuzz` tries more of them.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StateDict, tensor } from '@voxgrad/core';
import { afterAll, describe, expect, test } from 'vitest';
import { load, loadStateDict, save } from '../src/index.js';
import { BOMBS } from './fuzz/bombs.js';
import { fuzz, tryFile } from './fuzz/fuzz.js';
import { expectSame, judge, type Tensors } from './fuzz/judge.js';
import { contentsOf, type Input, inputOf, type Sample, samples } from './fuzz/samples.js';
import { expectFailure } from './support.js';

/** `npm run test:long` tries twenty times as many. */
const MORE = Number(process.env.VOXGRAD_RUNS ?? 1);

const folder = mkdtempSync(join(tmpdir(), 'voxgrad-'));
afterAll(() => rmSync(folder, { recursive: true }));

test(`${2500 * MORE} altered files`, { timeout: 120_000 * MORE }, async () => {
  const { loaded, faults } = await fuzz({ runs: 2500 * MORE, seed: 20 });
  expect(faults).toEqual([]);
  // Alterations are small enough that some of the files still load.
  expect(loaded).toBeGreaterThan(200);
});

const all = await samples();
const smallest = [...new Set(all.map(({ format }) => format))].flatMap(
  (format) => all.find((sample) => sample.format === format) ?? [],
);

/** The bytes of `sample`, its tensors, and what is found of another file in its place. */
async function honest(sample: Sample) {
  const contents = contentsOf(sample);
  const { bytes: whole } = sample.build(contents);
  const judged = (file: Uint8Array<ArrayBuffer>): Promise<Tensors | undefined> =>
    judge(inputOf(sample, file, contents));
  const tensors = await judged(whole);
  if (tensors === undefined) throw new Error(`${sample.name} does not load`);
  return { whole, tensors, judged };
}

describe.each(smallest)('a small file, $format', { timeout: 120_000 * MORE }, (sample) => {
  test('cut at every byte is refused', async () => {
    const { whole, tensors, judged } = await honest(sample);
    // What ends a tar archive are zeros, which say nothing.
    const isTar = sample.format === 'torch-tar';
    const end = isTar ? whole.findLastIndex((byte) => byte !== 0) + 1 : whole.length;
    for (let length = 0; length < whole.length; length++) {
      const found = await judged(whole.slice(0, length));
      if (length < end) expect(found === undefined, `cut at ${length}`).toBe(true);
      else if (found !== undefined) expectSame(found, tensors);
    }
  });

  test('with any byte changed is refused or read as it stands', async () => {
    const { whole, tensors, judged } = await honest(sample);
    const hasChecksums = sample.format === 'torch-zip' || sample.format === 'npz';
    // Of a large file, some of these at each place; they take turns.
    const values = [1, 0x80, 0xff, 0x20, 0x5a, 0x02];
    const each = Math.min(values.length, Math.ceil((2000 * MORE) / whole.length));
    for (let at = 0; at < whole.length; at++)
      for (let i = 0; i < each; i++) {
        const found = await judged(whole.with(at, whole[at] ^ values[(at + i) % values.length]));
        if (found !== undefined && hasChecksums) expectSame(found, tensors);
      }
  });
});

test('the shards of a layers model, cut at every byte', async () => {
  const sample = all.find(({ format }) => format === 'tfjs-layers');
  if (sample?.beside === undefined) throw new Error('is missing');
  const contents = contentsOf(sample);
  const main = sample.build(contents).bytes;
  for (const part of Object.values(sample.beside))
    for (let length = 0; length < contents[part].length; length++) {
      const cut = contents.with(part, contents[part].slice(0, length));
      expect((await judge(inputOf(sample, main, cut))) === undefined).toBe(true);
    }
});

const inOne = (input: Input): Uint8Array<ArrayBuffer> => {
  if (input instanceof Uint8Array) return input;
  throw new Error('is several files');
};

describe('much made of little', { timeout: 120_000 }, () => {
  // Each in a process of its own, whose memory is watched.
  const some = MORE > 1 ? BOMBS : BOMBS.filter((_, i) => i % 8 === 0);
  test.each(some)('%s', async (name, make) => {
    const path = join(folder, name);
    writeFileSync(path, inOne(make()));
    expect(await tryFile(path)).toEqual([]);
    rmSync(path);
  });

  test.each([
    ['lists', 'LIMIT', /makes more objects than one of/],
    ['nested tuples', 'LIMIT', /nested more than 512 deep/],
    ['a packed description', 'LIMIT', /more than the \d+ that make sense/],
    ['packed arrays', 'LIMIT', /as a compression bomb would.*expansionLimit/],
    ['entries of the same bytes', 'CORRUPT', /a\/data\/0: claims bytes of "a\/data\/1"/],
    ['doubling modules', 'LIMIT', /name more tensors than an honest file does/],
    ['JSON lists', 'LIMIT', /has more than \d+ parts/],
    ['JSON nesting', 'LIMIT', /nested more than 500 deep/],
  ] as const)('%s are refused by name', async (name, code, message) => {
    const make = BOMBS.find(([other]) => other === name)?.[1];
    if (make === undefined) throw new Error('is missing');
    await expectFailure(load(inOne(make())), code, message);
  });

  test('a hundred thousand tensors are honest', async () => {
    const count = 100_000;
    const dict = new StateDict(
      Array.from({ length: count }, (_, i) => [`model.layers.${i}.weight`, tensor([i])]),
    );
    const loaded = await loadStateDict(Uint8Array.from(await save(dict)));
    expect(loaded.size).toBe(count);
    expect(loaded.get(`model.layers.${count - 1}.weight`)?.tolist()).toEqual([count - 1]);
  });
});
