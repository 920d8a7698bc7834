// Element-wise kernels. Operands whose elements stand with channels last stay so: a convolution, its
// bias and its activation need no change of layout between them.

import {
  type BinaryName,
  type BitwiseName,
  type CompareName,
  cpuKernels,
  type DType,
  isFloat,
  numelOf,
  type Storage,
  sameShape,
  type UnaryName,
  type View,
} from '@voxgrad/core';
import { type Backend, SHADER_RANK, type TfTensor } from './backend.js';
import { asFive, type Elements, elementsOf, isWhole, store, windowOn } from './elements.js';
import { bitsOf, wrapped } from './integers.js';
import { arranged, broadcastTo, select } from './layout.js';
import { composedBinary, composedUnary, isPrecise } from './special.js';

/** Whether integers and bools of `views` are computed on the host, which is exact. */
export const onHost = (backend: Backend, ...views: readonly View[]): boolean =>
  views.every(({ storage, dtype }) => {
    if (isFloat(dtype)) return dtype !== 'float32';
    if (backend.synchronous) return true;
    const elements = elementsOf(backend, storage);
    return elements.onHost && !elements.onDevice;
  });

const isScalarLike = ({ strides, shape }: View) =>
  strides.every((s, i) => s === 0 || shape[i] === 1);

/** Whether a view of five axes is one number for each channel. */
const isPerChannel = ({ shape, strides }: View) =>
  strides.every((s, axis) => axis === 1 || s === 0 || shape[axis] === 1);

interface Operand {
  readonly view: View;
  readonly elements: Elements;
  readonly whole: boolean;
}

/** Whether the call is best made with channels last: something is there already, and all can be. */
function inLast(operands: readonly Operand[]): boolean {
  let wanted = false;
  for (const { view, elements, whole } of operands) {
    if (view.shape.length !== 5) return false;
    if (whole) wanted ||= elements.isLastOnly;
    else if (!isPerChannel(view)) return false;
  }
  return wanted;
}

function lastOperand(backend: Backend, { view, elements, whole }: Operand): TfTensor {
  const shape = asFive(view);
  if (whole && shape) return elements.last(shape);
  const flat = arranged(backend, view, { broadcast: true });
  return backend.reshape(flat, [1, 1, 1, 1, flat.size]);
}

function firstOperand(backend: Backend, view: View): TfTensor {
  if (!isScalarLike(view)) return arranged(backend, view, { broadcast: true });
  const one = arranged(backend, windowOn(view, [], []));
  return backend.reshape(
    one,
    view.shape.map(() => 1),
  );
}

/** Operands with axes merged where all of them are full, or the same ones are expanded, on both. */
function merged(
  backend: Backend,
  tensors: readonly TfTensor[],
  shape: readonly number[],
): readonly TfTensor[] {
  const [{ shape: one }] = tensors;
  if (one.length <= SHADER_RANK && tensors.every((t) => sameShape(t.shape, one))) return tensors;
  const patterns: string[] = [];
  const sizes: number[][] = tensors.map(() => []);
  shape.forEach((size, axis) => {
    if (size === 1) return;
    const pattern = tensors.map((t) => (t.shape[axis] === 1 ? '1' : 'n')).join('');
    const joins = patterns[patterns.length - 1] === pattern;
    if (!joins) patterns.push(pattern);
    sizes.forEach((list, i) => {
      const n = tensors[i].shape[axis];
      if (joins) list[list.length - 1] *= n;
      else list.push(n);
    });
  });
  if (patterns.length <= SHADER_RANK) return tensors.map((t, i) => backend.reshape(t, sizes[i]));
  const length = numelOf(shape);
  return tensors.map((t) => backend.reshape(broadcastTo(backend, t, shape), [length]));
}

/** A kernel over views of one shape, whose operands may broadcast. */
export function elementwise(
  backend: Backend,
  dtype: DType,
  views: readonly View[],
  compute: (operands: readonly TfTensor[]) => TfTensor,
): Storage {
  const { shape } = views[0];
  const length = numelOf(shape);
  const operands = views.map(
    (view): Operand => ({
      view,
      elements: elementsOf(backend, view.storage),
      whole: isWhole(view),
    }),
  );
  if (inLast(operands)) {
    const [n, c, ...spatial] = shape;
    const turned = [n, ...spatial, c];
    const last = backend.run(() =>
      computed(
        backend,
        operands.map((operand) => lastOperand(backend, operand)),
        turned,
        compute,
      ),
    );
    return store(backend, dtype, length, { last });
  }
  const first = backend.run(() =>
    computed(
      backend,
      operands.map(({ view }) => firstOperand(backend, view)),
      shape,
      compute,
    ),
  );
  return store(backend, dtype, length, { first });
}

/** The result in its full shape, as a tensor of its own. */
function computed(
  backend: Backend,
  tensors: readonly TfTensor[],
  shape: readonly number[],
  compute: (operands: readonly TfTensor[]) => TfTensor,
): TfTensor {
  const given = merged(backend, tensors, shape);
  const y = compute(given);
  if (y.size === numelOf(shape)) return backend.reshape(y, shape);
  // All operands are expanded along some axis.
  const known = shape.map((_, axis) => Math.max(...tensors.map((t) => t.shape[axis])));
  return backend.reshape(broadcastTo(backend, backend.reshape(y, known), shape), shape);
}

/** Kernels of tfjs that compute what the primitive of the name means. */
const UNARY: Partial<Record<UnaryName, string>> = {
  neg: 'Neg',
  abs: 'Abs',
  exp: 'Exp',
  expm1: 'Expm1',
  log: 'Log',
  log1p: 'Log1p',
  sqrt: 'Sqrt',
  rsqrt: 'Rsqrt',
  reciprocal: 'Reciprocal',
  sin: 'Sin',
  cos: 'Cos',
  tan: 'Tan',
  tanh: 'Tanh',
  sigmoid: 'Sigmoid',
  floor: 'Floor',
  ceil: 'Ceil',
  asin: 'Asin',
  acos: 'Acos',
  atan: 'Atan',
  sinh: 'Sinh',
  cosh: 'Cosh',
  asinh: 'Asinh',
  acosh: 'Acosh',
  atanh: 'Atanh',
};

export function unary(backend: Backend, op: UnaryName, x: View): Storage {
  if (onHost(backend, x)) return cpuKernels.unary(op, x);
  const name = !backend.synchronous && isPrecise(op) ? undefined : UNARY[op];
  if (name) return elementwise(backend, x.dtype, [x], ([a]) => backend.kernel(name, { x: a }));
  return elementwise(backend, x.dtype, [x], ([a]) => composedUnary(backend, op, a));
}

const BINARY: Partial<Record<BinaryName, string>> = {
  add: 'Add',
  sub: 'Sub',
  mul: 'Multiply',
  div: 'RealDiv',
};

export function binary(backend: Backend, op: BinaryName, a: View, b: View): Storage {
  if (onHost(backend, a, b)) return cpuKernels.binary(op, a, b);
  const name = BINARY[op];
  return elementwise(backend, a.dtype, [a, b], ([x, y]) => {
    const isBool = x.dtype === 'bool';
    const [p, q] = isBool ? [x, y].map((t) => backend.tf.cast(t, 'int32')) : [x, y];
    const z = name ? backend.kernel(name, { a: p, b: q }) : composedBinary(backend, op, p, q);
    if (isBool) return backend.tf.cast(z, 'bool');
    return isFloat(a.dtype) ? z : wrapped(backend, z, a.dtype);
  });
}

const COMPARE: Record<CompareName, string> = {
  eq: 'Equal',
  ne: 'NotEqual',
  lt: 'Less',
  le: 'LessEqual',
  gt: 'Greater',
  ge: 'GreaterEqual',
};

export function compare(backend: Backend, op: CompareName, a: View, b: View): Storage {
  if (onHost(backend, a, b)) return cpuKernels.compare(op, a, b);
  return elementwise(backend, 'bool', [a, b], ([x, y]) => {
    const [p, q] = x.dtype === 'bool' ? [x, y].map((t) => backend.tf.cast(t, 'int32')) : [x, y];
    return backend.kernel(COMPARE[op], { a: p, b: q });
  });
}

export function where(backend: Backend, condition: View, a: View, b: View): Storage {
  if (onHost(backend, a, b) && onHost(backend, condition)) return cpuKernels.where(condition, a, b);
  return elementwise(backend, a.dtype, [condition, a, b], ([c, x, y]) => select(backend, c, x, y));
}

export function bitwise(backend: Backend, op: BitwiseName, a: View, b: View): Storage {
  if (onHost(backend, a, b)) return cpuKernels.bitwise(op, a, b);
  return elementwise(backend, a.dtype, [a, b], ([x, y]) => bitsOf(backend, op, x, y, a.dtype));
}

export function reluBackward(backend: Backend, gradOutput: View, output: View): Storage {
  return elementwise(backend, gradOutput.dtype, [gradOutput, output], ([g, y]) => {
    const zero = backend.scalar(0);
    return select(backend, backend.kernel('LessEqual', { a: y, b: zero }), zero, g);
  });
}
