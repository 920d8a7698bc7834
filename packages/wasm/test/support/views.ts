// Random views, and the devices that must compute on them what the reference computes.

import {
  allocateHost,
  type DType,
  type HostArray,
  hostArrayOver,
  Storage,
  type View,
} from '@voxgrad/core';
import fc from 'fast-check';
import { expect } from 'vitest';
import { createWasmDevice } from '../../src/index.js';

export const SEED = 20_240_611;

const one = createWasmDevice({ threads: 1, smallBytes: 0 });
const two = createWasmDevice({ threads: 2, smallBytes: 0 });
await two.ready();

/** The same device with one thread and with two. */
export const devices = [one, two] as const;

const SPECIAL = [
  0,
  -0,
  1,
  -1,
  0.5,
  -0.5,
  1.5,
  2.5,
  Number.NaN,
  Infinity,
  -Infinity,
  1e-310,
  -1e-40,
  3e38,
  -1e300,
  2 ** 31,
  -(2 ** 33) - 1.5,
];

/** Numbers of every size, with special ones among them. */
const valueOf = (dtype: DType): fc.Arbitrary<number | bigint> => {
  if (dtype === 'bool') return fc.nat(1);
  if (dtype === 'uint8') return fc.nat(255);
  if (dtype === 'int64') return fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n);
  if (dtype === 'int8' || dtype === 'int16' || dtype === 'int32') return fc.integer();
  return fc.oneof(
    { weight: 8, arbitrary: fc.integer({ min: -4000, max: 4000 }).map((n) => n / 777) },
    { weight: 1, arbitrary: fc.constantFrom(...SPECIAL) },
  );
};

/** How an axis lies in memory. */
interface Axis {
  readonly expanded: boolean;
  readonly step: number;
}

const axisOf: fc.Arbitrary<Axis> = fc.record({
  expanded: fc.oneof(
    { weight: 3, arbitrary: fc.constant(false) },
    { weight: 1, arbitrary: fc.constant(true) },
  ),
  step: fc.oneof(
    { weight: 5, arbitrary: fc.constant(1) },
    { weight: 1, arbitrary: fc.constant(2) },
  ),
});

/** A view of a shape: contiguous, or permuted, narrowed, stepped and expanded. */
export function viewOf(
  shape: readonly number[],
  dtype: DType,
  value = valueOf(dtype),
): fc.Arbitrary<View> {
  const rank = shape.length;
  return fc
    .record({
      plain: fc.boolean(),
      axes: fc.array(axisOf, { minLength: rank, maxLength: rank }),
      order: fc.shuffledSubarray(
        shape.map((_, i) => i),
        { minLength: rank },
      ),
      offset: fc.nat(5),
      values: fc.array(value, { minLength: 60, maxLength: 60 }),
    })
    .map(({ plain, axes, order, offset, values }) => {
      const strides = new Array<number>(rank).fill(0);
      let length = 1;
      for (const axis of plain ? shape.map((_, i) => i).reverse() : order) {
        if (!plain && axes[axis].expanded) continue;
        const step = plain ? 1 : axes[axis].step;
        strides[axis] = length * step;
        length *= Math.max(1, shape[axis] * step);
      }
      const array = allocateHost(dtype, length + offset) as Float64Array;
      for (let i = 0; i < array.length; i++)
        array[i] = values[(i * 7 + Math.floor(i / 60)) % 60] as number;
      return { storage: new Storage(dtype, array as HostArray), dtype, shape, strides, offset };
    });
}

/** Shapes of up to five axes; some are long enough for several items. */
export const shapeOf = (least = 1): fc.Arbitrary<number[]> =>
  fc.oneof(
    {
      weight: 10,
      arbitrary: fc.array(fc.integer({ min: 1, max: 7 }), { minLength: least, maxLength: 5 }),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(
          fc.integer({ min: 1, max: 3 }),
          fc.integer({ min: 1, max: 5 }),
          fc.integer({ min: 3000, max: 20_000 }),
        )
        .map(([a, b, c]) => [a, b, c]),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.integer({ min: 3000, max: 9000 }), fc.integer({ min: 1, max: 9 }))
        .map(([a, b]) => [a, b]),
    },
    { weight: 1, arbitrary: fc.constant(Array.from({ length: least }, () => 0)) },
  );

/** A view that shares nothing with the given one: devices move storages. */
export const copyOf = (view: View): View => ({
  ...view,
  storage: new Storage(view.dtype, view.storage.array.slice() as HostArray),
});

const bitsOf = ({ array }: Storage): Uint8Array =>
  new Uint8Array(array.buffer, array.byteOffset, array.byteLength);

/** The same numbers: NaN is NaN, and zeros have their signs. */
export function expectSame(got: Storage, right: Storage): void {
  expect([got.dtype, got.length]).toEqual([right.dtype, right.length]);
  const [a, b] = [got.array, right.array];
  for (let i = 0; i < b.length; i++)
    if (!Object.is(a[i], b[i])) expect([i, a[i]]).toEqual([i, b[i]]);
}

export const expectSameBits = (a: Storage, b: Storage): void => {
  expect(Buffer.compare(bitsOf(a), bitsOf(b)), 'bits with one thread and with two').toBe(0);
};

const scratch64 = new BigInt64Array(1);
const scratch32 = new Int32Array(1);

/** Where a number stands in the row of all numbers of its dtype. */
function position(x: number, dtype: DType): bigint {
  if (dtype === 'float32') {
    hostArrayOver('float32', scratch32.buffer, 0, 1)[0] = x;
    const n = BigInt(scratch32[0]);
    return n < 0n ? -(n & 0x7fffffffn) : n;
  }
  hostArrayOver('float64', scratch64.buffer, 0, 1)[0] = x;
  const [n] = scratch64;
  return n < 0n ? -(n & (2n ** 63n - 1n)) : n;
}

/** How many numbers of the dtype two numbers are apart; Infinity where one alone is NaN. */
export function ulps(a: number, b: number, dtype: DType): number {
  if (Object.is(a, b)) return 0;
  if (Number.isNaN(a) || Number.isNaN(b)) return Infinity;
  const distance = position(a, dtype) - position(b, dtype);
  return Number(distance < 0n ? -distance : distance);
}
