// Normalisations.

import type { CallRow, Emit, GraphBuilder } from '../graph.js';
import { float, int } from '../proto.js';
import { isValue, type Value } from '../trace.js';
import { targetShape } from './shapes.js';

interface Options {
  readonly runningMean?: Value | null;
  readonly runningVar?: Value | null;
  readonly weight?: Value | null;
  readonly bias?: Value | null;
  readonly training?: boolean;
  readonly useInputStats?: boolean;
  readonly eps?: number;
}

/** Tensors by position, as far as they are given, and options after them. */
function optionsOf(given: readonly unknown[], names: readonly (keyof Options)[]): Options {
  const byPosition = given.flatMap((value, i) =>
    isValue(value) || value === null ? [[names[i], value]] : [],
  );
  const last = given[byPosition.length];
  return { ...Object.fromEntries(byPosition), ...(typeof last === 'object' ? last : {}) };
}

const STATISTICS = ['runningMean', 'runningVar', 'weight', 'bias'] as const;
const AFFINE = ['weight', 'bias'] as const;

/** A parameter of `length`, or as many times the number that stands for none. */
function parameter(
  graph: GraphBuilder,
  given: Value | null | undefined,
  otherwise: 0 | 1,
  length: number,
  x: Value,
): string {
  if (given) return graph.of(given);
  return graph.numbers(new Array<number>(length).fill(otherwise), x.dtype, [length]);
}

const DEFAULT_EPS = 1e-5;

function batchNormalization(graph: GraphBuilder, x: Value, options: Options): string {
  const { runningMean, runningVar, weight, bias, eps = DEFAULT_EPS } = options;
  const channels = x.shape[1];
  const inputs = [
    graph.of(x),
    parameter(graph, weight, 1, channels, x),
    parameter(graph, bias, 0, channels, x),
    parameter(graph, runningMean, 0, channels, x),
    parameter(graph, runningVar, 1, channels, x),
  ];
  return graph.add('BatchNormalization', inputs, { epsilon: float(eps) });
}

const batchNorm: CallRow = {
  // With the statistics of the batch it is arithmetic.
  accepts: ([x, ...given]) => isValue(x) && !optionsOf(given, STATISTICS).training,
  emit: (graph, { inputs: [x], args }) =>
    batchNormalization(graph, x, optionsOf(args.slice(1), STATISTICS)),
};

const instanceNorm: CallRow = {
  accepts: ([x]) => isValue(x) && x.shape.length >= 3,
  emit: (graph, { inputs: [x], args }) => {
    const options = optionsOf(args.slice(1), STATISTICS);
    const { weight, bias, useInputStats = true, eps = DEFAULT_EPS } = options;
    if (!useInputStats) return batchNormalization(graph, x, options);
    const channels = x.shape[1];
    const inputs = [
      graph.of(x),
      parameter(graph, weight, 1, channels, x),
      parameter(graph, bias, 0, channels, x),
    ];
    return graph.add('InstanceNormalization', inputs, { epsilon: float(eps) });
  },
};

/** Instance norm with a group in place of a channel; then the channels have their own affine map. */
const groupNorm: CallRow = {
  accepts: ([x]) => isValue(x),
  emit: (graph, { inputs: [x], outputs: [y], args }) => {
    const groups = args[1] as number;
    const { weight, bias, eps = DEFAULT_EPS } = optionsOf(args.slice(2), AFFINE);
    const grouped = graph.reshape(graph.of(x), [0, groups, -1]);
    const inputs = [
      grouped,
      parameter(graph, null, 1, groups, x),
      parameter(graph, null, 0, groups, x),
    ];
    const normal = graph.add('InstanceNormalization', inputs, { epsilon: float(eps) });
    const whole = graph.reshape(normal, targetShape(graph, x, y));
    return affine(graph, whole, x.shape.length, weight, bias);
  },
};

/** x · weight + bias along the channels. */
function affine(
  graph: GraphBuilder,
  x: string,
  rank: number,
  weight: Value | null | undefined,
  bias: Value | null | undefined,
): string {
  const along = new Array<number>(rank - 1).fill(1);
  const column = (value: Value) => graph.reshape(graph.of(value), [-1, ...along.slice(1)]);
  const scaled = weight ? graph.add('Mul', [x, column(weight)]) : x;
  return bias ? graph.add('Add', [scaled, column(bias)]) : scaled;
}

const layerNorm: CallRow = {
  accepts: ([x]) => isValue(x),
  emit: (graph, { inputs: [x], args }) => {
    const dims = [args[1] as number | readonly number[]].flat();
    const { weight, bias, eps = DEFAULT_EPS } = optionsOf(args.slice(2), AFFINE);
    const count = dims.reduce((n, size) => n * size, 1);
    const ones = () => graph.numbers(new Array<number>(count).fill(1), x.dtype, dims);
    const inputs = [graph.of(x), weight ? graph.of(weight) : ones()];
    if (bias) inputs.push(graph.of(bias));
    return graph.add('LayerNormalization', inputs, {
      axis: int(-dims.length),
      epsilon: float(eps),
    });
  },
};

export const NORM_CALLS: Readonly<Record<string, CallRow>> = {
  batchNorm,
  instanceNorm,
  groupNorm,
  layerNorm,
};

/** Core's operation for devices that have a kernel for it: with the statistics of the batch. */
const batchStatistics: Emit = (graph, { inputs: [x, weight, bias], args }) => {
  const { eps } = args[0] as { eps: number };
  const axes = x.shape.flatMap((_, axis) => (axis === 1 ? [] : [axis]));
  const input = graph.of(x);
  const mean = graph.reduce('ReduceMean', input, axes);
  const centred = graph.add('Sub', [input, mean]);
  const variance = graph.reduce('ReduceMean', graph.add('Mul', [centred, centred]), axes);
  const spread = graph.add('Sqrt', [graph.add('Add', [variance, graph.scalar(eps, x.dtype)])]);
  const y = affine(graph, graph.add('Div', [centred, spread]), x.shape.length, weight, bias);
  return [y, graph.reshape(mean, [-1]), graph.reshape(variance, [-1])];
};

export const NORMS: Readonly<Record<string, Emit>> = {
  batchNorm: batchStatistics,
  channelAffine: (graph, { inputs: [x, scale, shift] }) =>
    affine(graph, graph.of(x), x.shape.length, scale, shift),
};
