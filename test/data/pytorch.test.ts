// Orders of loaders and splits, and .npy files, against real PyTorch and NumPy: a stored table, and
// the same table made anew where they are installed.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Generator, manualSeed, rand } from '@voxgrad/core';
import {
  DataLoader,
  type DataLoaderOptions,
  RandomSampler,
  randomSplit,
  readNpy,
  SubsetRandomSampler,
  WeightedRandomSampler,
} from '@voxgrad/data';
import { describe, expect, it } from 'vitest';

interface Table {
  readonly loaders: { name: string; seed: number; epochs: number[][][]; after: number }[];
  readonly splits: { length: number; lengths: number[]; parts: number[][] }[];
  readonly npy: NpyRow[];
}

interface NpyRow {
  readonly dtype: string;
  readonly fortran: boolean;
  readonly version: number[] | null;
  readonly shape: number[];
  readonly values: unknown;
  readonly base64: string;
}

const script = new URL('./pytorch.py', import.meta.url);
const table: Table = JSON.parse(readFileSync(new URL('./pytorch.json', import.meta.url), 'utf8'));

const WEIGHTS = [0.1, 0.9, 0.4, 0.7, 3.0, 0.6];
const range = (length: number) => Array.from({ length }, (_, i) => i);

/** The loaders of pytorch.py. */
const LOADERS: Readonly<Record<string, [number, () => DataLoaderOptions<number>]>> = {
  shuffle: [10, () => ({ batchSize: 4, shuffle: true })],
  'shuffle, full batches only': [7, () => ({ batchSize: 3, shuffle: true, dropLast: true })],
  'shuffle, batches divide': [6, () => ({ batchSize: 3, shuffle: true })],
  sequential: [5, () => ({ batchSize: 2 })],
  generator: [9, () => ({ batchSize: 4, shuffle: true, generator: new Generator(11) })],
  replacement: [
    9,
    () => ({
      batchSize: 20,
      sampler: new RandomSampler(range(9), { replacement: true, numSamples: 40 }),
    }),
  ],
  'more samples than there are': [
    5,
    () => ({ batchSize: 6, sampler: new RandomSampler(range(5), { numSamples: 12 }) }),
  ],
  subset: [50, () => ({ batchSize: 6, sampler: new SubsetRandomSampler([40, 3, 17, 5, 9, 28]) })],
  weighted: [6, () => ({ batchSize: 8, sampler: new WeightedRandomSampler(WEIGHTS, 20) })],
  'weighted, each once': [
    6,
    () => ({
      batchSize: 4,
      sampler: new WeightedRandomSampler(WEIGHTS, 5, { replacement: false }),
    }),
  ],
  'weighted, a single one': [6, () => ({ sampler: new WeightedRandomSampler(WEIGHTS, 1) })],
};

const make = (name: string) => {
  const [length, options] = LOADERS[name];
  return new DataLoader(range(length), options());
};

const numbers = (list: unknown) =>
  JSON.parse(JSON.stringify(list, (_, v) => (typeof v === 'bigint' ? Number(v) : v)));

describe('the order of PyTorch', () => {
  it.each(table.loaders)('loader: $name, seed $seed', ({ name, seed, epochs, after }) => {
    manualSeed(seed);
    const loader = make(name);
    const drawn = epochs.map(() => Array.from(loader, (batch) => numbers(batch.tolist())));
    expect(drawn).toEqual(epochs);
    expect(drawn[0]).toHaveLength(loader.length);
    expect(rand([1], { dtype: 'float64' }).item()).toBe(after);
  });

  it.each([0, 2])('is the same in "for await" with prefetch %i', async (prefetch) => {
    for (const { name, seed, epochs, after } of table.loaders) {
      manualSeed(seed);
      const [length, options] = LOADERS[name];
      const dataset = { length, get: async (index: number) => index };
      const loader = new DataLoader(dataset, { ...options(), prefetch });
      for (const epoch of epochs) {
        const drawn: unknown[] = [];
        for await (const batch of loader) drawn.push(numbers(batch.tolist()));
        expect(drawn, name).toEqual(epoch);
      }
      expect(rand([1], { dtype: 'float64' }).item(), name).toBe(after);
    }
  });

  it.each(table.splits)('randomSplit of $length into $lengths', ({ length, lengths, parts }) => {
    const made = randomSplit(range(length), lengths, { generator: new Generator(42) });
    expect(made.map(({ indices }) => indices)).toEqual(parts);
  });
});

describe('files of NumPy', () => {
  it.each(table.npy)('$dtype $shape, Fortran order: $fortran, version $version', async (row) => {
    const read = await readNpy(Buffer.from(row.base64, 'base64'));
    expect(read.shape).toEqual(row.shape);
    expect(numbers(read.tolist())).toEqual(row.values);
  });
});

const installed = ((): boolean => {
  try {
    execFileSync('/usr/bin/python3', ['-c', 'import torch, numpy'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

it.skipIf(!installed)(
  `the stored table is what PyTorch says now${installed ? '' : ' (skipped: python3-torch is not installed)'}`,
  () => {
    const options = { encoding: 'utf8', maxBuffer: 2 ** 26 } as const;
    const made = execFileSync('/usr/bin/python3', [script.pathname], options);
    expect(JSON.parse(made)).toEqual(table);
  },
);
