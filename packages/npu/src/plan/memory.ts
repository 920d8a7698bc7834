// The memory of one layer's training step, in bytes.

import { bytesPerElement, inputShape, numelOf, outputShape, weightShape } from '@voxgrad/core';
import type { CheckedLayer } from './layer.js';

export interface LayerMemory {
  /** Input, weight and output: what the forward holds. */
  readonly forwardBytes: number;
  /** What the layer keeps from its forward to its backward: input and weight. */
  readonly savedBytes: number;
  /** Saved tensors, the gradient of the output, and the gradients that are wanted. */
  readonly backwardBytes: number;
}

/** Tensors of the call itself; workspaces of operators and other layers are not in it. */
export function memoryOf({ call, transposed }: CheckedLayer): LayerMemory {
  const { geometry: g, dtype, needs, bias } = call;
  const bytes = bytesPerElement(dtype);
  const [x, y] = transposed ? [outputShape(g), inputShape(g)] : [inputShape(g), outputShape(g)];
  const input = numelOf(x) * bytes;
  const output = numelOf(y) * bytes;
  const weight = numelOf(weightShape(g)) * bytes;
  const biases = bias ? y[1] * bytes : 0;
  const saved = (needs[1] ? input : 0) + (needs[0] ? weight : 0);
  const gradients = (needs[0] ? input : 0) + (needs[1] ? weight : 0) + (needs[2] ? biases : 0);
  return {
    forwardBytes: input + weight + biases + output,
    savedBytes: saved,
    backwardBytes: saved + output + gradients,
  };
}
