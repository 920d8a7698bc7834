import { bytesPerElement, type Kernels, numelOf, type Storage, type View } from '@voxgrad/core';
import { f64Const, i32, type Local, load, type Value } from '../emit/code.js';
import type { FloatDType } from '../emit/lanes.js';
import { f32, f64 } from '../emit/numbers.js';
import type { Kernel } from '../threads/kernel-cache.js';
import { forItems, words } from './arguments.js';
import { rowMajor } from './copy.js';
import { calling, type Engine, kernelOf } from './engine.js';
import { hostKernels } from './fallback.js';
import { isSmall } from './host.js';

/** Elements of an item, about. */
const PART = 32_768;

/** Running sums and their like, of floating dtypes: rows side by side, each from its start on. */
export function scans(engine: Engine): Pick<Kernels, 'recurrence'> {
  const host = hostKernels(engine);
  return {
    recurrence(a: View, b: View): Storage {
      const floats = b.dtype === 'float32' || b.dtype === 'float64';
      const length = b.shape[b.shape.length - 1];
      if (!floats || isSmall(engine, b) || numelOf(b.shape) === 0) return host.recurrence(a, b);
      return calling(engine, 'recurrence', (call) => {
        const bytes = bytesPerElement(b.dtype);
        const rows = numelOf(b.shape) / length;
        const out = call.output(b.dtype, rows * length);
        // One factor for all, as of a running sum, is read where it is.
        const one = a.strides.every((stride) => stride === 0);
        const rowsPerItem = Math.max(1, Math.floor(PART / length));
        engine.team.run(
          recurrenceKernel(engine, b.dtype as FloatDType),
          Math.ceil(rows / rowsPerItem),
          [
            ...[one ? call.readView(a) : rowMajor(engine, call, a), rowMajor(engine, call, b)],
            ...[out.pointer, rows, rowsPerItem, length, one ? 0 : bytes],
          ],
        );
        return out.storage();
      });
    },
  };
}

/** The state is kept in float64. */
function recurrenceKernel(engine: Engine, dtype: FloatDType): Kernel {
  return kernelOf(engine, `recurrence ${dtype}`, (builder) => {
    const { f } = builder;
    const bytes = bytesPerElement(dtype);
    const a = words(builder, [
      ...(['a', 'b', 'out', 'rows', 'rowsPerItem', 'length', 'factorStep'] as const),
    ]);
    const read = (at: Local<'i32'>): Value<'f64'> =>
      dtype === 'float64' ? load.f64(at) : f64.ofF32(load.f32(at));
    forItems(builder, (item) => {
      const row = f.int(i32.mul(item, a.rowsPerItem));
      const last = f.int(i32.min(a.rows, i32.add(row, a.rowsPerItem)));
      const before = f.int(i32.mul(row, a.length));
      const factor = f.int(i32.add(a.a, i32.mul(before, a.factorStep)));
      const term = f.int(i32.add(a.b, i32.mul(before, bytes)));
      const y = f.int(i32.add(a.out, i32.mul(before, bytes)));
      const state = f.local('f64', f64Const(0));
      const put = () => {
        if (dtype === 'float64') f.store('f64', y, state);
        else f.store('f32', y, f32.ofF64(state));
        f.advance(factor, a.factorStep);
        f.advance(term, bytes);
        f.advance(y, bytes);
      };
      f.for(row, last, 1, () => {
        const end = f.int(i32.add(y, i32.mul(a.length, bytes)));
        // The first state is the first term, whatever its factor.
        f.set(state, read(term));
        put();
        f.while(
          () => i32.ltU(y, end),
          () => {
            f.set(state, f64.add(f64.mul(read(factor), state), read(term)));
            put();
          },
        );
      });
    });
  });
}
