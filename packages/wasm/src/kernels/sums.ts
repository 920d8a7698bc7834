import { allocateHost, numelOf, Storage, type View } from '@voxgrad/core';
import { i32, load, value } from '../emit/code.js';
import { type FloatDType, lanes } from '../emit/lanes.js';
import type { Call } from '../memory/call.js';
import { forItems, words } from './arguments.js';
import { rowMajor } from './copy.js';
import { calling, type Engine, kernelOf } from './engine.js';
import { addWide, lowest, promote, SUM_PART, upper } from './wide.js';

/** Vectors that are summed before the sum is widened to float64. */
const BLOCK = 64;

/**
 * Sums of `rows` rows of `length` numbers, each in float64. float32 is summed in short blocks of
 * vectors whose sums are widened, so that the error does not grow with the length.
 */
export function rowSums(
  engine: Engine,
  call: Call,
  dtype: FloatDType,
  source: number,
  rows: number,
  length: number,
): Float64Array {
  const parts = Math.max(1, Math.ceil(length / SUM_PART));
  const partial = call.workspace(rows * parts * 8);
  const kernel = kernelOf(engine, `row sums ${dtype}`, (builder) => {
    const v = lanes(dtype);
    const { f } = builder;
    const a = words(builder, ['source', 'partial', 'parts', 'length'] as const);
    forItems(builder, (item) => {
      const row = f.int(i32.divU(item, a.parts));
      const first = f.int(i32.mul(i32.remU(item, a.parts), SUM_PART));
      const count = f.int(i32.min(SUM_PART, i32.sub(a.length, first)));
      const x = f.int(i32.add(a.source, i32.mul(i32.add(i32.mul(row, a.length), first), v.bytes)));
      const end = f.int(i32.add(x, i32.mul(count, v.bytes)));
      const whole = f.int(i32.add(x, i32.and(i32.sub(end, x), -64)));
      const total = f.local('v128', lanes('float64').zero);
      const sums = [0, 1, 2, 3].map(() => f.local('v128'));
      const stop = f.int();
      f.while(
        () => i32.ltU(x, whole),
        () => {
          for (const sum of sums) f.set(sum, v.zero);
          f.setInt(stop, i32.min(whole, i32.add(x, BLOCK * 16)));
          f.for(x, stop, 64, () => {
            sums.forEach((sum, i) => {
              f.set(sum, v.add(sum, load.v128(x, 16 * i)));
            });
          });
          const [p, q, r, s] = sums;
          const block = f.local('v128', v.add(v.add(p, q), v.add(r, s)));
          f.set(
            total,
            addWide(
              total,
              dtype === 'float64' ? block : addWide(promote(block), promote(upper(block))),
            ),
          );
        },
      );
      const result = f.local('f64', lowest(addWide(total, upper(total))));
      f.for(x, end, v.bytes, () => {
        const next = dtype === 'float64' ? load.f64(x) : value('f64', load.f32(x).code, [0xbb]); // f64.promote
        f.set(result, value('f64', result.code, next.code, [0xa0]));
      });
      f.store('f64', i32.add(a.partial, i32.shl(item, 3)), result);
    });
  });
  engine.team.run(kernel, length === 0 ? 0 : rows * parts, [source, partial, parts, length]);
  const sums = new Float64Array(rows);
  if (length === 0) return sums;
  const all = new Float64Array(engine.memory.memory.buffer, partial, rows * parts);
  for (let row = 0; row < rows; row++)
    for (let part = 0; part < parts; part++) sums[row] += all[row * parts + part];
  return sums;
}

/** The sum over all axes but the second of `[N, C, …]`. */
export const channelSums = (engine: Engine, x: View): Storage =>
  calling(engine, 'sum', (call) => {
    const [batch, channels] = x.shape;
    const length = numelOf(x.shape.slice(2));
    const pointer = rowMajor(engine, call, x);
    const rows = rowSums(engine, call, x.dtype as FloatDType, pointer, batch * channels, length);
    const sums = allocateHost(x.dtype, channels) as Float64Array;
    for (let channel = 0; channel < channels; channel++) {
      let sum = 0;
      for (let n = 0; n < batch; n++) sum += rows[n * channels + channel];
      sums[channel] = sum;
    }
    return new Storage(x.dtype, sums as Float64Array<ArrayBuffer>);
  });
