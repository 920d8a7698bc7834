// Elementwise kernels against those of the reference, over random layouts and special values.

import {
  type BinaryName,
  type CompareName,
  cpuKernels,
  type DType,
  type Kernels,
  type Storage,
  type UnaryName,
  type View,
} from '@voxgrad/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { calling } from '../src/kernels/engine.js';
import {
  add,
  compare,
  constant,
  evaluate,
  input,
  mul,
  number,
  select,
  sub,
  test,
} from '../src/kernels/expression.js';
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
const DTYPES_OF_KERNELS = [...FLOATS, 'int32', 'int64'] as const;

/** Runs `kernel` on random views on the reference and on both devices. */
function agree(
  dtypes: readonly DType[],
  kernel: (kernels: Kernels, views: View[]) => Storage,
  numRuns = 60,
): void {
  const cases = shapeOf(0).chain((shape) =>
    fc.tuple(...dtypes.map((dtype) => viewOf(shape, dtype))),
  );
  fc.assert(
    fc.property(cases, (views) => {
      const right = kernel(cpuKernels, views);
      const got = devices.map((device) => kernel(device.kernels, views.map(copyOf)));
      expectSame(got[0], right);
      expectSameBits(got[0], got[1]);
    }),
    { seed: SEED, numRuns },
  );
}

const EXACT_UNARY: UnaryName[] = [
  'neg',
  'abs',
  'sign',
  'sqrt',
  'rsqrt',
  'reciprocal',
  'relu',
  'floor',
  'ceil',
  'round',
  'trunc',
];
const EXACT_BINARY: BinaryName[] = ['add', 'sub', 'mul', 'div', 'maximum', 'minimum', 'copysign'];
const INTEGER_UNARY: UnaryName[] = ['neg', 'abs', 'sign', 'relu', 'floor'];
const INTEGER_BINARY: BinaryName[] = ['add', 'sub', 'mul', 'maximum', 'minimum'];
const COMPARE: CompareName[] = ['eq', 'ne', 'lt', 'le', 'gt', 'ge'];

describe.each(FLOATS)('%s', (dtype) => {
  it.each(EXACT_UNARY)('%s', (op) => agree([dtype], (k, [x]) => k.unary(op, x)));
  it.each(EXACT_BINARY)('%s', (op) => agree([dtype, dtype], (k, [a, b]) => k.binary(op, a, b)));
});

describe.each(['int32', 'int64'] as const)('%s', (dtype) => {
  it.each(INTEGER_UNARY)('%s', (op) => agree([dtype], (k, [x]) => k.unary(op, x), 30));
  it.each(INTEGER_BINARY)('%s', (op) =>
    agree([dtype, dtype], (k, [a, b]) => k.binary(op, a, b), 30),
  );
});

describe.each(DTYPES_OF_KERNELS)('%s', (dtype) => {
  it.each(COMPARE)('%s', (op) => agree([dtype, dtype], (k, [a, b]) => k.compare(op, a, b), 40));
  it('where', () =>
    agree(['bool', dtype, dtype], (k, [condition, a, b]) => k.where(condition, a, b)));
  it.each([0, -0, 7])('fill %d', (x) => {
    const right = cpuKernels.fill(dtype, 40_001, x);
    for (const { kernels } of devices) expectSame(kernels.fill(dtype, 40_001, x), right);
  });
});

const ALL = ['bool', 'uint8', 'int8', 'int16', 'int32', 'int64', 'float32', 'float64'] as const;

describe.each(ALL)('%s to', (from) => {
  it.each(ALL)('%s', (to) => agree([from], (k, [x]) => k.copy(x, to), 25));
  it.each(ALL)('%s, in place', (to) =>
    agree(
      [from],
      (k, [x]) => {
        const length = x.shape.reduce((a, b) => a * b, 1);
        const storage = cpuKernels.fill(to, 2 * length + 1, 0);
        const strides = x.shape.map((_, i) => 2 * x.shape.slice(i + 1).reduce((a, b) => a * b, 1));
        k.assign({ storage, dtype: to, shape: x.shape, strides, offset: 1 }, x);
        return storage;
      },
      10,
    ),
  );
});

describe.each(FLOATS)('an expression in %s', (dtype) => {
  // mask ? x · 0.5 + rate · y : x > y ? y : -1, and whether x > y
  const larger = compare('gt', input(0), input(1));
  const mixed = add(mul(input(0), constant(0.5)), mul(number(0), input(1)));
  const outputs = [select(test(2), mixed, select(larger, input(1), constant(-1))), larger];
  const cases = shapeOf(1).chain((shape) =>
    fc.tuple(viewOf(shape, dtype), viewOf(shape, dtype), viewOf(shape, 'bool')),
  );
  it('computes what the operations compute one by one', () => {
    fc.assert(
      fc.property(cases, ([x, y, mask]) => {
        const scalar = (value: number) => ({
          ...x,
          storage: cpuKernels.fill(dtype, 1, value),
          strides: x.shape.map(() => 0),
          offset: 0,
        });
        const dense = (storage: Storage): View => {
          const strides = x.shape.map((_, i) => x.shape.slice(i + 1).reduce((a, b) => a * b, 1));
          return { storage, dtype: storage.dtype, shape: x.shape, strides, offset: 0 };
        };
        const k = cpuKernels;
        const sum = k.binary(
          'add',
          dense(k.binary('mul', x, scalar(0.5))),
          dense(k.binary('mul', scalar(0.3), y)),
        );
        const gt = k.compare('gt', x, y);
        const right = k.where(mask, dense(sum), dense(k.where(dense(gt), y, scalar(-1))));
        const got = devices.map(({ engine }) =>
          calling(engine, 'test', (call) =>
            evaluate(engine, call, {
              dtype,
              inputs: [x, y, mask].map(copyOf),
              numbers: [0.3],
              outputs,
            }),
          ),
        );
        expectSame(got[0][0], right);
        expectSame(got[0][1], gt);
        expectSameBits(got[0][0], got[1][0]);
      }),
      { seed: SEED, numRuns: 60 },
    );
  });
  it('writes in place, through strides too', () => {
    fc.assert(
      fc.property(shapeOf(1), fc.constantFrom(1, 2), (shape, step) => {
        const length = shape.reduce((a, b) => a * b, 1);
        const strides = shape.map((_, i) => step * shape.slice(i + 1).reduce((a, b) => a * b, 1));
        for (const { engine, kernels } of devices) {
          const storage = kernels.fill(dtype, step * length + 1, 5);
          const view = { storage, dtype, shape, strides, offset: 1 };
          calling(engine, 'test', (call) =>
            evaluate(engine, call, {
              dtype,
              inputs: [view],
              numbers: [2],
              outputs: [sub(input(0), number(0))],
              targets: [view],
            }),
          );
          const right = Array.from({ length: step * length + 1 }, (_, i) =>
            i > 0 && (i - 1) % step === 0 ? 3 : 5,
          );
          expect(Array.from(storage.array as Float64Array)).toEqual(right);
        }
      }),
      { seed: SEED, numRuns: 20 },
    );
  });
});
