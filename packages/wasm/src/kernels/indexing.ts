// Gathering and scattering along the middle axis of three. Operands are read in any layout, so that an
// index which is expanded along the last axis (whole rows, as of an embedding) costs nothing.

import {
  bytesPerElement,
  type DType,
  type Kernels,
  numelOf,
  type ScatterMode,
  type Storage,
  type View,
} from '@voxgrad/core';
import { type Code, i32, i64Const, int, type Local, load, value } from '../emit/code.js';
import { f32, f64, i64 } from '../emit/numbers.js';
import type { Call } from '../memory/call.js';
import type { Kernel } from '../threads/kernel-cache.js';
import { forItems, unravel, words } from './arguments.js';
import { copies, copyTo } from './copy.js';
import { calling, type Engine, kernelOf } from './engine.js';
import { hostKernels } from './fallback.js';
import { isSmall } from './host.js';

/** Elements that an item gathers, about. */
const PART = 16_384;

/** Places along the last axis that an item scatters to: all of them along the middle one, in order. */
const CHUNK = 64;

export function indexing(engine: Engine): Pick<Kernels, 'gather' | 'scatterAdd' | 'scatter'> {
  const host = hostKernels(engine);
  const isEmpty = (...views: View[]) => views.some((view) => numelOf(view.shape) === 0);
  return {
    gather(x: View, index: View): Storage {
      if (isEmpty(x, index) || (isSmall(engine, x) && isSmall(engine, index)))
        return host.gather(x, index);
      return (
        calling(engine, 'gather', (call) => {
          const [outer, size, inner] = x.shape;
          const length = index.shape[1];
          const out = call.output(x.dtype, outer * length * inner);
          const flag = flagOf(engine, call);
          const rows = outer * length;
          const rowsPerItem = Math.max(1, Math.floor(PART / inner));
          engine.team.run(gatherKernel(engine, kindOf(x, index)), Math.ceil(rows / rowsPerItem), [
            ...[call.readView(x), call.readView(index), out.pointer, flag.pointer],
            ...[rows, rowsPerItem, length, inner, size, ...stepsOf(x), ...stepsOf(index)],
          ]);
          return flag.raised() ? null : out.storage();
        }) ?? host.gather(x, index) // which says what is wrong
      );
    },
    scatterAdd(x: View, index: View, size: number): Storage {
      const floats = x.dtype === 'float32' || x.dtype === 'float64';
      if (!floats || isEmpty(x) || isSmall(engine, x)) return host.scatterAdd(x, index, size);
      return (
        calling(engine, 'scatterAdd', (call) => {
          const [outer, , inner] = x.shape;
          const length = outer * size * inner;
          const out = call.output(x.dtype, length);
          const bytes = length * bytesPerElement(x.dtype);
          new Uint8Array(engine.memory.memory.buffer, out.pointer, bytes).fill(0);
          const good = scatterTo(engine, call, 'add', x, index, size, out.pointer);
          return good ? out.storage() : null;
        }) ?? host.scatterAdd(x, index, size)
      );
    },
    scatter(mode: ScatterMode, base: View, index: View, source: View): Storage {
      const small = isSmall(engine, base) && isSmall(engine, source);
      if (mode !== 'set' || small || isEmpty(base, source) || !copies(base))
        return host.scatter(mode, base, index, source);
      return (
        calling(engine, 'scatter', (call) => {
          const out = call.output(base.dtype, numelOf(base.shape));
          copyTo(engine, call, base, out.pointer);
          const size = base.shape[1];
          const good = scatterTo(engine, call, 'set', source, index, size, out.pointer);
          return good ? out.storage() : null;
        }) ?? host.scatter(mode, base, index, source)
      );
    },
  };
}

/** False where an index is out of range. */
function scatterTo(
  engine: Engine,
  call: Call,
  mode: 'add' | 'set',
  source: View,
  index: View,
  size: number,
  out: number,
): boolean {
  const [outer, length, inner] = source.shape;
  const flag = flagOf(engine, call);
  const chunks = Math.ceil(inner / CHUNK);
  engine.team.run(scatterKernel(engine, mode, source.dtype), outer * chunks, [
    ...[call.readView(source), call.readView(index), out, flag.pointer],
    ...[chunks, CHUNK, length, inner, size, ...stepsOf(source), ...stepsOf(index)],
  ]);
  return !flag.raised();
}

const stepsOf = (view: View): number[] =>
  view.strides.map((stride) => stride * bytesPerElement(view.dtype));

/** A word by which a kernel says that an index was out of range. */
function flagOf(engine: Engine, call: Call): { pointer: number; raised(): boolean } {
  const pointer = call.workspace(4);
  const word = () => new Int32Array(engine.memory.memory.buffer, pointer, 1);
  word()[0] = 0;
  return { pointer, raised: () => word()[0] !== 0 };
}

interface GatherKind {
  readonly bytes: number;
  /** One index for a whole row, whose elements follow each other. */
  readonly wholeRows: boolean;
}

const kindOf = (x: View, index: View): GatherKind => ({
  bytes: bytesPerElement(x.dtype),
  wholeRows: index.strides[2] === 0 && x.strides[2] === 1 && x.shape[2] > 1,
});

const SCALAR = { 1: 'u8', 2: 'u16', 4: 'i32', 8: 'i64' } as const;

/** Reads the index at `at`; where it is out of range raises the flag and gives 0. */
function readIndex(
  f: Code,
  at: Local<'i32'>,
  size: Local<'i32'>,
  flag: Local<'i32'>,
): Local<'i32'> {
  const wide = f.local('i64', load.i64(at));
  const position = f.int(i64.low(wide));
  const far = i64.ne(value('i64', wide.code, i64Const(32n).code, [0x88]), i64Const(0n)); // shr_u
  f.if(i32.or(far, i32.geU(position, size)), () => {
    f.store('i32', flag, int(1));
    f.setInt(position, 0);
  });
  return position;
}

/** An item is some rows of the result: positions along the last axis. */
function gatherKernel(engine: Engine, { bytes, wholeRows }: GatherKind): Kernel {
  return kernelOf(engine, `gather ${bytes} ${wholeRows}`, (builder) => {
    const { f } = builder;
    const a = words(builder, [
      ...(['x', 'index', 'out', 'flag', 'rows', 'rowsPerItem', 'length', 'inner'] as const),
      ...(['size', 'x0', 'x1', 'x2', 'index0', 'index1', 'index2'] as const),
    ]);
    const scalar = SCALAR[bytes as keyof typeof SCALAR];
    forItems(builder, (item) => {
      const row = f.int(i32.mul(item, a.rowsPerItem));
      const last = f.int(i32.min(a.rows, i32.add(row, a.rowsPerItem)));
      const [outer, middle] = unravel(f, row, [0, a.length]);
      const y = f.int(i32.add(a.out, i32.mul(i32.mul(row, a.inner), bytes)));
      f.for(row, last, 1, () => {
        const base = f.int(i32.add(a.x, i32.mul(outer, a.x0)));
        const at = f.int(
          i32.add(a.index, i32.add(i32.mul(outer, a.index0), i32.mul(middle, a.index1))),
        );
        const end = f.int(i32.add(y, i32.mul(a.inner, bytes)));
        if (wholeRows) {
          const position = readIndex(f, at, a.size, a.flag);
          const x = f.int(i32.add(base, i32.mul(position, a.x1)));
          const whole = f.int(i32.add(y, i32.and(i32.sub(end, y), -16)));
          f.for(y, whole, 16, () => {
            f.store('v128', y, load.v128(x));
            f.advance(x, 16);
          });
          f.for(y, end, bytes, () => {
            f.store(scalar, y, load[scalar](x));
            f.advance(x, bytes);
          });
        } else
          f.for(y, end, bytes, () => {
            const position = readIndex(f, at, a.size, a.flag);
            f.store(scalar, y, load[scalar](i32.add(base, i32.mul(position, a.x1))));
            f.advance(base, a.x2);
            f.advance(at, a.index2);
          });
        f.advance(middle, 1);
        f.if(i32.eq(middle, a.length), () => {
          f.setInt(middle, 0);
          f.advance(outer, 1);
        });
      });
    });
  });
}

/** An item is a run along the last axis, for all positions of the middle one in their order. */
function scatterKernel(engine: Engine, mode: 'add' | 'set', dtype: DType): Kernel {
  const bytes = bytesPerElement(dtype);
  const kind = mode === 'add' ? dtype : bytes;
  return kernelOf(engine, `scatter ${mode} ${kind}`, (builder) => {
    const { f } = builder;
    const a = words(builder, [
      ...(['x', 'index', 'out', 'flag', 'chunks', 'chunk', 'length', 'inner'] as const),
      ...(['size', 'x0', 'x1', 'x2', 'index0', 'index1', 'index2'] as const),
    ]);
    const scalar = SCALAR[bytes as keyof typeof SCALAR];
    forItems(builder, (item) => {
      const [outer, chunk] = unravel(f, item, [0, a.chunks]);
      const first = f.int(i32.mul(chunk, a.chunk));
      const count = f.int(i32.min(a.chunk, i32.sub(a.inner, first)));
      const row = f.int(i32.mul(a.inner, bytes));
      const target = f.int(
        i32.add(a.out, i32.add(i32.mul(i32.mul(outer, a.size), row), i32.mul(first, bytes))),
      );
      const xRow = f.int(i32.add(a.x, i32.add(i32.mul(outer, a.x0), i32.mul(first, a.x2))));
      const indexRow = f.int(
        i32.add(a.index, i32.add(i32.mul(outer, a.index0), i32.mul(first, a.index2))),
      );
      f.times(a.length, () => {
        const x = f.int(xRow);
        const at = f.int(indexRow);
        const y = f.int(target);
        const end = f.int(i32.add(y, i32.mul(count, bytes)));
        f.for(y, end, bytes, () => {
          const position = readIndex(f, at, a.size, a.flag);
          const place = f.int(i32.add(y, i32.mul(position, row)));
          if (mode === 'set') f.store(scalar, place, load[scalar](x));
          else if (dtype === 'float32')
            f.store('f32', place, f32.add(load.f32(place), load.f32(x)));
          else f.store('f64', place, f64.add(load.f64(place), load.f64(x)));
          f.advance(x, a.x2);
          f.advance(at, a.index2);
        });
        f.advance(xRow, a.x1);
        f.advance(indexRow, a.index1);
      });
    });
  });
}
