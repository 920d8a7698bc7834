// Pooling, gathering and scattering: the reference's bits, NaN and overlapping windows included.

import {
  type AxisWindows,
  cpuKernels,
  type DType,
  type Kernels,
  type PoolGeometry,
  Storage,
  type View,
} from '@voxgrad/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { copyOf, devices, expectSame, expectSameBits, SEED, viewOf } from './support/views.js';

function agree(kernel: (kernels: Kernels) => Storage): void {
  const right = kernel(cpuKernels);
  const got = devices.map((device) => kernel(device.kernels));
  expectSame(got[0], right);
  expectSameBits(got[0], got[1]);
}

/** Windows inside an axis of some size. */
const axis = fc
  .record({
    size: fc.integer({ min: 1, max: 9 }),
    kernel: fc.integer({ min: 1, max: 4 }),
    stride: fc.integer({ min: 1, max: 3 }),
    step: fc.integer({ min: 1, max: 2 }),
  })
  .map(({ size, kernel, stride, step }): { size: number; windows: AxisWindows } => {
    const starts: number[] = [];
    for (let start = 0; start < size; start += stride) starts.push(start);
    const ends = starts.map((start) => Math.min(size, start + (kernel - 1) * step + 1));
    return { size, windows: { starts, ends, step } };
  });

const geometries = fc.tuple(axis, axis, axis).map(
  ([d, h, w]): PoolGeometry => ({
    input: [d.size, h.size, w.size],
    output: [d.windows.starts.length, h.windows.starts.length, w.windows.starts.length],
    windows: [d.windows, h.windows, w.windows],
  }),
);

describe.each(['float32', 'float64'] as const)('pooling in %s', (dtype) => {
  const cases = fc
    .tuple(geometries, fc.integer({ min: 1, max: 4 }))
    .chain(([g, outer]) =>
      fc.tuple(
        fc.constant(g),
        viewOf([outer, ...g.input], dtype),
        viewOf([outer, ...g.output], dtype),
      ),
    );
  const check = (kernel: (k: Kernels, g: PoolGeometry, x: View, y: View) => Storage) =>
    fc.assert(
      fc.property(cases, ([g, x, y]) => agree((k) => kernel(k, g, copyOf(x), copyOf(y)))),
      { seed: SEED, numRuns: 80 },
    );
  it('maxPoolIndices', () => check((k, g, x) => k.maxPoolIndices(x, g)));
  it('sumPool', () => check((k, g, x) => k.sumPool(x, g)));
  it('spreadPool', () => check((k, g, _x, y) => k.spreadPool(y, g)));
});

const sizes = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.tuple(...Array.from({ length: 4 }, () => fc.integer({ min: 1, max: 9 }))),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      [1, 700, 50, 70],
      [3, 20_000, 300, 1],
      [2, 5, 40_000, 1],
      [2, 9, 4, 130],
    ),
  },
);

/** Positions below `size`, in any layout; often the same for all elements of a row. */
const indexOf = (shape: readonly number[], size: number) =>
  viewOf(shape, 'int64', fc.integer({ min: 0, max: size - 1 }).map(BigInt));

describe.each(['float32', 'float64', 'int64', 'bool'] as const)(
  'indexing in %s',
  (dtype: DType) => {
    const cases = sizes.chain(([outer, size, length, inner]) =>
      fc.tuple(
        viewOf([outer, size, inner], dtype),
        indexOf([outer, length, inner], size),
        viewOf([outer, length, inner], dtype),
      ),
    );
    const check = (kernel: (k: Kernels, base: View, index: View, source: View) => Storage) =>
      fc.assert(
        fc.property(cases, ([base, index, source]) =>
          agree((k) => kernel(k, copyOf(base), copyOf(index), copyOf(source))),
        ),
        { seed: SEED, numRuns: 80 },
      );
    it('gather', () => check((k, base, index) => k.gather(base, index)));
    it('scatterAdd', () =>
      check((k, base, index, source) => k.scatterAdd(source, index, base.shape[1])));
    it.each(['set', 'amax'] as const)('scatter %s', (mode) =>
      check((k, base, index, source) => k.scatter(mode, base, index, source)),
    );
    it.each([-1n, 3n, 2n ** 32n])('refuses index %d of three', (wrong) => {
      const shape = [1, 3, 1];
      const strides = [3, 1, 1];
      const dense = (storage: Storage): View => ({
        storage,
        dtype: storage.dtype,
        shape,
        strides,
        offset: 0,
      });
      for (const { kernels } of devices) {
        const x = dense(cpuKernels.fill(dtype, 3, 1));
        const index = dense(new Storage('int64', BigInt64Array.of(0n, wrong, 1n)));
        const message = /out of (bounds|range)/;
        expect(() => kernels.gather(x, index)).toThrow(message);
        expect(() => kernels.scatterAdd(x, index, 3)).toThrow(message);
        expect(() => kernels.scatter('set', x, index, x)).toThrow(message);
      }
    });
  },
);

describe.each(['float32', 'float64'] as const)('max pooling by 2 in %s', (dtype) => {
  /** Pairs along each axis; an odd last element is in no window. */
  const pairs = (size: number): AxisWindows => {
    const starts = Array.from({ length: Math.floor(size / 2) }, (_, i) => 2 * i);
    return { starts, ends: starts.map((start) => start + 2), step: 1 };
  };
  const cases = fc
    .tuple(fc.integer({ min: 1, max: 3 }), ...[7, 7, 23].map((max) => fc.integer({ min: 2, max })))
    .chain(([outer, ...input]) =>
      fc.tuple(fc.constant(input as [number, number, number]), viewOf([outer, ...input], dtype)),
    );
  it('has the bits of the reference', () => {
    fc.assert(
      fc.property(cases, ([input, x]) => {
        const windows = input.map(pairs) as [AxisWindows, AxisWindows, AxisWindows];
        const output = windows.map((axis) => axis.starts.length) as [number, number, number];
        agree((k) => k.maxPoolIndices(copyOf(x), { input, output, windows }));
      }),
      { seed: SEED, numRuns: 150 },
    );
  });
});
