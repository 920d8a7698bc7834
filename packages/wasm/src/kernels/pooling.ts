// Pooling. What a result is made of is given by a list of positions for each axis: the elements of a
// window, or, for the adjoint, the windows of an element. Lists ascend, so sums have the order, and
// the bits, of the reference.

import {
  type AxisWindows,
  bytesPerElement,
  type Kernels,
  type PoolGeometry,
  type Storage,
  type Triple,
  type View,
  volume,
} from '@voxgrad/core';
import { f64Const, i32, type Local, load, select, type Value } from '../emit/code.js';
import type { FloatDType } from '../emit/lanes.js';
import { f32, f64, i64 } from '../emit/numbers.js';
import type { Call } from '../memory/call.js';
import type { Kernel } from '../threads/kernel-cache.js';
import { forItems, unravel, words } from './arguments.js';
import { rowMajor } from './copy.js';
import { calling, type Engine, kernelOf } from './engine.js';
import { hostKernels } from './fallback.js';
import { isSmall } from './host.js';
import { arePairs, maxPairsKernel } from './pool-pairs.js';

export function pooling(
  engine: Engine,
): Pick<Kernels, 'maxPoolIndices' | 'sumPool' | 'spreadPool'> {
  const host = hostKernels(engine);
  const isComputed = (x: View) =>
    (x.dtype === 'float32' || x.dtype === 'float64') && !isSmall(engine, x);
  const elements = (g: PoolGeometry) => g.windows.map((axis) => elementsOf(axis));
  return {
    maxPoolIndices(x: View, g: PoolGeometry): Storage {
      if (!isComputed(x)) return host.maxPoolIndices(x, g);
      return run(engine, 'max', x, g.input, g.output, elements(g));
    },
    sumPool(x: View, g: PoolGeometry): Storage {
      if (!isComputed(x)) return host.sumPool(x, g);
      return run(engine, 'sum', x, g.input, g.output, elements(g));
    },
    spreadPool(x: View, g: PoolGeometry): Storage {
      if (!isComputed(x)) return host.spreadPool(x, g);
      const windows = elements(g).map((lists, axis) => invert(lists, g.input[axis]));
      return run(engine, 'sum', x, g.output, g.input, windows);
    },
  };
}

/** For each result along an axis the positions that it is made of. */
type Lists = readonly (readonly number[])[];

const elementsOf = ({ starts, ends, step }: AxisWindows): Lists =>
  starts.map((start, i) =>
    Array.from(
      { length: Math.max(0, Math.ceil((ends[i] - start) / step)) },
      (_, tap) => start + tap * step,
    ),
  );

function invert(lists: Lists, size: number): Lists {
  const inverse: number[][] = Array.from({ length: size }, () => []);
  lists.forEach((positions, i) => {
    for (const position of positions) inverse[position].push(i);
  });
  return inverse;
}

type What = 'max' | 'sum';

function run(
  engine: Engine,
  what: What,
  x: View,
  from: Triple,
  to: Triple,
  lists: readonly Lists[],
): Storage {
  return calling(engine, what === 'max' ? 'max pooling' : 'pooling', (call) => {
    const dtype = x.dtype as FloatDType;
    const bytes = bytesPerElement(dtype);
    const [outer] = x.shape;
    const out = call.output(what === 'max' ? 'int64' : dtype, outer * volume(to));
    const source = rowMajor(engine, call, x);
    const steps = [from[1] * from[2] * bytes, from[2] * bytes, bytes];
    const tables = lists.map((list, axis) => writeTable(engine, call, list, steps[axis]));
    const kernel =
      what === 'max' && arePairs(lists[2], dtype)
        ? maxPairsKernel(engine, dtype)
        : poolKernel(engine, what, dtype);
    engine.team.run(kernel, outer * to[0], [
      ...[source, out.pointer, volume(from) * bytes, ...to],
      ...tables,
    ]);
    return out.storage();
  });
}

/**
 * Where each list begins and ends, as addresses, then the lists, as bytes from the start of an axis.
 */
function writeTable(engine: Engine, call: Call, lists: Lists, step: number): number {
  const items = lists.flat();
  const pointer = call.workspace(4 * (lists.length + 1 + items.length));
  const table = new Int32Array(
    engine.memory.memory.buffer,
    pointer,
    lists.length + 1 + items.length,
  );
  let at = pointer + 4 * (lists.length + 1);
  lists.forEach((list, i) => {
    table[i] = at;
    at += 4 * list.length;
  });
  table[lists.length] = at;
  table.set(
    items.map((position) => position * step),
    lists.length + 1,
  );
  return pointer;
}

/** An item is one depth of results. */
function poolKernel(engine: Engine, what: What, dtype: FloatDType): Kernel {
  return kernelOf(engine, `pool ${what} ${dtype}`, (builder) => {
    const { f } = builder;
    const bytes = bytesPerElement(dtype);
    const a = words(builder, [
      'source',
      'target',
      'volume',
      'depths',
      'rows',
      'columns',
      'deep',
      'high',
      'wide',
    ] as const);
    const outBytes = what === 'max' ? 8 : bytes;
    const read = (at: Local<'i32'>): Value<'f64'> =>
      dtype === 'float64' ? load.f64(at) : f64.ofF32(load.f32(at));
    /** Calls `body` with the offset of each position of a list. */
    const over = (list: Value<'i32'>, body: (offset: Value<'i32'>) => void) => {
      const entry = f.int(load.i32(list));
      const end = f.int(load.i32(list, 4));
      f.for(entry, end, 4, () => body(load.i32(entry)));
    };
    forItems(builder, (item) => {
      const [plane, depth] = unravel(f, item, [0, a.depths]);
      const base = f.int(i32.add(a.source, i32.mul(plane, a.volume)));
      const y = f.int(
        i32.add(a.target, i32.mul(i32.mul(item, i32.mul(a.rows, a.columns)), outBytes)),
      );
      f.times(a.rows, (row) =>
        f.times(a.columns, (column) => {
          const total = f.local('f64', f64Const(0));
          const bestAt = f.int(0);
          f.setInt(bestAt, 0);
          over(i32.add(a.deep, i32.shl(depth, 2)), (d) => {
            const slice = f.int(i32.add(base, d));
            over(i32.add(a.high, i32.shl(row, 2)), (h) => {
              const line = f.int(i32.add(slice, h));
              over(i32.add(a.wide, i32.shl(column, 2)), (w) => {
                const at = f.int(i32.add(line, w));
                if (what === 'sum') {
                  f.set(total, f64.add(total, read(at)));
                  return;
                }
                // The first of equal values wins, and the last NaN beats everything.
                const number = f.local('f64', read(at));
                const better = i32.or(f64.gt(number, total), f64.ne(number, number));
                const wins = f.int(i32.or(better, i32.eqz(bestAt)));
                // Without branches, which data like this make unpredictable.
                f.set(total, select(wins, number, total));
                f.setInt(bestAt, select(wins, at, bestAt));
              });
            });
          });
          if (what === 'max') {
            const index = i32.divU(i32.sub(bestAt, base), bytes);
            f.store('i64', y, i64.ofUnsigned(index));
          } else if (dtype === 'float64') f.store('f64', y, total);
          else f.store('f32', y, f32.ofF64(total));
          f.advance(y, outBytes);
        }),
      );
    });
  });
}
