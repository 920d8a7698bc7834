// Elements of a strided view in row-major order: the kernel behind every movement of elements.

import { bytesPerElement, collapse, type Loops, numelOf, type View } from '@voxgrad/core';
import { type Code, i32, type Local, load, simd, value } from '../emit/code.js';
import { type Call, isRun } from '../memory/call.js';
import type { Kernel } from '../threads/kernel-cache.js';
import { forItems, words } from './arguments.js';
import { type Engine, kernelOf } from './engine.js';

/** Elements that an item moves, about. */
const ITEM = 32_768;

/** Loops that a kernel can have; views with more are copied by the host. */
export const MAX_LOOPS = 8;

const HEAD = ['source', 'target', 'rows', 'rowsPerItem', 'length', 'step'] as const;

/** Where the elements of `view` are in row-major order: in place where they are so already. */
export function rowMajor(engine: Engine, call: Call, view: View): number {
  if (isRun(view)) return call.readView(view);
  const pointer = call.workspace(numelOf(view.shape) * bytesPerElement(view.dtype));
  copyTo(engine, call, view, pointer);
  return pointer;
}

/** Copies the elements of `view` to `target`. */
export function copyTo(engine: Engine, call: Call, view: View, target: number): void {
  if (numelOf(view.shape) === 0) return;
  const bytes = bytesPerElement(view.dtype);
  const loops = collapse(view.shape, view.strides);
  runCopy(engine, bytes, call.readView(view), target, loops, 'gather');
}

/** Whether a view has few enough loops for {@link copyTo} and {@link copyFrom}. */
export const copies = (view: View): boolean =>
  collapse(view.shape, view.strides).shape.length <= MAX_LOOPS;

/** Writes row-major elements at `source` to where `target` views, whose storage starts at `base`. */
export function copyFrom(engine: Engine, source: number, base: number, target: View): void {
  if (numelOf(target.shape) === 0) return;
  const bytes = bytesPerElement(target.dtype);
  const loops = collapse(target.shape, target.strides);
  runCopy(engine, bytes, base + target.offset * bytes, source, loops, 'scatter');
}

function runCopy(
  engine: Engine,
  bytes: number,
  strided: number,
  dense: number,
  { shape, strides }: Loops,
  direction: 'gather' | 'scatter',
): void {
  const inner = shape.length - 1;
  let [length, rows] = [shape[inner], numelOf(shape.slice(0, inner))];
  const step = strides[inner] * bytes;
  let outer = shape.slice(0, inner);
  let outerSteps = strides.slice(0, inner).map((s) => s * bytes);
  // One long row becomes several, so that threads can share it.
  if (rows === 1 && length > 2 * ITEM) {
    const parts = Math.floor(length / ITEM);
    const rest = length - parts * ITEM;
    if (rest > 0) {
      const from = parts * ITEM;
      const tail = { shape: [rest], strides: [strides[inner]] };
      runCopy(engine, bytes, strided + from * step, dense + from * bytes, tail, direction);
    }
    [length, rows, outer, outerSteps] = [ITEM, parts, [parts], [ITEM * step]];
  }
  const rowsPerItem = Math.max(1, Math.floor(ITEM / length));
  const kind = step === bytes ? 'run' : step === 0 ? 'repeat' : 'strided';
  engine.team.run(
    copyKernel(engine, bytes, outer.length, kind, direction),
    Math.ceil(rows / rowsPerItem),
    [strided, dense, rows, rowsPerItem, length, step, ...outer, ...outerSteps],
  );
}

type RowKind = 'run' | 'repeat' | 'strided';

function copyKernel(
  engine: Engine,
  bytes: number,
  outer: number,
  kind: RowKind,
  direction: 'gather' | 'scatter',
): Kernel {
  return kernelOf(engine, `copy ${bytes} ${outer} ${kind} ${direction}`, (builder) => {
    const { f } = builder;
    const axes = Array.from({ length: outer }, (_, i) => `size${i}`);
    const steps = axes.map((_, i) => `step${i}`);
    const a = words(builder, [...HEAD, ...axes, ...steps]);
    forItems(builder, (item) => {
      const row = f.int(i32.mul(item, a.rowsPerItem));
      const last = f.int(i32.min(a.rows, i32.add(row, a.rowsPerItem)));
      const rowBytes = f.int(i32.mul(a.length, bytes));
      const dense = f.int(i32.add(a.target, i32.mul(row, rowBytes)));
      f.for(row, last, 1, () => {
        const strided = f.int(a.source);
        const rest = f.int(row);
        for (let axis = outer - 1; axis >= 0; axis--) {
          const size = a[`size${axis}`];
          const position = axis === 0 ? rest : i32.remU(rest, size);
          f.advance(strided, i32.mul(position, a[`step${axis}`]));
          if (axis > 0) f.set(rest, i32.divU(rest, size));
        }
        const end = f.int(i32.add(dense, rowBytes));
        copyRow(f, bytes, kind, direction, { strided, dense, end, step: a.step });
      });
    });
  });
}

interface Row {
  readonly strided: Local<'i32'>;
  readonly dense: Local<'i32'>;
  readonly end: Local<'i32'>;
  readonly step: Local<'i32'>;
}

const SCALAR = { 1: 'u8', 2: 'u16', 4: 'i32', 8: 'i64' } as const;

/** Moves one row; `dense` stands at its end afterwards. */
function copyRow(
  f: Code,
  bytes: number,
  kind: RowKind,
  direction: 'gather' | 'scatter',
  row: Row,
): void {
  const { strided, dense, end, step } = row;
  const [from, to] = direction === 'gather' ? [strided, dense] : [dense, strided];
  const scalar = SCALAR[bytes as keyof typeof SCALAR];
  if (kind === 'run' || (kind === 'repeat' && direction === 'gather')) {
    const whole = f.int(i32.add(dense, i32.and(i32.sub(end, dense), -16)));
    if (kind === 'run') {
      f.for(dense, whole, 16, () => {
        f.store('v128', to, load.v128(from));
        f.advance(strided, 16);
      });
    } else {
      const spread = f.local('v128', splat(bytes, strided));
      f.for(dense, whole, 16, () => f.store('v128', dense, spread));
    }
  }
  f.for(dense, end, bytes, () => {
    f.store(scalar, to, load[scalar](from));
    if (kind !== 'repeat') f.advance(strided, kind === 'run' ? bytes : step);
  });
}

/** One element of memory in all places of a vector. */
const splat = (bytes: number, at: Local<'i32'>) =>
  value('v128', at.code, simd({ 1: 0x07, 2: 0x08, 4: 0x09, 8: 0x0a }[bytes] ?? 0x07), [0, 0]);
