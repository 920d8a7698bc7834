// The loops of reductions. Everything is carried in float64, of which float32 shows nothing but the
// last rounding. Sums of runs are made in blocks, and parts are put together with their errors.

import type { ReduceName } from '@voxgrad/core';
import {
  type Code,
  f64Const,
  type IntLike,
  i32,
  type Local,
  load,
  simd,
  type Value,
  value,
} from '../emit/code.js';
import { promoteHigh, promoteLow } from '../emit/integers.js';
import { type FloatDType, lanes, type Vector } from '../emit/lanes.js';
import { f32, f64 } from '../emit/numbers.js';
import type { Kernel } from '../threads/kernel-cache.js';
import { forItems, unravel, words } from './arguments.js';
import { type Engine, kernelOf } from './engine.js';

const d = lanes('float64');

/** How two values become one, in vectors of a dtype and in single numbers, and what changes nothing. */
const OPERATION = {
  sum: { name: 'add', scalar: f64.add, neutral: 0 },
  prod: { name: 'mul', scalar: f64.mul, neutral: 1 },
  amax: { name: 'max', scalar: f64.max, neutral: -Infinity },
  amin: { name: 'min', scalar: f64.min, neutral: Infinity },
} as const;

/** Bytes of a run whose sum is made apart from the total, which keeps rounding errors small. */
const BLOCK_BYTES = 1024;

const lane = (x: Vector, index: number): Value<'f64'> => value('f64', x.code, simd(0x21), [index]);

const readWide = (dtype: FloatDType, at: IntLike): Value<'f64'> =>
  dtype === 'float64' ? load.f64(at) : f64.ofF32(load.f32(at));

/** Numbers 2i and 2i + 1 from an address on, as float64. */
const readVector = (dtype: FloatDType, at: IntLike, i: number): Vector =>
  dtype === 'float64' ? load.v128(at, 16 * i) : promoteLow(load.zero64(at, 8 * i));

const pairwise = <T>(values: readonly T[], merge: (a: T, b: T) => T): T =>
  values.length === 1
    ? values[0]
    : merge(
        pairwise(values.slice(0, values.length / 2), merge),
        pairwise(values.slice(values.length / 2), merge),
      );

const storeNarrow = (f: Code, dtype: FloatDType, at: IntLike, x: Value<'f64'>): void => {
  if (dtype === 'float64') f.store('f64', at, x);
  else f.store('f32', at, f32.ofF64(x));
};

interface Total {
  readonly lanes: Local<'v128'>;
  readonly number: Local<'f64'>;
}

/** Takes one contiguous run from `x` to before `end` into the total. */
function takeRun(
  f: Code,
  op: ReduceName,
  dtype: FloatDType,
  x: Local<'i32'>,
  end: Local<'i32'>,
  total: Total,
): void {
  const { bytes } = lanes(dtype);
  const { name, scalar } = OPERATION[op];
  // Extremes need no more digits than they have.
  const narrow = dtype === 'float64' || op === 'amax' || op === 'amin';
  const carried = narrow ? lanes(dtype) : d;
  const sums = Array.from({ length: narrow ? 4 : 8 }, () => f.local('v128'));
  const read = (i: number) => readVector(narrow ? 'float64' : dtype, x, i);
  const blocks = f.int(i32.add(x, i32.and(i32.sub(end, x), -64)));
  const stop = f.int();
  f.while(
    () => i32.ltU(x, blocks),
    () => {
      sums.forEach((sum, i) => {
        f.set(sum, read(i));
      });
      f.setInt(stop, i32.min(blocks, i32.add(x, BLOCK_BYTES)));
      f.advance(x, 64);
      f.for(x, stop, 64, () => {
        f.keepLoopSmall(stop);
        sums.forEach((sum, i) => {
          f.set(sum, carried[name](sum, read(i)));
        });
      });
      const block = f.local('v128', pairwise<Vector>(sums, carried[name]));
      const widened =
        carried.dtype === 'float64' ? block : d[name](promoteLow(block), promoteHigh(block));
      f.set(total.lanes, d[name](total.lanes, widened));
    },
  );
  const pairs = f.int(i32.add(x, i32.and(i32.sub(end, x), -2 * bytes)));
  f.for(x, pairs, 2 * bytes, () => {
    f.keepLoopSmall(pairs);
    f.set(total.lanes, d[name](total.lanes, readVector(dtype, x, 0)));
  });
  f.for(x, end, bytes, () => {
    f.keepLoopSmall(end);
    f.set(total.number, scalar(total.number, readWide(dtype, x)));
  });
}

const startTotal = (f: Code, op: ReduceName): Total => {
  const { neutral } = OPERATION[op];
  return {
    lanes: f.local('v128', d.constant(neutral)),
    number: f.local('f64', f64Const(neutral)),
  };
};

const finish = (op: ReduceName, { lanes: all, number }: Total): Value<'f64'> => {
  const { scalar } = OPERATION[op];
  return scalar(scalar(lane(all, 0), lane(all, 1)), number);
};

const numbered = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `${prefix}${i}`);

/** Moves `pointer` to the place of `index` in loops. */
function moveTo(
  f: Code,
  pointer: Local<'i32'>,
  index: Local<'i32'>,
  sizes: readonly IntLike[],
  steps: readonly IntLike[],
): void {
  if (sizes.length === 0) return;
  unravel(f, index, [0, ...sizes.slice(1)]).forEach((position, i) => {
    f.advance(pointer, i32.mul(position, steps[i]));
  });
}

/**
 * Results whose elements are contiguous runs. An item is one part of one result, written in float64,
 * or, where a result is one part, a few results, written as they are (`final`).
 */
export function rowsKernel(
  engine: Engine,
  shape: {
    readonly op: ReduceName;
    readonly dtype: FloatDType;
    readonly kept: number;
    /** Loops around the runs of a result. */
    readonly reduced: number;
    readonly final: boolean;
  },
): Kernel {
  const { op, dtype, kept, reduced, final } = shape;
  const { bytes } = lanes(dtype);
  return kernelOf(engine, `${op} rows ${dtype} ${kept} ${reduced} ${final}`, (builder) => {
    const { f } = builder;
    const names = [
      numbered('keptSize', kept),
      numbered('keptStep', kept),
      numbered('size', reduced),
      numbered('step', reduced),
    ];
    const a = words(builder, [
      ...['source', 'target', 'results', 'resultsPerItem', 'parts', 'pieces', 'runs'],
      ...['runsPerPart', 'length', 'pieceLength'],
      ...names.flat(),
    ]);
    const [keptSizes, keptSteps, sizes, steps] = names.map((list) => list.map((name) => a[name]));
    /** One part of one result. */
    const reduceOne = (result: Local<'i32'>, part: Local<'i32'> | null): Value<'f64'> => {
      const base = f.int(a.source);
      moveTo(f, base, result, keptSizes, keptSteps);
      const total = startTotal(f, op);
      const run = f.int(0);
      f.setInt(run, part ? i32.mul(i32.divU(part, a.pieces), a.runsPerPart) : 0);
      const lastRun = f.int(part ? i32.min(a.runs, i32.add(run, a.runsPerPart)) : a.runs);
      const first = f.int(part ? i32.mul(i32.remU(part, a.pieces), a.pieceLength) : 0);
      const count = f.int(part ? i32.min(a.pieceLength, i32.sub(a.length, first)) : a.length);
      const runBytes = f.int(i32.mul(count, bytes));
      const begin = f.int(i32.add(base, i32.mul(first, bytes)));
      f.for(run, lastRun, 1, () => {
        const x = f.int(begin);
        moveTo(f, x, run, sizes, steps);
        const end = f.int(i32.add(x, runBytes));
        takeRun(f, op, dtype, x, end, total);
      });
      return finish(op, total);
    };
    forItems(builder, (item) => {
      if (!final) {
        const [result, part] = unravel(f, item, [0, a.parts]);
        const sum = reduceOne(result, part);
        f.store('f64', i32.add(a.target, i32.shl(item, 3)), sum);
        return;
      }
      const result = f.int(i32.mul(item, a.resultsPerItem));
      const last = f.int(i32.min(a.results, i32.add(result, a.resultsPerItem)));
      f.for(result, last, 1, () => {
        const sum = reduceOne(result, null);
        storeNarrow(f, dtype, i32.add(a.target, i32.mul(result, bytes)), sum);
      });
    });
  });
}

/** Rows that are taken at once: one read and write of the sums for all of them. */
const TOGETHER = 4;

/**
 * Results that lie next to each other while their elements are apart. An item goes over some rows of
 * some columns, and leaves their parts in float64.
 */
export function columnsKernel(
  engine: Engine,
  shape: {
    readonly op: ReduceName;
    readonly dtype: FloatDType;
    /** Loops around the columns. */
    readonly kept: number;
    readonly reduced: number;
  },
): Kernel {
  const { op, dtype, kept, reduced } = shape;
  const v = lanes(dtype);
  const { name, scalar, neutral } = OPERATION[op];
  return kernelOf(engine, `${op} columns ${dtype} ${kept} ${reduced}`, (builder) => {
    const { f } = builder;
    const names = [
      numbered('keptSize', kept),
      numbered('keptStep', kept),
      numbered('size', reduced),
      numbered('step', reduced),
    ];
    const a = words(builder, [
      ...['source', 'partial', 'columns', 'chunks', 'chunk', 'parts', 'rows', 'rowsPerPart'],
      ...names.flat(),
    ]);
    const [keptSizes, keptSteps, sizes, steps] = names.map((list) => list.map((name) => a[name]));
    forItems(builder, (item) => {
      const [block, part, chunk] = unravel(f, item, [0, a.parts, a.chunks]);
      const first = f.int(i32.mul(chunk, a.chunk));
      const count = f.int(i32.min(a.chunk, i32.sub(a.columns, first)));
      const base = f.int(i32.add(a.source, i32.mul(first, v.bytes)));
      moveTo(f, base, block, keptSizes, keptSteps);
      const index = i32.add(i32.mul(i32.add(i32.mul(block, a.parts), part), a.columns), first);
      const sums = f.int(i32.add(a.partial, i32.shl(index, 3)));
      const whole = f.int(i32.mul(i32.and(count, -v.count), v.bytes));
      const tail = f.int(i32.and(count, v.count - 1));
      const wipe = f.int(sums);
      f.for(wipe, i32.add(sums, i32.shl(count, 3)), 8, () => {
        f.store('f64', wipe, f64Const(neutral));
      });
      const row = f.int(i32.mul(part, a.rowsPerPart));
      const last = f.int(i32.min(a.rows, i32.add(row, a.rowsPerPart)));
      const takeRows = (count: number) => {
        const at = Array.from({ length: count }, (_, i) => {
          const pointer = f.int(base);
          const index = i === 0 ? row : f.int(i32.add(row, i));
          moveTo(f, pointer, index, sizes, steps);
          return pointer;
        });
        const sum = f.int(sums);
        const end = f.int(i32.add(at[0], whole));
        f.while(
          () => i32.ltU(at[0], end),
          () => {
            f.keepLoopSmall(end);
            for (let half = 0; half < 16 / v.bytes / 2; half++) {
              const rows = at.map((pointer) => readVector(dtype, pointer, half));
              const there = load.v128(sum, 16 * half);
              f.store('v128', sum, d[name](there, pairwise(rows, d[name])), 16 * half);
            }
            f.advance(sum, (16 * 8) / v.bytes);
            for (const pointer of at) f.advance(pointer, 16);
          },
        );
        f.setInt(end, i32.add(at[0], i32.mul(tail, v.bytes)));
        f.for(at[0], end, v.bytes, () => {
          const numbers = at.map((pointer) => readWide(dtype, pointer));
          f.store('f64', sum, scalar(load.f64(sum), pairwise(numbers, scalar)));
          f.advance(sum, 8);
          for (const pointer of at.slice(1)) f.advance(pointer, v.bytes);
        });
        f.advance(row, count);
      };
      const eights = f.int(i32.add(row, i32.and(i32.sub(last, row), -TOGETHER)));
      f.while(
        () => i32.ltU(row, eights),
        () => takeRows(TOGETHER),
      );
      f.while(
        () => i32.ltU(row, last),
        () => takeRows(1),
      );
    });
  });
}

/** Puts parts together, one after the other: `[result / inner][part][result % inner]`. */
export function combineKernel(engine: Engine, op: ReduceName, dtype: FloatDType): Kernel {
  const { bytes } = lanes(dtype);
  const { scalar, neutral } = OPERATION[op];
  return kernelOf(engine, `${op} combine ${dtype}`, (builder) => {
    const { f } = builder;
    const a = words(builder, [
      'partial',
      'out',
      'results',
      'resultsPerItem',
      'parts',
      'inner',
    ] as const);
    forItems(builder, (item) => {
      const result = f.int(i32.mul(item, a.resultsPerItem));
      const last = f.int(i32.min(a.results, i32.add(result, a.resultsPerItem)));
      f.for(result, last, 1, () => {
        const [block, within] = unravel(f, result, [0, a.inner]);
        const from = i32.add(i32.mul(i32.mul(block, a.parts), a.inner), within);
        const x = f.int(i32.add(a.partial, i32.shl(from, 3)));
        const total = f.local('f64', f64Const(neutral));
        const lost = f.local('f64', f64Const(0));
        const next = f.local('f64');
        const sum = f.local('f64');
        f.times(a.parts, () => {
          f.set(next, load.f64(x));
          f.set(sum, scalar(total, next));
          if (op === 'sum') {
            // What the addition rounds off (Knuth), to be added at the end.
            const ofNext = f.local('f64', f64.sub(sum, total));
            const error = f64.add(f64.sub(total, f64.sub(sum, ofNext)), f64.sub(next, ofNext));
            f.set(lost, f64.add(lost, error));
          }
          f.set(total, sum);
          f.advance(x, i32.shl(a.inner, 3));
        });
        // Not where infinities made the error NaN.
        if (op === 'sum')
          f.if(i32.eqz(f64.ne(lost, lost)), () => f.set(total, f64.add(total, lost)));
        storeNarrow(f, dtype, i32.add(a.out, i32.mul(result, bytes)), total);
      });
    });
  });
}
