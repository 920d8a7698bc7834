// Movements: shapes, orders, windows, joins, and picking by index.

import type { CallRow, Emit, GraphBuilder } from '../graph.js';
import { unexpanded } from '../graph.js';
import { int, ints, text } from '../proto.js';
import { isValue, type TracedNode, type Value } from '../trace.js';

/**
 * The shape of `output` as Reshape takes it. A size that varies is kept from the same place of the
 * input, or is the one that is left.
 */
export function targetShape(graph: GraphBuilder, input: Value, output: Value): number[] {
  const from = graph.varies(input);
  const varies = graph.varies(output);
  const kept = varies.map((v, axis) => v && from[axis] && input.shape[axis] === output.shape[axis]);
  const rest = varies.flatMap((v, axis) => (v && !kept[axis] ? [axis] : []));
  if (rest.length > 1)
    throw graph.refuse('makes several sizes of the batch, which a fixed shape cannot say');
  return output.shape.map((size, axis) => (kept[axis] ? 0 : varies[axis] ? -1 : size));
}

const reshape: Emit = (graph, { inputs: [x], outputs: [y] }) =>
  graph.reshape(graph.of(x), targetShape(graph, x, y));

const expand: Emit = (graph, { inputs: [x], outputs: [y] }) => {
  const varies = graph.varies(y);
  const lead = y.shape.length - x.shape.length;
  const target = y.shape.map((size, axis) => {
    if (axis >= lead && x.shape[axis - lead] === size) return 1; // keeps what the input has
    if (varies[axis]) throw graph.refuse('expands to the size of the batch');
    return size;
  });
  return graph.add('Expand', [graph.of(x), graph.list(target)]);
};

interface Window {
  readonly starts: readonly number[];
  readonly sizes: readonly number[];
  readonly steps: readonly number[];
}

const slice: Emit = (graph, { inputs: [x], outputs: [y], args }) => {
  const { starts, sizes, steps } = args[0] as Window;
  const axes = x.shape.flatMap((size, axis) =>
    starts[axis] === 0 && steps[axis] === 1 && sizes[axis] === size ? [] : [axis],
  );
  if (axes.length === 0) return graph.of(x);
  const varies = graph.varies(y);
  const ends = axes.map((axis) => {
    const end = starts[axis] + (sizes[axis] - 1) * steps[axis] + 1;
    if (!varies[axis]) return end;
    if (end + steps[axis] > x.shape[axis]) return INT64_MAX;
    throw graph.refuse('cuts a part out of the batch');
  });
  const begin = axes.map((axis) => starts[axis]);
  const stride = axes.map((axis) => steps[axis]);
  const lists = [begin, ends, axes, stride].map((values) => graph.list(values));
  return graph.add('Slice', [graph.of(x), ...lists]);
};

const INT64_MAX = 2n ** 63n - 1n;

/** Constant padding. */
const embed: Emit = (graph, { inputs: [x], outputs: [y], args }) => {
  const { starts, steps, value } = args[0] as Window & { readonly value: number };
  if (steps.some((step) => step !== 1)) throw graph.refuse('spreads elements over a grid');
  const ends = y.shape.map((size, axis) => size - starts[axis] - x.shape[axis]);
  return padded(graph, x, [...starts, ...ends], value);
};

const padded = (graph: GraphBuilder, x: Value, pads: readonly number[], value: number): string =>
  graph.add('Pad', [graph.of(x), graph.list(pads), graph.scalar(value, x.dtype)]);

const flip: Emit = (graph, { inputs: [x], args }) => {
  const axes = args[0] as readonly number[];
  const lists = [axes.map(() => -1), axes.map(() => -INT64_MAX), axes, axes.map(() => -1)];
  return graph.add('Slice', [graph.of(x), ...lists.map((values) => graph.list(values))]);
};

const cat: Emit = (graph, { inputs, args }) => {
  const { axis } = args[0] as { axis: number };
  return graph.add(
    'Concat',
    inputs.map((part) => graph.of(part)),
    { axis: int(axis) },
  );
};

/** An index that is the same for all other dims picks whole slices. */
const gather: Emit = (graph, { inputs: [x, index], args }) => {
  const { axis } = args[0] as { axis: number };
  const base = unexpanded(index);
  const isList = base !== index && base.shape.every((size, d) => d === axis || size === 1);
  if (isList) {
    const list = graph.reshape(graph.of(base), [-1]);
    return graph.add('Gather', [graph.of(x), list], { axis: int(axis) });
  }
  return graph.add('GatherElements', [graph.of(x), graph.of(index)], { axis: int(axis) });
};

export const SHAPES: Readonly<Record<string, Emit>> = {
  reshape,
  permute: (graph, { inputs: [x], args }) =>
    graph.add('Transpose', [graph.of(x)], { perm: ints(args[0] as readonly number[]) }),
  expand,
  slice,
  embed,
  flip,
  cat,
  gather,
};

const MODES: Readonly<Record<string, string>> = {
  constant: 'constant',
  reflect: 'reflect',
  replicate: 'edge',
};

interface PadOptions {
  readonly mode?: string;
  readonly value?: number | null;
}

const padOptions = (args: readonly unknown[]): PadOptions => (args[2] ?? {}) as PadOptions;

/** Pads of the last dims, the last first, as the lows and then the highs of all dims. */
function padsOf({ args, inputs: [x] }: TracedNode): number[] {
  const given = args[1] as readonly number[];
  const pair = (axis: number, side: 0 | 1) => given[2 * (x.shape.length - 1 - axis) + side] ?? 0;
  return [0, 1].flatMap((side) => x.shape.map((_, axis) => pair(axis, side === 0 ? 0 : 1)));
}

export const PAD_CALLS: Readonly<Record<string, CallRow>> = {
  pad: {
    // A circle is made of picked slices. Modes that repeat do not also crop.
    accepts: (args) => {
      const { mode = 'constant' } = padOptions(args);
      const pads = args[1];
      if (!isValue(args[0]) || !Array.isArray(pads) || !Object.hasOwn(MODES, mode)) return false;
      return mode === 'constant' || pads.every((pad) => pad >= 0);
    },
    emit: (graph, node) => {
      const { mode = 'constant', value } = padOptions(node.args);
      const [x] = node.inputs;
      if (mode === 'constant') return padded(graph, x, padsOf(node), value ?? 0);
      return graph.add('Pad', [graph.of(x), graph.list(padsOf(node))], { mode: text(MODES[mode]) });
    },
  },
};
