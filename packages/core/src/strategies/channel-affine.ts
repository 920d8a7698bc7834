// `x · scale + shift` per channel: what a batch norm is once its statistics are fixed.

import type { DType } from '../tensor/dtype.js';
import { numelOf } from '../tensor/shape.js';
import { Tensor } from '../tensor/tensor.js';
import { alongChannels, fusedSupport } from './batch-norm.js';
import { passes } from './cost-model.js';
import { missing } from './device-error.js';
import type { Operation } from './operation.js';
import { dtypeOf, sizeClass, sizesOf } from './sizes.js';
import type { Strategy } from './types.js';

/** `explain('channelAffine', { input: [2, 8, 4, 4, 4], dtype: 'float32' })`. */
export interface ChannelAffineCall {
  /** `[N, C, …]` */
  readonly input: readonly number[];
  readonly dtype: DType;
}

export interface ChannelAffineTensors {
  /** `[N, C, …]` */
  readonly input: Tensor;
  /** `[C]` */
  readonly scale: Tensor;
  readonly shift: Tensor;
}

export type ChannelAffineStrategy = Strategy<ChannelAffineCall, ChannelAffineTensors, Tensor>;

const op = 'channelAffine.forward';

const fused: ChannelAffineStrategy = {
  op,
  name: 'fused',
  kind: 'fused',
  supports: ({ dtype }, capabilities) => fusedSupport('channelAffine', dtype, capabilities),
  cost: ({ input }, capabilities) => passes(capabilities, 1, 2 * numelOf(input)),
  run(_, { input, scale, shift }) {
    const { device, shape } = input;
    const run = device.kernels.channelAffine ?? missing(device, 'channelAffine');
    return new Tensor({ device, shape, storage: run(input, scale, shift) });
  },
};

const composite: ChannelAffineStrategy = {
  op,
  name: 'composite',
  kind: 'composite',
  supports: () => ({ ok: true, reasons: ['a product and a sum of whole tensors'] }),
  cost: ({ input }, capabilities) => passes(capabilities, 2, 4 * numelOf(input)),
  run: (_, { input, scale, shift }) =>
    input.mul(alongChannels(scale, input)).add(alongChannels(shift, input)),
};

export const channelAffineOperation: Operation<ChannelAffineCall, ChannelAffineTensors> = {
  op,
  normalize: (name, call) => ({ input: sizesOf(name, call, 'input'), dtype: dtypeOf(call) }),
  plain: (call) => call,
  key: ({ input, dtype }) => `${dtype},${input}`,
  shapeClass: ({ input }) => sizeClass(numelOf(input)),
  samples: (dtype) => [
    { input: [2, 8, 16, 16, 16], dtype },
    { input: [2, 4, 4, 4, 4], dtype },
  ],
  tensors: ({ input, dtype }, device) => ({
    input: Tensor.filled(input, 1, dtype, device),
    scale: Tensor.filled([input[1]], 1, dtype, device),
    shift: Tensor.filled([input[1]], 1, dtype, device),
  }),
};

export const channelAffineStrategies = [fused, composite];
