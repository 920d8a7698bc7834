// Reductions against those of the reference, over random layouts, special values and lengths.

import { cpuKernels, type ReduceName, Storage, type View } from '@voxgrad/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  copyOf,
  devices,
  expectSame,
  expectSameBits,
  SEED,
  shapeOf,
  viewOf,
} from './support/views.js';

const FLOATS = ['float32', 'float64'] as const;

/** A view, and how many of its last axes are reduced. */
const casesOf = (dtype: (typeof FLOATS)[number], values?: fc.Arbitrary<number>) =>
  shapeOf(1).chain((shape) =>
    fc.tuple(viewOf(shape, dtype, values), fc.integer({ min: 1, max: shape.length })),
  );

const mild = fc.integer({ min: -4000, max: 4000 }).map((n) => n / 777);
const nearOne = fc.integer({ min: -40, max: 40 }).map((n) => 1 + n / 1777);

function onBoth(op: ReduceName, x: View, count: number): Storage {
  const [one, two] = devices.map(({ kernels }) => kernels.reduce(op, copyOf(x), count));
  expectSameBits(one, two);
  return one;
}

describe.each(FLOATS)('%s', (dtype) => {
  it.each(['amax', 'amin'] as const)('%s is the reference’s, NaN and zeros included', (op) => {
    fc.assert(
      fc.property(casesOf(dtype), ([x, count]) => {
        if (x.shape.includes(0)) return;
        expectSame(onBoth(op, x, count), cpuKernels.reduce(op, x, count));
      }),
      { seed: SEED, numRuns: 200 },
    );
  });

  it.each(['sum', 'prod'] as const)('%s is as near to the truth as the reference', (op) => {
    const [eps, tiny] = dtype === 'float32' ? [2 ** -24, 2 ** -149] : [2 ** -53, 1e-300];
    const values = op === 'sum' ? mild : nearOne;
    fc.assert(
      fc.property(casesOf(dtype, values), ([x, count]) => {
        const absolute = (view: View): View => ({
          ...view,
          dtype: 'float64',
          storage: new Storage(
            'float64',
            Float64Array.from(view.storage.array as Float64Array, Math.abs),
          ),
        });
        const wide = (view: View): View => ({
          ...view,
          dtype: 'float64',
          storage: new Storage('float64', Float64Array.from(view.storage.array as Float64Array)),
        });
        const got = onBoth(op, x, count).array as Float64Array;
        const right = cpuKernels.reduce(op, wide(x), count).array as Float64Array;
        const scale = cpuKernels.reduce(op, absolute(x), count).array as Float64Array;
        const length = x.shape.slice(x.shape.length - count).reduce((a, b) => a * b, 1);
        for (let i = 0; i < right.length; i++) {
          // Of sums float32 rounds some twenty additions, and the reference a block of 128;
          // products grow with their length.
          const terms = op === 'prod' ? 2 + 2 * length : dtype === 'float32' ? 24 : 160;
          if (dtype === 'float32' && !Number.isFinite(Math.fround(right[i]))) continue;
          const error = Math.abs(got[i] - right[i]);
          expect(error).toBeLessThanOrEqual(terms * eps * Math.abs(scale[i]) + tiny);
        }
      }),
      { seed: SEED, numRuns: 200 },
    );
  });

  it('sums special values', () => {
    fc.assert(
      fc.property(casesOf(dtype), ([x, count]) => {
        const got = onBoth('sum', x, count).array;
        const right = cpuKernels.reduce('sum', x, count).array;
        for (let i = 0; i < right.length; i++)
          if (!Number.isFinite(right[i])) expect(got[i]).toBe(right[i]);
      }),
      { seed: SEED, numRuns: 60 },
    );
  });

  it.each(['argmax', 'argmin'] as const)('%s finds the first of equal values, and NaN', (op) => {
    const few = fc.oneof(
      fc.integer({ min: -3, max: 3 }),
      fc.constantFrom(-0, Number.NaN, Infinity),
    );
    const cases = shapeOf(1).chain((shape) =>
      fc.oneof(viewOf(shape, dtype), viewOf(shape, dtype, few)),
    );
    fc.assert(
      fc.property(cases, (x) => {
        if (x.shape.includes(0)) return;
        const right = cpuKernels.argReduce(op, x);
        const got = devices.map(({ kernels }) => kernels.argReduce(op, copyOf(x)));
        expectSame(got[0], right);
        expectSameBits(got[0], got[1]);
      }),
      { seed: SEED, numRuns: 150 },
    );
  });

  it('recurrences have the reference’s bits', () => {
    const cases = shapeOf(1).chain((shape) => fc.tuple(viewOf(shape, dtype), viewOf(shape, dtype)));
    fc.assert(
      fc.property(cases, fc.boolean(), ([a, b], constant) => {
        const factor = constant ? { ...a, strides: a.strides.map(() => 0) } : a;
        const right = cpuKernels.recurrence(factor, b);
        const got = devices.map(({ kernels }) => kernels.recurrence(copyOf(factor), copyOf(b)));
        expectSame(got[0], right);
        expectSameBits(got[0], got[1]);
      }),
      { seed: SEED, numRuns: 100 },
    );
  });

  it('sums a million numbers in float32 as if they were wide', () => {
    const length = 1_000_003;
    const array = Float32Array.from({ length }, (_, i) => 1 + (i % 7) / 1000);
    const x = {
      storage: new Storage('float32', array),
      dtype: 'float32',
      shape: [length],
      strides: [1],
      offset: 0,
    } as const;
    const exact = array.reduce((a, b) => a + b, 0);
    expect(Math.abs(Number(onBoth('sum', x, 1).array[0]) / exact - 1)).toBeLessThan(1e-7);
  });
});
