// Pooling. What ONNX's operators cannot say (means over windows that leave the padding, or of unequal
// sizes) goes by the sums below them, which are products with matrices of zeros and ones.

import { perAxis, type SpatialRank, windowOptions } from '@voxgrad/core';
import type { CallRow, Emit } from '../graph.js';
import { type Attribute, int, ints } from '../proto.js';
import { isValue, type Value } from '../trace.js';
import { batched } from './convolution.js';

interface Windows {
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  readonly step: number;
}

/** Sums over windows of the last three of four axes, one axis after the other. */
const sumPool: Emit = (graph, { inputs: [x], args }) => {
  const { input, windows } = args[0] as {
    readonly input: readonly number[];
    readonly windows: readonly Windows[];
  };
  const sizes = [...input];
  let y = graph.of(x);
  for (const [axis, { starts, ends, step }] of windows.entries()) {
    const [size, count] = [sizes[axis], starts.length];
    if (size === 1 && count === 1) continue;
    const chosen = (at: number, i: number) =>
      at >= starts[i] && at < ends[i] && (at - starts[i]) % step === 0 ? 1 : 0;
    const matrix = Array.from({ length: count * size }, (_, at) =>
      chosen(at % size, Math.floor(at / size)),
    );
    // `[windows, size] × [outer, before, size, after]`, the last two as one axis.
    const before = sizes.slice(0, axis).reduce((n, s) => n * s, 1);
    const after = sizes.slice(axis + 1).reduce((n, s) => n * s, 1);
    const flat = graph.reshape(y, [0, before, size, after]);
    const product = graph.add('MatMul', [graph.numbers(matrix, x.dtype, [count, size]), flat]);
    sizes[axis] = count;
    y = graph.reshape(product, [0, ...sizes]);
  }
  return y;
};

export const POOLING: Readonly<Record<string, Emit>> = { sumPool };

interface Options {
  readonly stride?: number | readonly number[];
  readonly padding?: number | readonly number[];
  readonly dilation?: number | readonly number[];
  readonly ceilMode?: boolean;
  readonly countIncludePad?: boolean;
  readonly divisorOverride?: number | null;
}

const optionsOf = (args: readonly unknown[]): Options =>
  windowOptions<Options>('pool', args[2] as Options | number | undefined);

interface Axis {
  readonly kernel: number;
  readonly stride: number;
  readonly dilation: number;
  readonly low: number;
  /** At the high end there may be more than `low`, where the last window begins inside (ceilMode). */
  readonly high: number;
}

function axesOf(
  rank: SpatialRank,
  args: readonly unknown[],
  x: Value,
  y: readonly number[],
): Axis[] {
  const options = optionsOf(args);
  const spread = (value: number | readonly number[], name: string) =>
    perAxis(value, rank, name, 'pool');
  const kernel = spread(args[1] as number | readonly number[], 'kernel_size');
  const stride = spread(options.stride ?? kernel, 'stride');
  const padding = spread(options.padding ?? 0, 'padding');
  const dilation = spread(options.dilation ?? 1, 'dilation');
  const input = x.shape.slice(-rank);
  return kernel.map((k, a) => {
    const span = (y[a] - 1) * stride[a] + dilation[a] * (k - 1) + 1;
    const high = Math.max(padding[a], span - input[a] - padding[a]);
    return { kernel: k, stride: stride[a], dilation: dilation[a], low: padding[a], high };
  });
}

const attributes = (axes: readonly Axis[]): Record<string, Attribute> => ({
  kernel_shape: ints(axes.map(({ kernel }) => kernel)),
  strides: ints(axes.map(({ stride }) => stride)),
  pads: ints([...axes.map(({ low }) => low), ...axes.map(({ high }) => high)]),
});

const maxPool = (rank: SpatialRank): CallRow => ({
  accepts: ([x]) => isValue(x),
  emit: (graph, { inputs: [x], outputs: [y], args }) => {
    const axes = axesOf(rank, args, x, y.shape.slice(-rank));
    const dilations = ints(axes.map(({ dilation }) => dilation));
    // Operators want less padding than the kernel has elements; a longer one goes before them.
    const isLong = axes.some(({ kernel, low, high }) => low >= kernel || high >= kernel);
    return batched(graph, x, rank, (input) => {
      if (!isLong) return graph.add('MaxPool', [input], { ...attributes(axes), dilations });
      const pads = [[0, 0], axes.map(({ low }) => low), [0, 0], axes.map(({ high }) => high)];
      const lowest = graph.scalar(Number.NEGATIVE_INFINITY, x.dtype);
      const padded = graph.add('Pad', [input, graph.list(pads.flat()), lowest]);
      const unpadded = attributes(axes.map((axis) => ({ ...axis, low: 0, high: 0 })));
      return graph.add('MaxPool', [padded], { ...unpadded, dilations });
    });
  },
});

const avgPool = (rank: SpatialRank): CallRow => ({
  accepts: (args) => {
    if (!isValue(args[0])) return false;
    const { divisorOverride, ceilMode, countIncludePad = true, padding = 0 } = optionsOf(args);
    const pads = [padding].flat().some((pad) => pad !== 0);
    if (typeof divisorOverride === 'number') return false;
    return !ceilMode || (!pads && !countIncludePad);
  },
  emit: (graph, { inputs: [x], outputs: [y], args }) => {
    const axes = axesOf(rank, args, x, y.shape.slice(-rank));
    const count_include_pad = int((optionsOf(args).countIncludePad ?? true) ? 1 : 0);
    return batched(graph, x, rank, (input) =>
      graph.add('AveragePool', [input], { ...attributes(axes), count_include_pad }),
    );
  },
});

/** Windows of one size, where the output divides the input. */
const evenly = (type: 'AveragePool' | 'MaxPool', rank: SpatialRank): Emit => {
  return (graph, { inputs: [x], outputs: [y] }) => {
    const size = ints(
      x.shape.slice(-rank).map((input, axis) => input / y.shape.slice(-rank)[axis]),
    );
    return batched(graph, x, rank, (input) =>
      graph.add(type, [input], { kernel_shape: size, strides: size }),
    );
  };
};

const adaptiveAvg = (rank: SpatialRank): CallRow => ({
  accepts: ([x, size]) => isValue(x) && divides(rank, x, size),
  emit: evenly('AveragePool', rank),
});

/** Window i of `output` over `input` elements; see core's adaptive-pool.ts. */
const unevenWindow = (i: number, input: number, output: number): [start: number, end: number] => [
  Math.floor((i * input) / output),
  Math.ceil(((i + 1) * input) / output),
];

const adaptiveMax = (rank: SpatialRank): CallRow => ({
  accepts: ([x]) => isValue(x),
  emit: (graph, node) => {
    const [x] = node.inputs;
    const [y] = node.outputs;
    if (divides(rank, x, y.shape.slice(-rank))) return evenly('MaxPool', rank)(graph, node);
    let name = graph.of(x);
    for (let axis = x.shape.length - rank; axis < x.shape.length; axis++) {
      const [input, output] = [x.shape[axis], y.shape[axis]];
      if (input === output) continue;
      const whole = name;
      const maxima = Array.from({ length: output }, (_, i) => {
        const [start, end] = unevenWindow(i, input, output);
        const limits = [[start], [end], [axis]].map((values) => graph.list(values));
        return graph.reduce('ReduceMax', graph.add('Slice', [whole, ...limits]), [axis]);
      });
      name = graph.add('Concat', maxima, { axis: int(axis) });
    }
    return name;
  },
});

function divides(rank: SpatialRank, x: Value, size: unknown): boolean {
  const sizes: readonly unknown[] = Array.isArray(size) ? size : new Array(rank).fill(size);
  return x.shape.slice(-rank).every((input, axis) => {
    const wanted = sizes[axis] ?? input;
    return typeof wanted === 'number' && wanted > 0 && input % wanted === 0;
  });
}

const RANKS: readonly SpatialRank[] = [1, 2, 3];

const rows = (name: string, row: (rank: SpatialRank) => CallRow): [string, CallRow][] =>
  RANKS.map((rank) => [name.replace('#', `${rank}d`), row(rank)]);

export const POOLING_CALLS: Readonly<Record<string, CallRow>> = Object.fromEntries([
  ...rows('maxPool#', maxPool),
  ...rows('avgPool#', avgPool),
  ...rows('adaptiveAvgPool#', adaptiveAvg),
  ...rows('adaptiveMaxPool#', adaptiveMax),
  // Positions of maxima have no name in the graph: ONNX counts them in another way.
  ...rows('maxPool#WithIndices', maxPool),
  ...rows('adaptiveMaxPool#WithIndices', adaptiveMax),
]);
