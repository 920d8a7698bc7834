// The maxima of windows that are pairs of neighbours along the last axis, as every pooling by 2 has
// them: as many windows at once as a vector has numbers.

import { bytesPerElement } from '@voxgrad/core';
import { i32, type Local, load, type Value } from '../emit/code.js';
import { extend32, i32x4, i64x2, shuffle } from '../emit/integers.js';
import { bits, type FloatDType, lanes, type Vector } from '../emit/lanes.js';
import { i64 } from '../emit/numbers.js';
import type { Kernel } from '../threads/kernel-cache.js';
import { forItems, unravel, words } from './arguments.js';
import { type Engine, kernelOf } from './engine.js';

/** Whether the windows along an axis are 0 and 1, 2 and 3, …, enough of them to fill a vector. */
export const arePairs = (lists: readonly (readonly number[])[], dtype: FloatDType): boolean =>
  lists.length >= lanes(dtype).count &&
  lists.every((list, i) => list.length === 2 && list[0] === 2 * i && list[1] === 2 * i + 1);

/** Numbers at even places of two vectors in a row, or at odd ones. */
function everyOther(bytes: 4 | 8, a: Vector, b: Vector, first: 0 | 1): Vector {
  const places = Array.from({ length: 16 / bytes }, (_, i) => 2 * i + first);
  return shuffle(
    a,
    b,
    places.flatMap((place) => Array.from({ length: bytes }, (_, byte) => place * bytes + byte)),
  );
}

/** Arguments as the kernel of all poolings; an item is one depth of results. */
export function maxPairsKernel(engine: Engine, dtype: FloatDType): Kernel {
  return kernelOf(engine, `pool max pairs ${dtype}`, (builder) => {
    const { f } = builder;
    const v = lanes(dtype);
    const bytes = bytesPerElement(dtype) as 4 | 8;
    const a = words(builder, [
      'source',
      'target',
      'volume',
      'depths',
      'rows',
      'columns',
      'deep',
      'high',
    ] as const);
    const integers = dtype === 'float32' ? i32x4 : i64x2;
    const splat = (x: Value<'i32'>): Vector =>
      dtype === 'float32' ? i32x4.splat(x) : i64x2.splat(i64.ofUnsigned(x));
    const evens = f.hoist('v128', ramp(dtype));
    const one = f.hoist('v128', integers.constant(1));
    /** Calls `body` with the offset of each position of a list. */
    const over = (list: Value<'i32'>, body: (offset: Value<'i32'>) => void) => {
      const entry = f.int(load.i32(list));
      const end = f.int(load.i32(list, 4));
      f.for(entry, end, 4, () => body(load.i32(entry)));
    };
    const firstOf = (list: Value<'i32'>) => load.i32(load.i32(list));
    forItems(builder, (item) => {
      const [plane, depth] = unravel(f, item, [0, a.depths]);
      const base = f.int(i32.add(a.source, i32.mul(plane, a.volume)));
      const deep = f.int(i32.add(a.deep, i32.shl(depth, 2)));
      const y = f.int(i32.add(a.target, i32.mul(i32.mul(item, i32.mul(a.rows, a.columns)), 8)));
      f.times(a.rows, (row) => {
        const high = f.int(i32.add(a.high, i32.shl(row, 2)));
        const column = f.int();
        f.setInt(column, 0);
        f.for(column, a.columns, v.count, () => {
          // The last vector may overlap the one before, and finds the same there.
          const start = f.int(i32.min(column, i32.sub(a.columns, v.count)));
          const within = f.int(i32.mul(start, 2 * bytes));
          const indexAt = (offset: Value<'i32'>) =>
            integers.add(splat(i32.divU(i32.add(offset, within), bytes)), evens);
          const largest = f.local('v128', v.constant(Number.NEGATIVE_INFINITY));
          const best = f.local('v128', indexAt(i32.add(firstOf(deep), firstOf(high))));
          over(deep, (d) => {
            const slice = f.int(d);
            over(high, (h) => {
              const line = f.int(i32.add(slice, h));
              const at = f.int(i32.add(i32.add(base, line), within));
              const index = f.local('v128', indexAt(line));
              const low = f.local('v128', load.v128(at));
              const top = f.local('v128', load.v128(at, 16));
              // The first of equal values wins, and the last NaN beats everything.
              const compare = (number: Local<'v128'>, place: Vector) => {
                const wins = f.local('v128', bits.or(v.gt(number, largest), v.ne(number, number)));
                f.set(largest, bits.select(wins, number, largest));
                f.set(best, bits.select(wins, place, best));
              };
              compare(f.local('v128', everyOther(bytes, low, top, 0)), index);
              compare(f.local('v128', everyOther(bytes, low, top, 1)), integers.add(index, one));
            });
          });
          const to = f.int(i32.add(y, i32.shl(start, 3)));
          if (dtype === 'float64') f.store('v128', to, best);
          else {
            f.store('v128', to, extend32(best, 'low'));
            f.store('v128', to, extend32(best, 'high'), 16);
          }
        });
        f.advance(y, i32.shl(a.columns, 3));
      });
    });
  });
}

/** 0, 2, 4, … in the lanes of indices. */
const ramp = (dtype: FloatDType): Vector => {
  const bytes = dtype === 'float32' ? 4 : 8;
  return bits.constant(
    Array.from({ length: 16 / bytes }, (_, i) => [
      2 * i,
      ...new Array<number>(bytes - 1).fill(0),
    ]).flat(),
  );
};
