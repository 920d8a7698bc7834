import type { ArgReduceName } from '@voxgrad/core';
import { i32, load, simd, value } from '../emit/code.js';
import { anyTrue, extend32, i32x4, i64x2 } from '../emit/integers.js';
import { bits, type FloatDType, lanes } from '../emit/lanes.js';
import { i64 } from '../emit/numbers.js';
import type { Kernel } from '../threads/kernel-cache.js';
import { forItems, words } from './arguments.js';
import { type Engine, kernelOf } from './engine.js';

/**
 * Where the first extreme of each row is: a pass finds it (NaN if there is one), another where it
 * first stands. Vectors overlap at the end of a row; rows shorter than one are filled up by it.
 */
export function argReduceKernel(engine: Engine, op: ArgReduceName, dtype: FloatDType): Kernel {
  const v = lanes(dtype);
  const better = op === 'argmax' ? v.max : v.min;
  return kernelOf(engine, `${op} ${dtype}`, (builder) => {
    const { f } = builder;
    const a = words(builder, ['source', 'out', 'rows', 'rowsPerItem', 'length'] as const);
    const bytes = f.int(i32.mul(a.length, v.bytes));
    forItems(builder, (item) => {
      const row = f.int(i32.mul(item, a.rowsPerItem));
      const last = f.int(i32.min(a.rows, i32.add(row, a.rowsPerItem)));
      f.for(row, last, 1, () => {
        const start = f.int(i32.add(a.source, i32.mul(row, bytes)));
        const end = f.int(i32.add(start, bytes));
        const whole = f.int(i32.add(start, i32.and(bytes, -16)));
        const x = f.int(start);
        const best = f.local('v128', v.loadSplat(x));
        f.for(x, whole, 16, () => {
          f.keepLoopSmall(whole);
          f.set(best, better(best, load.v128(x)));
        });
        f.for(x, end, v.bytes, () => {
          f.set(best, better(best, v.loadSplat(x)));
        });
        f.set(best, v.horizontal(better, best));
        const extreme = f.local('v128', splatLowest(best));
        const isNaNRow = f.local('v128', v.ne(extreme, extreme));
        const x2 = f.int(start);
        const matches = (vector: ReturnType<typeof load.v128>) => {
          const held = f.local('v128', vector);
          return bits.select(isNaNRow, v.ne(held, held), v.eq(held, extreme));
        };
        // Whole vectors without it are skipped; then one number after the other.
        const going = f.int(1);
        f.while(
          () => i32.and(going, i32.ltU(x2, whole)),
          () => {
            f.setInt(going, i32.eqz(anyTrue(matches(load.v128(x2)))));
            f.advance(x2, i32.shl(going, 4));
          },
        );
        f.setInt(going, 1);
        f.while(
          () => i32.and(going, i32.ltU(x2, end)),
          () => {
            f.setInt(going, i32.eqz(anyTrue(matches(v.loadSplat(x2)))));
            f.advance(x2, i32.mul(going, v.bytes));
          },
        );
        const position = i32.divU(i32.sub(x2, start), v.bytes);
        f.store('i64', i32.add(a.out, i32.shl(row, 3)), i64.ofUnsigned(position));
      });
    });

    function splatLowest(x: ReturnType<typeof load.v128>) {
      return dtype === 'float32'
        ? value('v128', value('f32', x.code, simd(0x1f), [0]).code, simd(0x13))
        : value('v128', value('f64', x.code, simd(0x21), [0]).code, simd(0x14));
    }
  });
}

/**
 * The same where rows are columns of memory: neighbours are compared side by side. An item is some
 * columns.
 */
export function argReduceColumnsKernel(
  engine: Engine,
  op: ArgReduceName,
  dtype: FloatDType,
): Kernel {
  const v = lanes(dtype);
  const better = op === 'argmax' ? v.gt : v.lt;
  const whole = dtype === 'float32' ? i32x4 : i64x2;
  return kernelOf(engine, `${op} columns ${dtype}`, (builder) => {
    const { f } = builder;
    const a = words(builder, [
      ...(['source', 'out', 'columns', 'chunk', 'chunks', 'length'] as const),
      ...(['blockStep', 'step'] as const),
    ]);
    forItems(builder, (item) => {
      const block = f.int(i32.divU(item, a.chunks));
      const column = f.int(i32.mul(i32.remU(item, a.chunks), a.chunk));
      const last = f.int(i32.min(a.columns, i32.add(column, a.chunk)));
      f.for(column, last, v.count, () => {
        const place = i32.add(i32.mul(block, a.blockStep), i32.mul(column, v.bytes));
        const x = f.int(i32.add(a.source, place));
        const best = f.local('v128', load.v128(x));
        const at = f.local('v128', whole.constant(0));
        const position = f.local('v128', whole.constant(0));
        const next = f.local('v128');
        const wins = f.local('v128');
        const row = f.int(1);
        f.setInt(row, 1);
        f.for(row, a.length, 1, () => {
          f.advance(x, a.step);
          f.set(next, load.v128(x));
          f.set(position, whole.add(position, whole.constant(1)));
          const firstNaN = bits.and(v.ne(next, next), v.eq(best, best));
          f.set(wins, bits.or(better(next, best), firstNaN));
          f.set(best, bits.select(wins, next, best));
          f.set(at, bits.select(wins, position, at));
        });
        const to = f.int(i32.add(a.out, i32.shl(i32.add(i32.mul(block, a.columns), column), 3)));
        const wide = dtype === 'float32' ? [extend32(at, 'low'), extend32(at, 'high')] : [at];
        const held = wide.map((vector) => f.local('v128', vector));
        for (let lane = 0; lane < v.count; lane++)
          f.if(i32.ltU(i32.add(column, lane), last), () =>
            f.storeLane(8, to, held[lane >> 1], lane & 1, 8 * lane),
          );
      });
    });
  });
}
