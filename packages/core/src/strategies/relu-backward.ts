// The gradient of a ReLU from its output: the device's kernel, or a comparison and a choice.

import { where } from '../ops/binary.js';
import type { DType } from '../tensor/dtype.js';
import { numelOf } from '../tensor/shape.js';
import { Tensor } from '../tensor/tensor.js';
import { passes } from './cost-model.js';
import { missing } from './device-error.js';
import type { Operation } from './operation.js';
import { dtypeOf, sizeClass, sizesOf } from './sizes.js';
import type { Strategy } from './types.js';

/** `explain('relu.backward', { output: [2, 8, 4, 4, 4], dtype: 'float32' })`. */
export interface ReluBackwardCall {
  readonly output: readonly number[];
  readonly dtype: DType;
}

export interface ReluBackwardTensors {
  /** All of one shape. */
  readonly gradOutput: Tensor;
  readonly output: Tensor;
}

export type ReluBackwardStrategy = Strategy<ReluBackwardCall, ReluBackwardTensors, Tensor>;

export const RELU_BACKWARD = 'relu.backward';

const fused: ReluBackwardStrategy = {
  op: RELU_BACKWARD,
  name: 'fused',
  kind: 'fused',
  supports: (_, { hasKernel }) =>
    hasKernel?.('reluBackward')
      ? { ok: true, reasons: ['the device has a reluBackward kernel'] }
      : { ok: false, reasons: ['the device has no reluBackward kernel'] },
  cost: ({ output }, capabilities) => passes(capabilities, 1, 3 * numelOf(output)),
  run(_, { gradOutput, output }) {
    const { device, shape } = output;
    const run = device.kernels.reluBackward ?? missing(device, 'reluBackward');
    return new Tensor({ device, shape, storage: run(gradOutput, output) });
  },
};

const composite: ReluBackwardStrategy = {
  op: RELU_BACKWARD,
  name: 'composite',
  kind: 'composite',
  supports: () => ({ ok: true, reasons: ['a comparison and a choice of whole tensors'] }),
  cost: ({ output }, capabilities) => passes(capabilities, 2, 6 * numelOf(output)),
  // The gradient where the output is above 0 or NaN.
  run: (_, { gradOutput, output }) => where(output.le(0), 0, gradOutput),
};

export const reluBackwardOperation: Operation<ReluBackwardCall, ReluBackwardTensors> = {
  op: RELU_BACKWARD,
  normalize: (name, call) => ({ output: sizesOf(name, call, 'output'), dtype: dtypeOf(call) }),
  plain: (call) => call,
  key: ({ output, dtype }) => `${dtype},${output}`,
  shapeClass: ({ output }) => sizeClass(numelOf(output)),
};

export const reluBackwardStrategies = [fused, composite];
