// `compact`: no more of a storage is written than tensors look into, and what overlaps keeps sharing.

import { arange, type Tensor, tensor, zeros } from '@voxgrad/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { load, save } from '../src/index.js';
import { entriesOf } from './support.js';

/** Bytes of each storage in a file. */
const sizes = async (file: Uint8Array): Promise<number[]> =>
  Object.entries(await entriesOf(file))
    .filter(([name]) => name.includes('/data/'))
    .map(([, content]) => content.length);

const back = async (value: unknown) => {
  const file = await save(value, undefined, { compact: true });
  return { file, loaded: (await load(file)) as Tensor[] };
};

const base = () => arange(1000, { dtype: 'float32' });

describe('compact', () => {
  // pytorch/pytorch#1995: torch.save(x[:10]) writes all of x.
  test('a small view of a large storage is a small file; without it, a large one', async () => {
    const view = base().narrow(0, 990, 10);
    expect(await sizes(await save([view]))).toEqual([4000]);
    const { file, loaded } = await back([view]);
    expect(await sizes(file)).toEqual([40]);
    expect(loaded[0].tolist()).toEqual(view.tolist());
    expect(loaded[0].offset).toBe(0);
  });

  test('views that overlap share what they cover together, others part', async () => {
    const all = base();
    const [a, b, c] = [all.narrow(0, 10, 20), all.narrow(0, 25, 10), all.narrow(0, 500, 5)];
    const { file, loaded } = await back([a, b, c]);
    expect(await sizes(file)).toEqual([25 * 4, 5 * 4]);
    expect(loaded[0].storage).toBe(loaded[1].storage);
    expect(loaded[2].storage).not.toBe(loaded[0].storage);
    loaded[0].narrow(0, 15, 1).fill_(-1);
    expect(loaded[1].tolist()).toEqual([-1, 26, 27, 28, 29, 30, 31, 32, 33, 34]);
  });

  test('views that touch but do not overlap part', async () => {
    const all = base();
    const { file } = await back([all.narrow(0, 0, 10), all.narrow(0, 10, 10)]);
    expect(await sizes(file)).toEqual([40, 40]);
  });

  test('tied weights stay tied, under one tensor or several', async () => {
    const w = base().narrow(0, 100, 50);
    const { file, loaded } = await back([w, w, w.detach()]);
    expect(await sizes(file)).toEqual([200]);
    expect(loaded[1]).toBe(loaded[0]);
    expect(loaded[2].storage).toBe(loaded[0].storage);
  });

  test('a lone view with gaps is packed, also under two names; a dense one keeps its layout', async () => {
    const column = base().reshape([10, 100]).narrow(1, 7, 1);
    const { file, loaded } = await back([column, column.detach()]);
    expect(await sizes(file)).toEqual([40]);
    expect(loaded[0].strides).toEqual([1, 1]);
    expect(loaded[1].storage).toBe(loaded[0].storage);
    expect(loaded[1].tolist()).toEqual(column.tolist());
    const turned = base().reshape([10, 100]).transpose(0, 1);
    const dense = await back([turned]);
    expect(dense.loaded[0].strides).toEqual([1, 100]);
    expect(await sizes(dense.file)).toEqual([4000]);
  });

  test('expanded tensors stay small, empty ones take nothing', async () => {
    const expanded = tensor([1, 2]).reshape([2, 1]).expand([2, 1000]);
    const { file, loaded } = await back([expanded, base().narrow(0, 5, 0), zeros([0, 3])]);
    expect(await sizes(file)).toEqual([8, 0, 0]);
    expect(loaded[0].strides).toEqual([1, 0]);
    expect(loaded.map(({ shape }) => shape)).toEqual([[2, 1000], [0], [0, 3]]);
  });

  test('any views of one tensor come back with their values, and share exactly what they did', async () => {
    const window = fc.record({
      start: fc.nat(20),
      length: fc.integer({ min: 1, max: 10 }),
      step: fc.integer({ min: 1, max: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(window, { minLength: 1, maxLength: 5 }), async (windows) => {
        // Its elements are their own positions: what shares can be seen by writing.
        const all = arange(64, { dtype: 'float32' });
        const views = windows.map(({ start, length, step }) =>
          all
            .narrow(0, start, 3 * length)
            .reshape([length, 3])
            .narrow(1, 0, step),
        );
        const { loaded } = await back(views);
        expect(loaded.map((t) => t.tolist())).toEqual(views.map((t) => t.tolist()));
        views[0].fill_(-1);
        loaded[0].fill_(-1);
        expect(loaded.map((t) => t.tolist())).toEqual(views.map((t) => t.tolist()));
      }),
      { numRuns: 100 },
    );
  });
});
