// Matrix products against the reference, for sizes around those of tiles and for transposed factors.

import { cpuKernels, Storage, type View } from '@voxgrad/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { copyOf, devices, expectSameBits, SEED, viewOf } from './support/views.js';

const mild = fc.integer({ min: -4000, max: 4000 }).map((n) => n / 4000);

const wide = (view: View): View => ({
  ...view,
  dtype: 'float64',
  storage: new Storage('float64', Float64Array.from(view.storage.array as Float64Array)),
});

describe.each(['float32', 'float64'] as const)('%s', (dtype) => {
  const size = fc.integer({ min: 1, max: 20 });
  const sizes = fc.oneof(
    { weight: 8, arbitrary: fc.tuple(fc.integer({ min: 1, max: 3 }), size, size, size) },
    {
      weight: 1,
      arbitrary: fc.constantFrom<[number, number, number, number]>(
        [1, 70, 600, 140],
        [2, 130, 33, 9],
        [1, 1, 1025, 40],
        [1, 300, 257, 1],
      ),
    },
  );
  const cases = sizes.chain(([b, m, k, n]) =>
    fc.tuple(viewOf([b, m, k], dtype, mild), viewOf([b, k, n], dtype, mild)),
  );
  it('agrees with the reference', () => {
    fc.assert(
      fc.property(cases, ([a, b]) => {
        const right = cpuKernels.matmul(wide(a), wide(b)).array as Float64Array;
        const [one, two] = devices.map(({ kernels }) => kernels.matmul(copyOf(a), copyOf(b)));
        expectSameBits(one, two);
        const eps = dtype === 'float32' ? 2 ** -24 : 2 ** -52;
        const bound = (4 + a.shape[2]) * eps * a.shape[2];
        const got = one.array as Float64Array;
        expect(got.length).toBe(right.length);
        for (let i = 0; i < right.length; i++)
          expect(Math.abs(got[i] - right[i])).toBeLessThanOrEqual(bound);
      }),
      { seed: SEED, numRuns: 150 },
    );
  });
});
