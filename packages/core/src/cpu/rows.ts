// Reading strided views on the host: everything in `cpu/` sees row-major arrays through here.

import { allocateHost, type HostArray } from '../tensor/dtype.js';
import { isContiguous, numelOf } from '../tensor/shape.js';
import type { View } from '../tensor/storage.js';

/** A view as nested loops, outermost first. */
export interface Loops {
  readonly shape: readonly number[];
  readonly strides: readonly number[];
}

/** Drops axes of size 1 and merges neighbours that are contiguous to each other. */
export function collapse(shape: readonly number[], strides: readonly number[]): Loops {
  const sizes: number[] = [];
  const steps: number[] = [];
  for (let axis = 0; axis < shape.length; axis++) {
    if (shape[axis] === 1) continue;
    const last = sizes.length - 1;
    if (last >= 0 && steps[last] === strides[axis] * shape[axis]) {
      sizes[last] *= shape[axis];
      steps[last] = strides[axis];
    } else {
      sizes.push(shape[axis]);
      steps.push(strides[axis]);
    }
  }
  if (sizes.length === 0) return { shape: [1], strides: [0] };
  return { shape: sizes, strides: steps };
}

/**
 * Calls `row(start, length, step)` for each innermost run of a view, in row-major order; `start`
 * and `step` count elements of the storage.
 */
export function forEachRow(
  view: View,
  row: (start: number, length: number, step: number) => void,
): void {
  if (numelOf(view.shape) === 0) return;
  const { shape, strides } = collapse(view.shape, view.strides);
  const inner = shape.length - 1;
  const counter = new Array<number>(inner).fill(0);
  let start = view.offset;
  for (;;) {
    row(start, shape[inner], strides[inner]);
    let axis = inner - 1;
    for (; axis >= 0; axis--) {
      start += strides[axis];
      if (++counter[axis] < shape[axis]) break;
      start -= strides[axis] * shape[axis];
      counter[axis] = 0;
    }
    if (axis < 0) return;
  }
}

/** The elements of `view` in row-major order: the storage itself where it is so already. */
export function rowMajor<A extends HostArray = HostArray>(view: View): A {
  const source = view.storage.array;
  const length = numelOf(view.shape);
  if (isContiguous(view.shape, view.strides)) {
    if (view.offset === 0 && source.length === length) return source as A;
    return source.subarray(view.offset, view.offset + length) as A;
  }
  const target = allocateHost(view.dtype, length);
  let at = 0;
  forEachRow(view, (start, count, step) => {
    if (step === 0) {
      // `fill` of a typed array takes its own element type, which a union hides from the compiler.
      (target as Float64Array).fill(source[start] as number, at, at + count);
      at += count;
      return;
    }
    for (let i = 0, from = start; i < count; i++, from += step) target[at++] = source[from];
  });
  return target as A;
}
