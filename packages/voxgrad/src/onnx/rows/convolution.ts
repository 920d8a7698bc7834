// Convolutions. Their geometry is core's; what ONNX wants besides is a batch axis.

import {
  type ConvGeometry,
  type ConvOptions,
  type ConvTransposeOptions,
  convGeometry,
  convTransposeGeometry,
  type SpatialRank,
  transposedOutputSize,
} from '@voxgrad/core';
import type { CallRow, GraphBuilder } from '../graph.js';
import { type Attribute, int, ints } from '../proto.js';
import { isValue, type Value } from '../trace.js';

/** Writes an operator that takes batches for an input that may be without one. */
export function batched(
  graph: GraphBuilder,
  x: Value,
  rank: number,
  write: (input: string) => string,
): string {
  if (x.shape.length === rank + 2) return write(graph.of(x));
  const axes = graph.list([0]);
  return graph.add('Squeeze', [write(graph.add('Unsqueeze', [graph.of(x), axes])), axes]);
}

/** Attributes of the last `rank` axes of a geometry. */
function attributes(geometry: ConvGeometry, rank: SpatialRank): Record<string, Attribute> {
  const own = <T>(triple: readonly T[]): T[] => triple.slice(3 - rank);
  const pairs = own(geometry.padding);
  return {
    kernel_shape: ints(own(geometry.kernel)),
    strides: ints(own(geometry.stride)),
    dilations: ints(own(geometry.dilation)),
    pads: ints([...pairs.map(([low]) => low), ...pairs.map(([, high]) => high)]),
    group: int(geometry.groups),
  };
}

interface ConvArguments<O> {
  readonly x: Value;
  readonly weight: Value;
  readonly bias: Value | null;
  readonly options: O;
}

function read<O>(args: readonly unknown[]): ConvArguments<O> {
  const [x, weight, bias, options] = args;
  return {
    x: x as Value,
    weight: weight as Value,
    bias: isValue(bias) ? bias : null,
    options: (options ?? {}) as O,
  };
}

const accepts = ([x, weight]: readonly unknown[]) => isValue(x) && isValue(weight);

const forward = (rank: SpatialRank): CallRow => ({
  accepts,
  emit: (graph, node) => {
    const { x, weight, bias, options } = read<ConvOptions>(node.args);
    const biasShape = bias?.shape ?? null;
    const geometry = convGeometry(node.name, rank, x.shape, weight.shape, biasShape, options);
    const more = [weight, ...(bias ? [bias] : [])].map((value) => graph.of(value));
    return batched(graph, x, rank, (input) =>
      graph.add('Conv', [input, ...more], attributes(geometry, rank)),
    );
  },
});

const transposed = (rank: SpatialRank): CallRow => ({
  accepts,
  emit: (graph, node) => {
    const { x, weight, bias, options } = read<ConvTransposeOptions>(node.args);
    const biasShape = bias?.shape ?? null;
    const g = convTransposeGeometry(node.name, rank, x.shape, weight.shape, biasShape, options);
    const extra = g.input.map((size, a) => {
      const least = transposedOutputSize(
        g.output[a],
        g.kernel[a],
        g.stride[a],
        g.padding[a],
        g.dilation[a],
      );
      return size - least;
    });
    const more = [weight, ...(bias ? [bias] : [])].map((value) => graph.of(value));
    return batched(graph, x, rank, (input) =>
      graph.add('ConvTranspose', [input, ...more], {
        ...attributes(g, rank),
        output_padding: ints(extra.slice(3 - rank)),
      }),
    );
  },
});

export const CONVOLUTION_CALLS: Readonly<Record<string, CallRow>> = {
  conv1d: forward(1),
  conv2d: forward(2),
  conv3d: forward(3),
  convTranspose1d: transposed(1),
  convTranspose2d: transposed(2),
  convTranspose3d: transposed(3),
};
