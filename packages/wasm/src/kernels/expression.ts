/**
 * Elementwise computing: a small tree says what becomes of the elements of some views, and one pass
 * over memory does it. All elementwise kernels of the device are such trees.
 *
 *     // y = relu(x · scale + shift), where scale and shift are per channel ([1, C, 1, 1, 1] expanded)
 *     const y = maximum(add(mul(input(0), input(1)), input(2)), constant(0))
 *     const [storage] = calling(engine, 'batch_norm', (call) =>
 *       evaluate(engine, call, { dtype: 'float32', inputs: [x, scale, shift], outputs: [y] }));
 *
 *     // an optimizer step, in place; the learning rate is a number of the call, not of the code
 *     const step = sub(input(0), mul(number(0), input(1)))
 *     evaluate(engine, call, { dtype, inputs: [p, g], numbers: [lr], outputs: [step], targets: [p] })
 *
 * A node that is used twice (the same object) is computed once. Inputs have the shape of the result
 * (expand them: stride 0 costs nothing, neither for a scalar nor per channel) and its dtype, or are
 * bool or uint8 where they are read by {@link test}. There is at least one input. Each tree is compiled
 * once: constants are part of the code, numbers are not, so what changes from call to call is a number.
 */

import {
  type BinaryName,
  bytesPerElement,
  type CompareName,
  type DType,
  numelOf,
  type Storage,
  type UnaryName,
  type View,
} from '@voxgrad/core';
import { type Call, isRun } from '../memory/call.js';
import { copyFrom } from './copy.js';
import { elementwiseKernel, PART } from './elementwise-kernel.js';
import type { Engine } from './engine.js';
import { arrangeOperands } from './loops.js';

/** The dtypes that expressions compute in. */
export type ComputeDType = 'float32' | 'float64' | 'int32' | 'int64';

export const isComputed = (dtype: DType): dtype is ComputeDType =>
  dtype === 'float32' || dtype === 'float64' || dtype === 'int32' || dtype === 'int64';

/** A number for every element. */
export type Expression =
  | { readonly kind: 'input'; readonly index: number }
  | { readonly kind: 'number'; readonly index: number }
  | { readonly kind: 'constant'; readonly value: number | bigint }
  | { readonly kind: 'unary'; readonly op: UnaryName; readonly x: Expression }
  | {
      readonly kind: 'binary';
      readonly op: BinaryName;
      readonly a: Expression;
      readonly b: Expression;
    }
  | {
      readonly kind: 'select';
      readonly condition: Condition;
      readonly a: Expression;
      readonly b: Expression;
    };

/** A truth value for every element. */
export type Condition =
  | { readonly kind: 'test'; readonly index: number }
  | {
      readonly kind: 'compare';
      readonly op: CompareName;
      readonly a: Expression;
      readonly b: Expression;
    };

export type Node = Expression | Condition;

/** Element of input number `index`. */
export const input = (index: number): Expression => ({ kind: 'input', index });
/** Number `index` of the call, the same for every element (float dtypes). */
export const number = (index: number): Expression => ({ kind: 'number', index });
/** A number that is part of the code. */
export const constant = (value: number | bigint): Expression => ({ kind: 'constant', value });
export const unary = (op: UnaryName, x: Expression): Expression => ({ kind: 'unary', op, x });
export const binary = (op: BinaryName, a: Expression, b: Expression): Expression => ({
  kind: 'binary',
  op,
  a,
  b,
});
export const add = (a: Expression, b: Expression): Expression => binary('add', a, b);
export const sub = (a: Expression, b: Expression): Expression => binary('sub', a, b);
export const mul = (a: Expression, b: Expression): Expression => binary('mul', a, b);
export const div = (a: Expression, b: Expression): Expression => binary('div', a, b);
export const maximum = (a: Expression, b: Expression): Expression => binary('maximum', a, b);
export const minimum = (a: Expression, b: Expression): Expression => binary('minimum', a, b);

export const compare = (op: CompareName, a: Expression, b: Expression): Condition => ({
  kind: 'compare',
  op,
  a,
  b,
});
/** Whether the element of input number `index`, bool or uint8, is not 0. */
export const test = (index: number): Condition => ({ kind: 'test', index });
/** `condition ? a : b`; both are computed. */
export const select = (condition: Condition, a: Expression, b: Expression): Expression => ({
  kind: 'select',
  condition,
  a,
  b,
});

export const isCondition = (node: Node): node is Condition =>
  node.kind === 'test' || node.kind === 'compare';

export interface Pass {
  readonly dtype: ComputeDType;
  readonly inputs: readonly View[];
  readonly numbers?: readonly number[];
  /** What is computed: expressions in `dtype`, conditions in bool. */
  readonly outputs: readonly Node[];
  /**
   * For each output the view that it is written to, in place, or null for a fresh storage. A target
   * may be one of the inputs; one that overlaps an input otherwise gives nonsense.
   */
  readonly targets?: readonly (View | null)[];
}

/**
 * Runs a pass, and returns the fresh storages (of the outputs without a target), row-major, in order.
 * Operations for which {@link hasUnary} and {@link hasBinary} say no cannot be part of it.
 */
export function evaluate(engine: Engine, call: Call, pass: Pass): Storage[] {
  const { dtype, inputs, outputs, numbers = [], targets = [] } = pass;
  const shape = (targets.find((target) => target) ?? inputs[0]).shape;
  const length = numelOf(shape);
  const operands = arrangeOperands(engine, call, shape, inputs);
  const results = outputs.map((node, i) => {
    const result = isCondition(node) ? 'bool' : dtype;
    const target = targets[i];
    if (!target) return call.output(result, length);
    const bytes = bytesPerElement(result);
    const base = call.update(target.storage);
    if (isRun(target))
      return { pointer: base + target.offset * bytes, storage: () => null, finish: () => {} };
    const pointer = call.workspace(length * bytes);
    return { pointer, storage: () => null, finish: () => copyFrom(engine, pointer, base, target) };
  });
  if (length > 0) {
    const inner = operands.shape.length - 1;
    const size = operands.shape[inner];
    const rows = length / size;
    const rowsPerItem = size >= PART ? 1 : Math.max(1, Math.floor(PART / size));
    const parts = Math.ceil(size / PART);
    const kernel = elementwiseKernel(engine, {
      dtype,
      inputs: operands.views.map((operand, i) => ({
        bytes: bytesPerElement(inputs[i].dtype),
        repeats: operand.strides[inner] === 0,
      })),
      outputs,
      outer: inner,
    });
    engine.team.run(
      kernel,
      Math.ceil(rows / rowsPerItem) * parts,
      [
        ...[rows, rowsPerItem, size, parts],
        ...results.map((result) => result.pointer),
        ...operands.views.map((operand) => operand.pointer),
        ...operands.shape.slice(0, inner),
        ...operands.views.flatMap((operand, i) =>
          operand.strides.slice(0, inner).map((s) => s * bytesPerElement(inputs[i].dtype)),
        ),
      ],
      numbers,
    );
  }
  return results.flatMap((result) => {
    if ('finish' in result) result.finish();
    const storage = result.storage();
    return storage ? [storage] : [];
  });
}
