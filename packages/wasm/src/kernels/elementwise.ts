import {
  type BinaryName,
  bytesPerElement,
  type CompareName,
  type DType,
  type Kernels,
  numelOf,
  type Storage,
  type UnaryName,
  type View,
} from '@voxgrad/core';
import { calling, type Engine } from './engine.js';
import * as expression from './expression.js';
import { hostKernels } from './fallback.js';
import { isSmall } from './host.js';
import { TRIGONOMETRIC_LIMIT } from './math/trigonometry.js';
import { hasBinary, hasUnary } from './operations.js';
import { reductions } from './reductions.js';

/** Elementwise kernels: one-node expressions, where the operation has vectors in the dtype. */
export function elementwise(
  engine: Engine,
): Pick<Kernels, 'unary' | 'binary' | 'compare' | 'where' | 'fill'> {
  const host = hostKernels(engine);
  const run = (
    name: string,
    dtype: expression.ComputeDType,
    inputs: readonly View[],
    node: expression.Node,
  ): Storage =>
    calling(engine, name, (call) => {
      const [storage] = expression.evaluate(engine, call, { dtype, inputs, outputs: [node] });
      return storage;
    });
  const [x, y] = [expression.input(0), expression.input(1)];
  /** The dtype that a kernel computes in, if one does. */
  const computed = (view: View): expression.ComputeDType | null =>
    expression.isComputed(view.dtype) && !isSmall(engine, view) && numelOf(view.shape) > 0
      ? view.dtype
      : null;

  return {
    fill(dtype: DType, length: number, value: number | bigint): Storage {
      const bytes = length * bytesPerElement(dtype);
      if (!expression.isComputed(dtype) || bytes < engine.memory.smallBytes || length === 0)
        return host.fill(dtype, length, value);
      // The element that the host makes of it, repeated.
      const storage = host.fill(dtype, 1, value);
      const view = { storage, dtype, shape: [length], strides: [0], offset: 0 };
      return run('fill', dtype, [view], x);
    },
    unary(op: UnaryName, a: View): Storage {
      const dtype = computed(a);
      if (!dtype || !hasUnary(dtype, op)) return host.unary(op, a);
      if ((op === 'sin' || op === 'cos') && !isModerate(engine, a)) return host.unary(op, a);
      return run(op, dtype, [a], expression.unary(op, x));
    },
    binary(op: BinaryName, a: View, b: View): Storage {
      const dtype = computed(a);
      const plain = dtype && op === 'pow' && plainPower(dtype, b);
      if (plain) return run(op, dtype, [a], plain);
      if (!dtype || !hasBinary(dtype, op)) return host.binary(op, a, b);
      return run(op, dtype, [a, b], expression.binary(op, x, y));
    },
    compare(op: CompareName, a: View, b: View): Storage {
      const dtype = computed(a);
      if (!dtype) return host.compare(op, a, b);
      return run(op, dtype, [a, b], expression.compare(op, x, y));
    },
    where(condition: View, a: View, b: View): Storage {
      const dtype = computed(a);
      if (!dtype) return host.where(condition, a, b);
      const node = expression.select(expression.test(2), x, y);
      return run('where', dtype, [a, b, condition], node);
    },
  };
}

/** Whether all numbers are near enough to 0 for the vector code of sin and cos. */
function isModerate(engine: Engine, x: View): boolean {
  const extremes = reductions(engine);
  const [low, high] = (['amin', 'amax'] as const).map((op) =>
    Number(extremes.reduce(op, x, x.shape.length).array[0]),
  );
  return low >= -TRIGONOMETRIC_LIMIT && high <= TRIGONOMETRIC_LIMIT; // not for NaN
}

/** The power by one small exponent for all elements, as products and roots; null for others. */
function plainPower(dtype: expression.ComputeDType, exponent: View): expression.Expression | null {
  const isFloat = dtype === 'float32' || dtype === 'float64';
  if (!isFloat || exponent.strides.some((stride, axis) => stride !== 0 && exponent.shape[axis] > 1))
    return null;
  const x = expression.input(0);
  switch (exponent.storage.array[exponent.offset]) {
    case 1:
      return x;
    case 2:
      return expression.mul(x, x);
    case 3:
      return expression.mul(expression.mul(x, x), x);
    case -1:
      return expression.unary('reciprocal', x);
    case 0.5:
      // √−0 is −0 and √−∞ NaN, but the powers are 0 and ∞.
      return expression.select(
        expression.compare('eq', x, expression.constant(-Infinity)),
        expression.constant(Infinity),
        expression.unary('sqrt', expression.add(x, expression.constant(0))),
      );
    default:
      return null;
  }
}
