// Batch norm, Ioffe and Szegedy, arXiv:1502.03167: the device's kernels, which save passes over
// memory, or sums and products of whole tensors.

import type { Capabilities, Device } from '../device/device.js';
import { argumentError } from '../errors.js';
import { where } from '../ops/binary.js';
import type { Needs } from '../ops/conv/geometry.js';
import { sum } from '../ops/reduce.js';
import type { DType } from '../tensor/dtype.js';
import { describe, numelOf } from '../tensor/shape.js';
import type { Storage } from '../tensor/storage.js';
import { Tensor } from '../tensor/tensor.js';
import { passes } from './cost-model.js';
import { missing } from './device-error.js';
import type { Operation } from './operation.js';
import { dtypeOf, sizeClass, sizesOf } from './sizes.js';
import type { Strategy, Support } from './types.js';

/** `explain('batchNorm', { input: [2, 8, 4, 4, 4], dtype: 'float32', affine: true })`. */
export interface BatchNormCall {
  /** `[N, C, …]` */
  readonly input: readonly number[];
  readonly dtype: DType;
  /** Whether there are a weight and a bias. */
  readonly affine: boolean;
  /** Which gradients a backward is asked for. */
  readonly needs: Needs;
}

export interface BatchNormTensors {
  /** `[N, C, …]` */
  readonly input: Tensor;
  /** `[C]` */
  readonly weight: Tensor | null;
  readonly bias: Tensor | null;
  readonly eps: number;
}

export interface BatchNormResult {
  /** `[N, C, …]` */
  readonly output: Tensor;
  /** `[C]` */
  readonly mean: Tensor;
  /** `[C]`, biased. */
  readonly variance: Tensor;
}

export interface BatchNormBackwardTensors {
  readonly gradOutput: Tensor;
  readonly input: Tensor;
  readonly weight: Tensor | null;
  /** What the forward returned. */
  readonly mean: Tensor;
  readonly variance: Tensor;
  readonly eps: number;
  /** Where a ReLU follows, which needs the output's sign. */
  readonly bias?: Tensor | null;
}

export type BatchNormGradients = readonly [
  input: Tensor | null,
  weight: Tensor | null,
  bias: Tensor | null,
];

export type BatchNormStrategy = Strategy<BatchNormCall, BatchNormTensors, BatchNormResult>;
export type BatchNormBackwardStrategy = Strategy<
  BatchNormCall,
  BatchNormBackwardTensors,
  BatchNormGradients
>;

export const allButChannels = (x: { readonly shape: readonly number[] }): number[] =>
  x.shape.flatMap((_, axis) => (axis === 1 ? [] : [axis]));

/** `[C]` as `[1, C, 1, …]` beside `x`. */
export const alongChannels = (t: Tensor, x: Tensor): Tensor =>
  t.reshape(x.shape.map((_, axis) => (axis === 1 ? -1 : 1)));

/** Whether the device has a fused kernel that computes the call's dtype. */
export function fusedSupport(
  kernel: NormKernel | 'channelAffine' | 'adamStep',
  dtype: DType,
  capabilities: Capabilities,
): Support {
  if (!capabilities.hasKernel?.(kernel))
    return { ok: false, reasons: [`the device has no ${kernel} kernel`] };
  if (dtype !== 'float32' && dtype !== 'float64')
    return { ok: false, reasons: [`${kernel} takes float32 and float64, not ${dtype}`] };
  return { ok: true, reasons: [`the device has a ${kernel} kernel`] };
}

const COMPOSED: Support = { ok: true, reasons: ['sums and products of whole tensors'] };

const elements = ({ input }: { readonly input: readonly number[] }) => numelOf(input);

/** A batch norm alone, or with the ReLU after it: the same passes over memory, and one kernel each. */
interface Variant {
  /** Also the name of its forward kernel. */
  readonly op: 'batchNorm' | 'batchNormRelu';
  readonly backward: 'batchNormBackward' | 'batchNormReluBackward';
  readonly relu: boolean;
}

type NormKernel = Variant['op'] | Variant['backward'];

const PLAIN: Variant = {
  op: 'batchNorm',
  backward: 'batchNormBackward',
  relu: false,
};
const WITH_RELU: Variant = {
  op: 'batchNormRelu',
  backward: 'batchNormReluBackward',
  relu: true,
};

const fusedForward = ({ op }: Variant): BatchNormStrategy => ({
  op: `${op}.forward`,
  name: 'fused',
  kind: 'fused',
  supports: ({ dtype }, capabilities) => fusedSupport(op, dtype, capabilities),
  cost: (call, capabilities) => passes(capabilities, 1, 3 * elements(call)),
  run(_, { input, weight, bias, eps }) {
    const { device, shape } = input;
    const run = device.kernels[op] ?? missing(device, op);
    const { y, mean, variance } = run(input, weight, bias, eps);
    const channel = (storage: Storage) => new Tensor({ device, shape: [shape[1]], storage });
    return {
      output: new Tensor({ device, shape, storage: y }),
      mean: channel(mean),
      variance: channel(variance),
    };
  },
});

const compositeForward = ({ op, relu }: Variant): BatchNormStrategy => ({
  op: `${op}.forward`,
  name: 'composite',
  kind: 'composite',
  supports: () => COMPOSED,
  cost: (call, capabilities) => passes(capabilities, 10, (relu ? 14 : 12) * elements(call)),
  run(_, { input: x, weight, bias, eps }) {
    const axes = allButChannels(x);
    const mean = x.mean(axes, { keepdim: true });
    const centred = x.sub(mean);
    const variance = centred.mul(centred).mean(axes, { keepdim: true });
    let output = centred.mul(variance.add(eps).rsqrt());
    if (weight) output = output.mul(alongChannels(weight, x));
    if (bias) output = output.add(alongChannels(bias, x));
    if (relu) output = output.relu();
    return { output, mean: mean.reshape(-1), variance: variance.reshape(-1) };
  },
});

const fusedBackward = ({ op, backward: kernel }: Variant): BatchNormBackwardStrategy => ({
  op,
  name: 'fused',
  kind: 'fused',
  supports: ({ dtype }, capabilities) => fusedSupport(kernel, dtype, capabilities),
  cost: (call, capabilities) => passes(capabilities, 1, 5 * elements(call)),
  run(_, { gradOutput, input, weight, mean, variance, eps, bias = null }, needs) {
    const { device, shape } = input;
    const run = device.kernels[kernel] ?? missing(device, kernel);
    const [dx, dw, db] = run(gradOutput, input, weight, { mean, variance, eps, bias }, needs);
    const tensor = (storage: Storage | null, sizes: readonly number[]) =>
      storage && new Tensor({ device, shape: sizes, storage });
    return [tensor(dx, shape), tensor(dw, [shape[1]]), tensor(db, [shape[1]])];
  },
});

const compositeBackward = ({ op, relu }: Variant): BatchNormBackwardStrategy => ({
  op,
  name: 'composite',
  kind: 'composite',
  supports: () => COMPOSED,
  cost: (call, capabilities) => passes(capabilities, 12, (relu ? 28 : 22) * elements(call)),
  run: (_, { gradOutput, input, weight, bias = null, eps }, needs) =>
    composedGradients(gradOutput, input, { weight, bias, eps, relu }, needs),
});

/**
 * The gradients of a batch norm with differentiable operations, from its inputs alone.
 * Source: arXiv:1502.03167, section 3, with the sums over a channel collected.
 */
export function composedGradients(
  gradOutput: Tensor,
  x: Tensor,
  { weight, bias, eps, relu }: NormSettings,
  needs: Needs,
): BatchNormGradients {
  const axes = allButChannels(x);
  const mean = (t: Tensor) => t.mean(axes, { keepdim: true });
  const centred = x.sub(mean(x));
  const inverse = mean(centred.mul(centred)).add(eps).rsqrt();
  const normal = centred.mul(inverse);
  const scaledBy = (t: Tensor) => (weight ? t.mul(alongChannels(weight, x)) : t);
  const output = () => (bias ? scaledBy(normal).add(alongChannels(bias, x)) : scaledBy(normal));
  // Passes where the output is above 0 or NaN, as relu's own rule.
  const g = relu ? where(output().le(0), 0, gradOutput) : gradOutput;
  const gradient = () => {
    const scaled = scaledBy(g);
    return scaled
      .sub(mean(scaled))
      .sub(normal.mul(mean(scaled.mul(normal))))
      .mul(inverse);
  };
  return [
    needs[0] ? gradient() : null,
    needs[1] ? sum(g.mul(normal), axes) : null,
    needs[2] ? sum(g, axes) : null,
  ];
}

export interface NormSettings {
  readonly weight: Tensor | null;
  readonly bias: Tensor | null;
  readonly eps: number;
  readonly relu: boolean;
}

// ---- the operations ----

function normalize(op: string, call: object): BatchNormCall {
  const input = sizesOf(op, call, 'input');
  const { affine = true, needs } = call as Partial<BatchNormCall>;
  if (input.length < 2)
    throw argumentError(
      `explain('${op}'): expected an input of [N, C, …], but got ${describe(input)}`,
    );
  return { input, dtype: dtypeOf(call), affine, needs: needs ?? [true, affine, affine] };
}

const common = {
  normalize,
  plain: (call: BatchNormCall) => call,
  key: ({ input, dtype, affine, needs }: BatchNormCall) => `${dtype},${affine},${needs},${input}`,
  shapeClass: (call: BatchNormCall) => sizeClass(elements(call)),
  samples: (dtype: DType): readonly BatchNormCall[] =>
    [
      [2, 8, 16, 16, 16],
      [2, 4, 4, 4, 4],
    ].map((input) => ({ input, dtype, affine: true, needs: [true, true, true] })),
  needs: (call: BatchNormCall) => call.needs,
};

const ones = (shape: readonly number[], dtype: DType, device: Device) =>
  Tensor.filled(shape, 1, dtype, device);

const forwardOperation = ({ op }: Variant): Operation<BatchNormCall, BatchNormTensors> => ({
  ...common,
  op: `${op}.forward`,
  tensors: ({ input, dtype }, device) => ({
    input: ones(input, dtype, device),
    weight: ones([input[1]], dtype, device),
    bias: ones([input[1]], dtype, device),
    eps: 1e-5,
  }),
});

const backwardOperation = ({
  op,
}: Variant): Operation<BatchNormCall, BatchNormBackwardTensors> => ({
  ...common,
  op,
  tensors: ({ input, dtype }, device) => ({
    gradOutput: ones(input, dtype, device),
    input: ones(input, dtype, device),
    weight: ones([input[1]], dtype, device),
    bias: ones([input[1]], dtype, device),
    mean: ones([input[1]], dtype, device),
    variance: ones([input[1]], dtype, device),
    eps: 1e-5,
  }),
});

const VARIANTS = [PLAIN, WITH_RELU];

export const batchNormOperations = {
  forward: VARIANTS.map(forwardOperation),
  backward: VARIANTS.map(backwardOperation),
};
export const batchNormStrategies = {
  forward: VARIANTS.flatMap((variant) => [fusedForward(variant), compositeForward(variant)]),
  backward: VARIANTS.flatMap((variant) => [fusedBackward(variant), compositeBackward(variant)]),
};
