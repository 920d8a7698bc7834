// Element by element: operations of one, two and three tensors, which core has already broadcast.

import { type DType, isDType, isFloat } from '@voxgrad/core';
import { type CallRow, type Emit, unexpanded } from '../graph.js';
import { ELEMENT_TYPE, float, int, text } from '../proto.js';
import { isValue, type TracedNode } from '../trace.js';

/** The operator of the same meaning, on operands that it broadcasts itself. */
const plain =
  (type: string): Emit =>
  (graph, { inputs, outputs }) =>
    graph.add(type, graph.operands(inputs, outputs[0].shape));

/** bool has no arithmetic in ONNX. */
const orOfBool =
  (type: string, boolType: string): Emit =>
  (graph, node) =>
    plain(node.outputs[0].dtype === 'bool' ? boolType : type)(graph, node);

/** Of one tensor and numbers of its dtype. */
const formula =
  (write: (x: string, add: Step, number: (value: number) => string) => string): Emit =>
  (graph, { inputs: [x], outputs: [y] }) =>
    write(
      graph.of(x),
      (type, ...inputs) => graph.add(type, inputs),
      (value) => graph.scalar(value, y.dtype),
    );

type Step = (type: string, ...inputs: string[]) => string;

const truncated = (add: Step, x: string) => add('Mul', add('Sign', x), add('Floor', add('Abs', x)));

const floored: Emit = (graph, node) => {
  const quotient = plain('Div')(graph, node);
  // Division of integers truncates.
  if (!isFloat(node.outputs[0].dtype)) throw graph.refuse('divides integers downwards');
  return graph.add('Floor', [String(quotient)]);
};

const elu: Emit = (graph, { inputs: [x], args }) => {
  const { alpha, scale, width } = args[0] as { alpha: number; scale: number; width: number };
  if (width === 1 && scale === 1) return graph.add('Elu', [graph.of(x)], { alpha: float(alpha) });
  if (width === 1)
    return graph.add('Selu', [graph.of(x)], { alpha: float(alpha), gamma: float(scale) });
  return graph.add('Celu', [graph.of(x)], { alpha: float(alpha) });
};

const softplus: Emit = (graph, { inputs: [x], args }) => {
  // Above the threshold the line and the curve differ by less than exp(−threshold) / beta.
  const { beta } = args[0] as { beta: number };
  if (beta === 1) return graph.add('Softplus', [graph.of(x)]);
  const by = graph.scalar(beta, x.dtype);
  return graph.add('Div', [graph.add('Softplus', [graph.add('Mul', [graph.of(x), by])]), by]);
};

const cast: Emit = (graph, { inputs: [x], args: [target] }) =>
  isDType(target)
    ? graph.add('Cast', [graph.of(x)], { to: int(ELEMENT_TYPE[target as DType]) })
    : graph.of(x); // to another device

const power: Emit = (graph, node) => {
  const [exponent] = node.args;
  if (typeof exponent !== 'number') return plain('Pow')(graph, node);
  const [x] = node.inputs;
  if (exponent === 0.5) return graph.add('Sqrt', [graph.of(x)]);
  return graph.add('Pow', [graph.of(x), graph.scalar(exponent, x.dtype)]);
};

export const ARITHMETIC: Readonly<Record<string, Emit>> = {
  add: orOfBool('Add', 'Or'),
  sub: plain('Sub'),
  mul: orOfBool('Mul', 'And'),
  div: plain('Div'),
  pow: power,
  maximum: plain('Max'),
  minimum: plain('Min'),
  floorDivide: floored,
  fmod: (graph, { inputs, outputs }) =>
    graph.add('Mod', graph.operands(inputs, outputs[0].shape), { fmod: int(1) }),
  eq: plain('Equal'),
  ne: (graph, node) => graph.add('Not', [String(plain('Equal')(graph, node))]),
  lt: plain('Less'),
  le: plain('LessOrEqual'),
  gt: plain('Greater'),
  ge: plain('GreaterOrEqual'),
  where: plain('Where'),
  clampMin: plain('Max'),
  clampMax: plain('Min'),
  clamp: (graph, { inputs, outputs }) => {
    const [x, low, high] = graph.operands(inputs, outputs[0].shape);
    return graph.add('Min', [graph.add('Max', [x, low]), high]);
  },
  lerp: (graph, { inputs, outputs }) => {
    const [start, end, weight] = graph.operands(inputs, outputs[0].shape);
    const way = graph.add('Mul', [weight, graph.add('Sub', [end, start])]);
    return graph.add('Add', [start, way]);
  },
  to: cast,
  neg: plain('Neg'),
  abs: plain('Abs'),
  sign: plain('Sign'),
  floor: plain('Floor'),
  ceil: plain('Ceil'),
  round: plain('Round'),
  trunc: formula((x, add) => truncated(add, x)),
  exp: plain('Exp'),
  expm1: formula((x, add, number) => add('Sub', add('Exp', x), number(1))),
  exp2: formula((x, add, number) => add('Pow', number(2), x)),
  log: plain('Log'),
  log1p: formula((x, add, number) => add('Log', add('Add', x, number(1)))),
  log2: formula((x, add, number) => add('Div', add('Log', x), number(Math.LN2))),
  log10: formula((x, add, number) => add('Div', add('Log', x), number(Math.LN10))),
  sqrt: plain('Sqrt'),
  std: plain('Sqrt'), // of a variance
  rsqrt: formula((x, add) => add('Reciprocal', add('Sqrt', x))),
  reciprocal: plain('Reciprocal'),
  sin: plain('Sin'),
  cos: plain('Cos'),
  tan: plain('Tan'),
  asin: plain('Asin'),
  acos: plain('Acos'),
  atan: plain('Atan'),
  sinh: plain('Sinh'),
  cosh: plain('Cosh'),
  asinh: plain('Asinh'),
  acosh: plain('Acosh'),
  atanh: plain('Atanh'),
  erf: plain('Erf'),
  erfc: formula((x, add, number) => add('Sub', number(1), add('Erf', x))),
  sigmoid: plain('Sigmoid'),
  tanh: plain('Tanh'),
  relu: plain('Relu'),
  elu,
  silu: formula((x, add) => add('Mul', x, add('Sigmoid', x))),
  mish: plain('Mish'),
  softplus,
  logsigmoid: formula((x, add) => add('Neg', add('Softplus', add('Neg', x)))),
  hardswish: plain('HardSwish'),
  softshrink: (graph, { inputs: [x], args }) => {
    const lambd = float(args[0] as number);
    return graph.add('Shrink', [graph.of(x)], { lambd, bias: lambd });
  },
  glu: (graph, { inputs: [a, b] }) =>
    graph.add('Mul', [graph.of(a), graph.add('Sigmoid', [graph.of(b)])]),
  // The other formula of GELU is told apart where it is called.
  gelu: formula((x, add, number) => {
    const cdf = add('Add', add('Erf', add('Mul', x, number(Math.SQRT1_2))), number(1));
    return add('Mul', add('Mul', x, number(0.5)), cdf);
  }),
};

/** A number that may stand alone or under `key` in options: `leakyRelu(x, 0.1)`. */
function numberOf({ args }: TracedNode, key: string, otherwise: number): number {
  const given = args[1];
  if (typeof given === 'number') return given;
  const value: unknown = typeof given === 'object' && given ? Reflect.get(given, key) : undefined;
  return typeof value === 'number' ? value : otherwise;
}

const clip = (low: (node: TracedNode) => number, high: (node: TracedNode) => number): CallRow => ({
  emit: (graph, node) => {
    const [x] = node.inputs;
    const limits = [low(node), high(node)].map((limit) => graph.scalar(limit, x.dtype));
    return graph.add('Clip', [graph.of(x), ...limits]);
  },
});

const optionOf = (args: readonly unknown[], key: string): unknown =>
  typeof args[1] === 'object' && args[1] !== null && !isValue(args[1])
    ? Reflect.get(args[1], key)
    : undefined;

/** Functions that one operator computes, and core takes apart. */
export const ACTIVATION_CALLS: Readonly<Record<string, CallRow>> = {
  leakyRelu: {
    emit: (graph, node) =>
      graph.add('LeakyRelu', [graph.of(node.inputs[0])], {
        alpha: float(numberOf(node, 'negativeSlope', 0.01)),
      }),
  },
  prelu: {
    emit: (graph, { inputs: [x, weight] }) => {
      const along = x.shape.slice(1).map((_, axis) => (axis === 0 ? -1 : 1));
      const slope = graph.of(weight);
      const single = weight.shape.every((size) => size === 1);
      return graph.add('PRelu', [graph.of(x), single ? slope : graph.reshape(slope, along)]);
    },
  },
  hardtanh: clip(
    (node) => numberOf(node, 'minVal', -1),
    (node) => numberOf(node, 'maxVal', 1),
  ),
  relu6: clip(
    () => 0,
    () => 6,
  ),
  hardsigmoid: {
    emit: (graph, { inputs: [x] }) =>
      graph.add('HardSigmoid', [graph.of(x)], { alpha: float(1 / 6), beta: float(0.5) }),
  },
  gelu: {
    accepts: (args) => optionOf(args, 'approximate') === 'tanh',
    emit: (graph, { inputs: [x] }) => {
      if (graph.opset >= 20) return graph.add('Gelu', [graph.of(x)], { approximate: text('tanh') });
      const [v, number] = [graph.of(x), (value: number) => graph.scalar(value, x.dtype)];
      const cube = graph.add('Mul', [graph.add('Mul', [v, v]), v]);
      const sum = graph.add('Add', [v, graph.add('Mul', [cube, number(0.044715)])]);
      const curve = graph.add('Tanh', [graph.add('Mul', [sum, number(Math.sqrt(2 / Math.PI))])]);
      const half = graph.add('Mul', [v, number(0.5)]);
      return graph.add('Mul', [half, graph.add('Add', [curve, number(1)])]);
    },
  },
  div: truncating(),
  divide: truncating(),
};

/** Division that truncates: the operation below it has the name of a plain one. */
function truncating(): CallRow {
  return {
    accepts: (args) =>
      typeof args[2] === 'object' &&
      args[2] !== null &&
      Reflect.get(args[2], 'roundingMode') === 'trunc',
    emit: (graph, node) => {
      const [a, b] = node.args;
      const { dtype } = node.outputs[0];
      const operand = (x: unknown) =>
        isValue(x) ? graph.of(unexpanded(x)) : graph.scalar(Number(x), dtype);
      const quotient = graph.add('Div', [operand(a), operand(b)]);
      if (!isFloat(dtype)) return quotient;
      return truncated((type, ...inputs) => graph.add(type, inputs), quotient);
    },
  };
}
