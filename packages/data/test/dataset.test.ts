import { Generator, tensor, zeros } from '@voxgrad/core';
import { describe, expect, it } from 'vitest';
import {
  ConcatDataset,
  defaultCollate,
  mapDataset,
  randomSplit,
  Subset,
  TensorDataset,
} from '../src/index.js';

describe('datasets', () => {
  it('TensorDataset gives rows of all tensors', () => {
    const set = new TensorDataset(
      tensor([
        [1, 2],
        [3, 4],
      ]),
      tensor([7, 8]),
    );
    expect(set.length).toBe(2);
    expect(set.get(1).map((x) => x.tolist())).toEqual([[3, 4], 8]);
    expect(() => new TensorDataset(zeros([2]), zeros([3]))).toThrow(
      'Size mismatch between tensors',
    );
  });

  it('ConcatDataset counts through its parts, also from the end', () => {
    const set = new ConcatDataset([['a', 'b'], [], ['c']]);
    expect([0, 1, 2, -1, -3].map((i) => set.get(i))).toEqual(['a', 'b', 'c', 'c', 'a']);
    expect(() => set.get(3)).toThrow('index 3 is not among 3 samples');
    expect(() => set.get(-4)).toThrow('index -4 is not among 3 samples');
    expect(() => new ConcatDataset([])).toThrow('datasets should not be an empty iterable');
  });

  it('Subset renumbers, and says what it does not have', () => {
    const set = new Subset(['a', 'b', 'c'], [2, 0]);
    expect([set.length, set.get(0), set.get(1)]).toEqual([2, 'c', 'a']);
    expect(() => set.get(2)).toThrow('index 2 is not among 2 samples');
  });

  it('mapDataset maps samples, also those that come later', async () => {
    expect(mapDataset([1, 2], (x, i) => x * 10 + i).get(1)).toBe(21);
    const later = { length: 1, get: async () => 5 };
    expect(await mapDataset(later, (x) => x + 1).get(0)).toBe(6);
  });

  it('randomSplit takes sizes or fractions, and nothing that does not add up', () => {
    const generator = new Generator(1);
    const parts = randomSplit([...'abcdefghij'], [0.75, 0.25], { generator });
    expect(parts.map(({ length }) => length)).toEqual([8, 2]);
    const all = parts.flatMap((part) => part.indices);
    expect([...all].sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(() => randomSplit([1, 2, 3], [1, 1])).toThrow('Sum of input lengths does not equal');
    expect(() => randomSplit([1, 2, 3], [1.5, 1.5])).toThrow('expected sizes, or fractions');
    expect(() => randomSplit([1, 2, 3], [-0.5, 1.5])).toThrow('Fraction at index 0');
  });
});

describe('defaultCollate', () => {
  it('stacks tensors and typed arrays, joins numbers, keeps strings', () => {
    const samples = [
      { x: tensor([1, 2]), raw: Float32Array.of(1), n: 1, f: 0.5, b: true, big: 1n, s: 'a' },
      { x: tensor([3, 4]), raw: Float32Array.of(2), n: 2, f: 2, b: false, big: 2n, s: 'b' },
    ];
    const { x, raw, n, f, b, big, s } = defaultCollate(samples);
    expect(x.tolist()).toEqual([
      [1, 2],
      [3, 4],
    ]);
    expect(raw.tolist()).toEqual([[1], [2]]);
    expect([n.dtype, n.tolist()]).toEqual(['float64', [1, 2]]);
    expect([f.dtype, f.tolist()]).toEqual(['float64', [0.5, 2]]);
    expect([b.dtype, b.tolist()]).toEqual(['bool', [true, false]]);
    expect([big.dtype, big.tolist()]).toEqual(['int64', [1n, 2n]]);
    expect(s).toEqual(['a', 'b']);
  });

  it('goes into arrays and Maps', () => {
    const pairs: [number, string][] = [
      [1, 'a'],
      [2, 'b'],
    ];
    const [first, second] = defaultCollate(pairs);
    expect([first.tolist(), second]).toEqual([
      [1, 2],
      ['a', 'b'],
    ]);
    const map = defaultCollate([new Map([['k', 0.5]]), new Map([['k', 1]])]);
    expect(map.get('k')?.tolist()).toEqual([0.5, 1]);
  });

  it('names the entry that does not fit', () => {
    expect(() => defaultCollate([{ a: [zeros([2])] }, { a: [zeros([3])] }])).toThrow(
      'collate: a[0]: stack expects each tensor to be equal size, but got [2] at entry 0 and [3] at entry 1',
    );
    expect(() => defaultCollate([[1], [1, 2]])).toThrow('should be of equal size');
    expect(() => defaultCollate([{ when: new Date(0) }])).toThrow(
      'collate: when: batch must contain',
    );
    expect(() => defaultCollate([{ a: 1 }, {}])).toThrow('collate: a: batch must contain');
    expect(() => defaultCollate([1, 'b'])).toThrow("sample 0 has 1, sample 1 'b'");
    expect(() => defaultCollate([])).toThrow('at least one sample');
  });
});
