// Sums, extremes and products of matrices, and what is made of them along a dim.

import { normalizeDim, normalizeDims } from '@voxgrad/core';
import type { CallRow, Emit, GraphBuilder } from '../graph.js';
import { int } from '../proto.js';
import { isValue, type Value } from '../trace.js';

interface Axes {
  readonly axes: readonly number[];
}

const reduce =
  (type: string): Emit =>
  (graph, { inputs: [x], args }) => {
    const { axes } = args[0] as Axes;
    return axes.length === 0 ? graph.of(x) : graph.reduce(type, graph.of(x), axes);
  };

const variance: Emit = (graph, { inputs: [x], args }) => {
  const { axes, freedom } = args[0] as Axes & { readonly freedom: number };
  const input = graph.of(x);
  const centred = graph.add('Sub', [input, graph.reduce('ReduceMean', input, axes)]);
  const squares = graph.reduce('ReduceSumSquare', centred, axes);
  return graph.add('Div', [squares, graph.scalar(freedom, x.dtype)]);
};

const arg =
  (type: string): Emit =>
  (graph, { inputs: [x] }) =>
    graph.add(type, [graph.of(x)], { axis: int(-1), keepdims: int(0) });

export const REDUCTIONS: Readonly<Record<string, Emit>> = {
  sum: reduce('ReduceSum'),
  amax: reduce('ReduceMax'),
  amin: reduce('ReduceMin'),
  var: variance,
  argmax: arg('ArgMax'),
  argmin: arg('ArgMin'),
  bmm: (graph, { inputs: [a, b] }) => graph.add('MatMul', [graph.of(a), graph.of(b)]),
};

const has = (options: unknown, key: string): boolean =>
  typeof options === 'object' && options !== null && Reflect.get(options, key) !== undefined;

/** `softmax(x, dim)`, in the dtype of x. */
const along = (type: string): CallRow => ({
  accepts: (args) => isValue(args[0]) && typeof args[1] === 'number' && !has(args[2], 'dtype'),
  emit: (graph, { inputs: [x], args }) =>
    graph.add(type, [graph.of(x)], { axis: int(normalizeDim(args[1] as number, x.shape.length)) }),
});

const product: CallRow = {
  emit: (graph, { inputs: [a, b] }) => graph.add('MatMul', [graph.of(a), graph.of(b)]),
};

const mean: CallRow = {
  accepts: ([x, ...rest]) => isValue(x) && !rest.some((options) => has(options, 'dtype')),
  emit: (graph, { inputs: [x], args, outputs: [y] }) => {
    const dims = args.find(
      (given, i) => i === 1 && (typeof given === 'number' || Array.isArray(given)),
    );
    const axes = normalizeDims(dims as number | readonly number[] | undefined, x.shape.length);
    const keepdims = int(y.shape.length === x.shape.length ? 1 : 0);
    return graph.add('ReduceMean', [graph.of(x), graph.list(axes)], { keepdims });
  },
};

const linear: CallRow = {
  accepts: ([x, weight]) => isValue(x) && isValue(weight) && weight.shape.length === 2,
  emit: (graph, { args }) => {
    const [x, weight, bias] = args as readonly (Value | null | undefined)[];
    return linearLayer(graph, x, weight, bias);
  },
};

function linearLayer(
  graph: GraphBuilder,
  x: Value | null | undefined,
  weight: Value | null | undefined,
  bias: Value | null | undefined,
): string {
  if (!x || !weight) throw graph.refuse('has no input or weight');
  const more = bias ? [graph.of(bias)] : [];
  if (x.shape.length === 2)
    return graph.add('Gemm', [graph.of(x), graph.of(weight), ...more], { transB: int(1) });
  const transposed = graph.add('Transpose', [graph.of(weight)]);
  const y = graph.add('MatMul', [graph.of(x), transposed]);
  return bias ? graph.add('Add', [y, ...more]) : y;
}

export const REDUCTION_CALLS: Readonly<Record<string, CallRow>> = {
  softmax: along('Softmax'),
  logSoftmax: along('LogSoftmax'),
  matmul: product,
  mm: product,
  mean,
  linear,
};
