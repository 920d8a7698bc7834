// Several views of one shape as the same nested loops.

import type { View } from '@voxgrad/core';
import type { Call } from '../memory/call.js';
import { rowMajor } from './copy.js';
import type { Engine } from './engine.js';

/** Loops, outermost first, with the strides of each operand. */
export interface JointLoops {
  readonly shape: readonly number[];
  readonly strides: readonly (readonly number[])[];
}

/** Drops axes of size 1 and merges neighbours that are contiguous to each other in every operand. */
export function collapseTogether(
  shape: readonly number[],
  strides: readonly (readonly number[])[],
): JointLoops {
  const sizes: number[] = [];
  const steps: number[][] = strides.map(() => []);
  shape.forEach((size, axis) => {
    if (size === 1) return;
    const last = sizes.length - 1;
    const merges = steps.every((s, i) => last >= 0 && s[last] === strides[i][axis] * size);
    if (merges && last >= 0) {
      sizes[last] *= size;
      steps.forEach((s, i) => {
        s[last] = strides[i][axis];
      });
    } else {
      sizes.push(size);
      steps.forEach((s, i) => {
        s.push(strides[i][axis]);
      });
    }
  });
  if (sizes.length === 0) return { shape: [1], strides: strides.map(() => [0]) };
  return { shape: sizes, strides: steps };
}

export interface Operand {
  readonly pointer: number;
  readonly strides: readonly number[];
}

/** Loops over operands, each of which goes forward by 0 or 1 element in the innermost loop. */
export interface Operands {
  readonly shape: readonly number[];
  readonly views: readonly Operand[];
}

/** Loops that a kernel runs over operands as they are. */
const MAX_LOOPS = 4;

const contiguous = (shape: readonly number[]): number[] => {
  const strides = new Array<number>(shape.length).fill(1);
  for (let axis = shape.length - 2; axis >= 0; axis--)
    strides[axis] = strides[axis + 1] * shape[axis + 1];
  return strides;
};

/**
 * The operands of an elementwise kernel. Broadcast ones (stride 0) are read as they are; those in any
 * other order are brought into row-major order first.
 */
export function arrangeOperands(
  engine: Engine,
  call: Call,
  shape: readonly number[],
  views: readonly View[],
): Operands {
  const dense = contiguous(shape);
  // The result is row-major, so loops may merge only where that agrees.
  const collapsed = (copied: readonly boolean[]) =>
    collapseTogether(shape, [dense, ...views.map((v, i) => (copied[i] ? dense : v.strides))]);
  const fits = ({ shape: loops, strides }: JointLoops, i: number): boolean =>
    strides[i + 1][loops.length - 1] === 0 || strides[i + 1][loops.length - 1] === 1;
  const alone = views.map((v) => collapseTogether(shape, [dense, v.strides]));
  let copied = alone.map((loops) => loops.shape.length > MAX_LOOPS || !fits(loops, 0));
  let loops = collapsed(copied);
  if (loops.shape.length > MAX_LOOPS || !views.every((_, i) => fits(loops, i))) {
    copied = alone.map((own) => own.shape.length > 1 || !fits(own, 0));
    loops = collapsed(copied);
  }
  return {
    shape: loops.shape,
    views: views.map((view, i) => ({
      pointer: copied[i] ? rowMajor(engine, call, view) : call.readView(view),
      strides: loops.strides[i + 1],
    })),
  };
}
