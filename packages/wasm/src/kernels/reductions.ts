import {
  type ArgReduceName,
  bytesPerElement,
  type Kernels,
  numelOf,
  type ReduceName,
  type Storage,
  type View,
} from '@voxgrad/core';
import type { FloatDType } from '../emit/lanes.js';
import type { Call } from '../memory/call.js';
import { argReduceColumnsKernel, argReduceKernel } from './arg-reduce-kernel.js';
import { rowMajor } from './copy.js';
import { calling, type Engine } from './engine.js';
import { hostKernels } from './fallback.js';
import { isSmall } from './host.js';
import { collapseTogether, type JointLoops } from './loops.js';
import { columnsKernel, combineKernel, rowsKernel } from './reduce-kernels.js';

/** Elements of an item, about: fixed sizes, so that the number of threads does not change the order. */
const PART = 32_768;

/** Columns that are reduced side by side. */
const CHUNK = 1024;

/** Loops on either side of a reduction that kernels run; what has more is copied first. */
const MAX_LOOPS = 3;

/** Reductions of floating dtypes over the last axes. */
export function reductions(engine: Engine): Pick<Kernels, 'reduce' | 'argReduce'> {
  const host = hostKernels(engine);
  const isComputed = (x: View) =>
    (x.dtype === 'float32' || x.dtype === 'float64') && !isSmall(engine, x) && numelOf(x.shape) > 0;
  return {
    reduce(op: ReduceName, x: View, count: number): Storage {
      if (!isComputed(x)) return host.reduce(op, x, count);
      return calling(engine, op, (call) => {
        const kept = numelOf(x.shape.slice(0, x.shape.length - count));
        const out = call.output(x.dtype, kept);
        reduceTo(engine, call, op, x, count, out.pointer);
        return out.storage();
      });
    },
    argReduce(op: ArgReduceName, x: View): Storage {
      if (!isComputed(x)) return host.argReduce(op, x);
      return calling(engine, op, (call) => {
        const length = x.shape[x.shape.length - 1];
        const out = call.output('int64', numelOf(x.shape) / length);
        argReduceTo(engine, call, op, x, out.pointer);
        return out.storage();
      });
    },
  };
}

const inBytes = ({ shape, strides: [strides] }: JointLoops, bytes: number) => ({
  sizes: shape,
  steps: strides.map((s) => s * bytes),
});

/** Reduces the last `count` axes of a float view to `out`, reading it where and as it is if possible. */
export function reduceTo(
  engine: Engine,
  call: Call,
  op: ReduceName,
  x: View,
  count: number,
  out: number,
): void {
  const axis = x.shape.length - count;
  const [keptShape, keptStrides] = [x.shape.slice(0, axis), x.strides.slice(0, axis)];
  const kept = collapseTogether(keptShape, [keptStrides]);
  const reduced = collapseTogether(x.shape.slice(axis), [x.strides.slice(axis)]);
  const few = kept.shape.length <= MAX_LOOPS && reduced.shape.length <= MAX_LOOPS;
  const last = (loops: JointLoops) => loops.strides[0][loops.shape.length - 1];
  const lastSize = (loops: JointLoops) => loops.shape[loops.shape.length - 1];
  const alone = (loops: JointLoops) => numelOf(loops.shape) === 1;
  if (few && (last(reduced) === 1 || alone(reduced)))
    reduceRows(engine, call, op, x.dtype as FloatDType, call.readView(x), kept, reduced, out);
  else if (few && last(kept) === 1 && lastSize(kept) > 1)
    reduceColumns(engine, call, op, x.dtype as FloatDType, call.readView(x), kept, reduced, out);
  else {
    const dense = (shape: number): JointLoops => ({ shape: [shape], strides: [[1]] });
    const length = numelOf(reduced.shape);
    const rows = { shape: [numelOf(kept.shape)], strides: [[length]] };
    const source = rowMajor(engine, call, x);
    reduceRows(engine, call, op, x.dtype as FloatDType, source, rows, dense(length), out);
  }
}

/** Each result is made of contiguous runs. */
function reduceRows(
  engine: Engine,
  call: Call,
  op: ReduceName,
  dtype: FloatDType,
  source: number,
  kept: JointLoops,
  reduced: JointLoops,
  out: number,
): void {
  const bytes = bytesPerElement(dtype);
  const results = numelOf(kept.shape);
  const length = reduced.shape[reduced.shape.length - 1];
  const runs = numelOf(reduced.shape) / length;
  // A part is some whole runs, or a piece of one.
  const pieces = Math.ceil(length / PART);
  const runsPerPart = pieces > 1 ? 1 : Math.min(runs, Math.max(1, Math.floor(PART / length)));
  const parts = Math.ceil(runs / runsPerPart) * pieces;
  const resultsPerItem = parts > 1 ? 1 : Math.max(1, Math.floor(PART / (runs * length + 16)));
  const partial = parts > 1 ? call.workspace(results * parts * 8) : out;
  const k = inBytes(kept, bytes);
  const r = inBytes(reduced, bytes);
  const outer = r.sizes.length - 1;
  engine.team.run(
    rowsKernel(engine, {
      op,
      dtype,
      kept: k.sizes.length,
      reduced: outer,
      final: parts === 1,
    }),
    parts > 1 ? results * parts : Math.ceil(results / resultsPerItem),
    [
      ...[source, partial, results, resultsPerItem, parts, pieces, runs, runsPerPart, length, PART],
      ...[...k.sizes, ...k.steps, ...r.sizes.slice(0, outer), ...r.steps.slice(0, outer)],
    ],
  );
  if (parts > 1) combine(engine, op, dtype, partial, out, results, parts, 1);
}

/** Each result is made of elements that are apart, next to those of its neighbours. */
function reduceColumns(
  engine: Engine,
  call: Call,
  op: ReduceName,
  dtype: FloatDType,
  source: number,
  kept: JointLoops,
  reduced: JointLoops,
  out: number,
): void {
  const bytes = bytesPerElement(dtype);
  const columns = kept.shape[kept.shape.length - 1];
  const blocks = numelOf(kept.shape) / columns;
  const rows = numelOf(reduced.shape);
  const chunks = Math.ceil(columns / CHUNK);
  const chunk = Math.min(columns, CHUNK);
  // Rows are added one after the other, so there must not be too many of them.
  const rowsPerPart = Math.min(1024, Math.max(32, Math.ceil((2 * PART) / chunk / 8) * 8));
  const parts = Math.ceil(rows / rowsPerPart);
  const partial = call.workspace(blocks * parts * columns * 8);
  const k = inBytes(kept, bytes);
  const r = inBytes(reduced, bytes);
  const outer = k.sizes.length - 1;
  engine.team.run(
    columnsKernel(engine, { op, dtype, kept: outer, reduced: r.sizes.length }),
    blocks * parts * chunks,
    [
      ...[source, partial, columns, chunks, CHUNK, parts, rows, rowsPerPart],
      ...[...k.sizes.slice(0, outer), ...k.steps.slice(0, outer), ...r.sizes, ...r.steps],
    ],
  );
  combine(engine, op, dtype, partial, out, blocks * columns, parts, columns);
}

/** Puts the parts of each result together: `[result / inner][part][result % inner]`. */
function combine(
  engine: Engine,
  op: ReduceName,
  dtype: FloatDType,
  partial: number,
  out: number,
  results: number,
  parts: number,
  inner: number,
): void {
  const resultsPerItem = Math.max(1, Math.floor(PART / parts));
  engine.team.run(combineKernel(engine, op, dtype), Math.ceil(results / resultsPerItem), [
    ...[partial, out, results, resultsPerItem, parts, inner],
  ]);
}

function argReduceTo(engine: Engine, call: Call, op: ArgReduceName, x: View, out: number): void {
  const dtype = x.dtype as FloatDType;
  const bytes = bytesPerElement(dtype);
  const axis = x.shape.length - 1;
  const length = x.shape[axis];
  const rows = numelOf(x.shape) / length;
  const kept = collapseTogether(x.shape.slice(0, axis), [x.strides.slice(0, axis)]);
  const [columns, blocks] = [kept.shape.at(-1) ?? 1, kept.shape.at(-2) ?? 1];
  const strides = kept.strides[0];
  if (x.strides[axis] !== 1 && kept.shape.length <= 2 && strides.at(-1) === 1) {
    const chunk = Math.max(64, Math.floor(PART / length / 64) * 64);
    const chunks = Math.ceil(columns / chunk);
    engine.team.run(argReduceColumnsKernel(engine, op, dtype), blocks * chunks, [
      ...[call.readView(x), out, columns, chunk, chunks, length],
      ...[(strides.at(-2) ?? 0) * bytes, x.strides[axis] * bytes],
    ]);
    return;
  }
  const source = rowMajor(engine, call, x);
  const rowsPerItem = Math.max(1, Math.floor(PART / length));
  engine.team.run(argReduceKernel(engine, op, dtype), Math.ceil(rows / rowsPerItem), [
    ...[source, out, rows, rowsPerItem, length],
  ]);
}
