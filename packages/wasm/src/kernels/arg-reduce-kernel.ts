import type { ArgReduceName } from '@voxgrad/core';
import { i32, load, simd, value } from '../emit/code.js';
import { anyTrue } from '../emit/integers.js';
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
