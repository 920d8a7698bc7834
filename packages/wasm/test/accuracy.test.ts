// The elementary functions in units of the last place. The reference computes float32 in float64, so
// it is the truth for float32; in float64 it errs by up to a unit itself, two for erf.

import { cpuKernels, type DType, Storage, type UnaryName, type View } from '@voxgrad/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { devices, expectSame, SEED, ulps } from './support/views.js';

type Range = readonly [from: number, to: number];

/** The function, where it is tested, and by how much it may differ from the reference in float64. */
const FUNCTIONS: readonly (readonly [UnaryName, number, readonly Range[]])[] = [
  [
    'exp',
    2,
    [
      [-1, 1],
      [-90, 90],
      [-750, 720],
      [-1e-6, 1e-6],
    ],
  ],
  [
    'expm1',
    2,
    [
      [-1, 1],
      [-50, 50],
      [-1e-5, 1e-5],
      [700, 711],
    ],
  ],
  [
    'exp2',
    2,
    [
      [-1, 1],
      [-150, 130],
      [-1080, 1030],
    ],
  ],
  [
    'log',
    1,
    [
      [0, 2],
      [0.9, 1.1],
      [0, 1e300],
      [0, 1e-308],
    ],
  ],
  [
    'log1p',
    1,
    [
      [-1, 1],
      [-0.3, 0.45],
      [-1e-5, 1e-5],
      [0, 1e10],
    ],
  ],
  [
    'log2',
    2,
    [
      [0, 2],
      [0.9, 1.1],
      [0, 1e300],
      [0, 1e-308],
    ],
  ],
  [
    'log10',
    2,
    [
      [0, 2],
      [0.9, 1.1],
      [0, 1e300],
      [0, 1e-308],
    ],
  ],
  [
    'tanh',
    3,
    [
      [-1, 1],
      [-25, 25],
      [-1e-4, 1e-4],
    ],
  ],
  [
    'sigmoid',
    3,
    [
      [-10, 10],
      [-100, 100],
      [-750, 750],
    ],
  ],
  [
    'erf',
    4,
    [
      [-1, 1],
      [-7, 7],
      [-1e-3, 1e-3],
      [0.9, 1.1],
    ],
  ],
  [
    'sin',
    1,
    [
      [-4, 4],
      [-100, 100],
      [-1e5, 1e5],
      [-1e9, 1e9],
    ],
  ],
  [
    'cos',
    1,
    [
      [-4, 4],
      [-100, 100],
      [-1e5, 1e5],
      [-1e9, 1e9],
    ],
  ],
];

const SPECIAL = [
  ...[0, -0, 1, -1, Number.NaN, Infinity, -Infinity, 0.5, -0.5, 2, 8, 10, 1000],
  ...[5e-324, -5e-324, 1e-310, -1e-310, 1e-45, -1e-45, 1e-40, 1e-300, 1e300, -1e300, 3e38],
  ...[709.7, 709.8, 710, -708, -744.5, -745.2, -746, 88.7, 88.8, -87.5, -103.5, -104],
  ...[1023.9, 1024, -1022.5, -1074, -1075.1, 127.9, 128, -126.5, -149, -150.1],
  ...[2 ** -1022, 1 - 2 ** -53, 1 + 2 ** -52, -1 + 2 ** -53, 2 ** 20, Math.PI, Math.PI / 2],
];

const ARRAY = { float32: Float32Array, float64: Float64Array } as const;

const viewOver = (dtype: 'float32' | 'float64', numbers: readonly number[]): View => ({
  storage: new Storage(dtype, ARRAY[dtype].from(numbers)),
  dtype,
  shape: [numbers.length],
  strides: [1],
  offset: 0,
});

const [{ kernels }] = devices;

/** Whether a result is more than `bound` units off, or a zero with the other sign. */
function isOff(got: unknown, right: unknown, dtype: DType, bound: number): boolean {
  const distance = ulps(Number(got), Number(right), dtype);
  return distance > bound || (distance === 0 && !Object.is(got, right));
}

describe.each(['float32', 'float64'] as const)('%s', (dtype) => {
  it.each(FUNCTIONS)('%s', (op, bound, ranges) => {
    for (const [from, to] of ranges) {
      const numbers = fc.sample(fc.double({ min: from, max: to, noNaN: true }), {
        seed: SEED,
        numRuns: 500,
      });
      const spread = Array.from({ length: 20_000 }, (_, i) => from + ((to - from) * i) / 20_000);
      const x = [...numbers, ...spread].map(dtype === 'float32' ? Math.fround : Number);
      const got = kernels.unary(op, viewOver(dtype, x)).array;
      const right = cpuKernels.unary(op, viewOver(dtype, x)).array;
      const limit = dtype === 'float32' ? 1 : bound;
      for (let i = 0; i < x.length; i++) {
        const distance = ulps(Number(got[i]), Number(right[i]), dtype);
        if (distance > limit) expect([x[i], got[i], distance]).toEqual([x[i], right[i], limit]);
      }
    }
  });

  it.each(FUNCTIONS)('%s of special numbers', (op, bound) => {
    const got = kernels.unary(op, viewOver(dtype, SPECIAL)).array;
    const right = cpuKernels.unary(op, viewOver(dtype, SPECIAL)).array;
    SPECIAL.forEach((x, i) => {
      if (isOff(got[i], right[i], dtype, bound)) expect([x, got[i]]).toEqual([x, right[i]]);
    });
  });

  it('cosine and sine of special numbers that are small', () => {
    const x = SPECIAL.filter((number) => Math.abs(number) <= 2 ** 20);
    for (const op of ['sin', 'cos'] as const) {
      const got = kernels.unary(op, viewOver(dtype, x)).array;
      const right = cpuKernels.unary(op, viewOver(dtype, x)).array;
      x.forEach((number, i) => {
        if (isOff(got[i], right[i], dtype, 1))
          expect([op, number, got[i]]).toEqual([op, number, right[i]]);
      });
    }
  });

  const POWERS = [
    0,
    -0,
    1,
    2,
    3,
    -1,
    0.5,
    -0.5,
    -2,
    2.5,
    7,
    -3,
    1e10,
    Infinity,
    -Infinity,
    Number.NaN,
  ];

  it('pow of special numbers', () => {
    const pairs = SPECIAL.flatMap((x) => POWERS.map((e) => [x, e] as const));
    const bases = viewOver(
      dtype,
      pairs.map(([x]) => x),
    );
    const exponents = viewOver(
      dtype,
      pairs.map(([, e]) => e),
    );
    const got = kernels.binary('pow', bases, exponents).array;
    const right = cpuKernels.binary('pow', bases, exponents).array;
    pairs.forEach((pair, i) => {
      if (isOff(got[i], right[i], dtype, 1)) expect([...pair, got[i]]).toEqual([...pair, right[i]]);
    });
  });

  it.each(POWERS)('pow by %d', (exponent) => {
    const spread = Array.from({ length: 2000 }, (_, i) => (i - 300) / 77 + 0.001);
    const bases = viewOver(dtype, [...SPECIAL, ...spread]);
    const scalar = { ...bases, storage: viewOver(dtype, [exponent]).storage, strides: [0] };
    const got = kernels.binary('pow', bases, scalar).array;
    const right = cpuKernels.binary('pow', bases, scalar).array;
    for (let i = 0; i < right.length; i++)
      // In float64 x³ is rounded twice.
      if (isOff(got[i], right[i], dtype, dtype === 'float32' ? 1 : 2))
        expect([bases.storage.array[i], got[i]]).toEqual([bases.storage.array[i], right[i]]);
  });
});

it('a whole number to the power of a whole number is exact in float32', () => {
  const pairs = Array.from({ length: 10 }, (_, x) => [0, 1, 2, 3, 4, 5, 6].map((e) => [x - 5, e]));
  const bases = viewOver(
    'float32',
    pairs.flat().map(([x]) => x),
  );
  const exponents = viewOver(
    'float32',
    pairs.flat().map(([, e]) => e),
  );
  expectSame(kernels.binary('pow', bases, exponents), cpuKernels.binary('pow', bases, exponents));
});
