// Batch norm as one operation. The rule is written from its inputs alone with differentiable operations,
// so that every order exists; without a graph, strategies compete for the same.

import { isGradEnabled } from '../autograd/mode.js';
import { defineMultiOp, defineOp } from '../autograd/op.js';
import { currentRecorder } from '../autograd/recorder.js';
import type { Device } from '../device/device.js';
import {
  allButChannels,
  alongChannels,
  type BatchNormBackwardStrategy,
  type BatchNormGradients,
  type BatchNormResult,
  type BatchNormStrategy,
  composedGradients,
} from '../strategies/batch-norm.js';
import type { ChannelAffineStrategy } from '../strategies/channel-affine.js';
import { checkedResult } from '../strategies/checked-result.js';
import { scopedChoice } from '../strategies/choices.js';
import { replacements } from '../strategies/recorded.js';
import { choiceByCost, select } from '../strategies/registry.js';
import { RELU_BACKWARD } from '../strategies/relu-backward.js';
import { runStrategy } from '../strategies/run.js';
import { type DType, isFloat } from '../tensor/dtype.js';
import type { Tensor } from '../tensor/tensor.js';

/** Whether `device` normalises `dtype` as one operation. */
export const hasBatchNorm = ({ capabilities }: Device, dtype: DType): boolean =>
  isFloat(dtype) && capabilities.computes.has(dtype);

interface Settings {
  readonly eps: number;
  readonly affine: boolean;
  /** Strategy for the backward that a scope around the forward named. */
  readonly recorded?: string | null;
}

/** A batch norm, or one with a ReLU after it in the same passes over memory. */
const defineBatchNorm = (name: 'batchNorm' | 'batchNormRelu') => {
  const relu = name === 'batchNormRelu';
  return defineMultiOp<Settings>({
    name,
    forward: ([x, weight = null, bias = null], { eps, affine }) => {
      const { device, dtype, shape: input } = x;
      const call = { input, dtype, affine, needs: [true, affine, affine] as const };
      const strategy = select<BatchNormStrategy>(`${name}.forward`, call, device);
      const tensors = { input: x, weight, bias, eps };
      const result: Partial<BatchNormResult> | undefined = runStrategy(
        strategy,
        call,
        tensors,
        call.needs,
      );
      const channels = { shape: [input[1]], dtype, device };
      return [
        checkedResult(strategy, 'output', result?.output, { shape: input, dtype, device }),
        checkedResult(strategy, 'mean', result?.mean, channels),
        checkedResult(strategy, 'variance', result?.variance, channels),
      ];
    },
    saves: { inputs: relu ? [0, 1, 2] : [0, 1], outputs: [1, 2] },
    differentiable: (output) => output.ndim > 1,
    backward: ([g], context) => {
      if (g === null) return context.inputs.map(() => null);
      const { eps, affine, recorded } = context.options;
      const input = context.input(0);
      const weight = affine ? context.input(1) : null;
      const bias = affine && relu ? context.input(2) : null;
      const [needX, needWeight = false, needBias = false] = context.needs;
      const needs = [needX, needWeight, needBias] as const;
      const gradients = () => {
        if (isGradEnabled()) return composedGradients(g, input, { weight, bias, eps, relu }, needs);
        const { device, dtype, shape } = input;
        const call = { input: shape, dtype, affine, needs };
        const strategy = select<BatchNormBackwardStrategy>(name, call, device, { recorded });
        const statistics = { mean: context.output(1), variance: context.output(2) };
        const tensors = { gradOutput: g, input, weight, bias, ...statistics, eps };
        const results: Partial<BatchNormGradients> | undefined = runStrategy(
          strategy,
          call,
          tensors,
          needs,
        );
        const channels = [shape[1]];
        return [shape, channels, channels].map((sizes, i) => {
          const what = `gradient of the ${['input', 'weight', 'bias'][i]}`;
          const expected = { shape: sizes, dtype, device };
          return needs[i] ? checkedResult(strategy, what, results?.[i], expected) : null;
        });
      };
      return gradients().slice(0, context.inputs.length);
    },
  });
};

const OPS = {
  batchNorm: defineBatchNorm('batchNorm'),
  batchNormRelu: defineBatchNorm('batchNormRelu'),
} as const;

/**
 * Whether a batch norm of `x` and the ReLU after it run as one kernel: nobody has asked for other ways
 * to run either, or looks at what is between them.
 */
export function fusesRelu(x: Tensor, { affine }: { affine: boolean }): boolean {
  if (currentRecorder() || replacements.has('relu')) return false;
  const { device, dtype, shape: input } = x;
  const call = { input, dtype, affine, needs: [true, affine, affine] as const };
  const fused = (op: string, asked: object) => choiceByCost(op, asked, device) === 'fused';
  return (
    fused('batchNormRelu.forward', call) &&
    fused('batchNormRelu', call) &&
    fused('batchNorm.forward', call) &&
    fused('batchNorm', call) &&
    fused(RELU_BACKWARD, { output: input, dtype })
  );
}

export interface BatchStatistics {
  readonly y: Tensor;
  /** Per channel, `[C]`, off the tape. */
  readonly mean: Tensor;
  /** Biased. */
  readonly variance: Tensor;
}

/**
 * Normalises each channel of `[N, C, …]` with the mean and variance of the batch, then scales and
 * shifts where `weight` and `bias` (`[C]`, both or none) say so, and takes what is below 0 for 0 with
 * `relu`.
 */
export function nativeBatchNorm(
  x: Tensor,
  weight: Tensor | null,
  bias: Tensor | null,
  eps: number,
  { relu = false }: { relu?: boolean } = {},
): BatchStatistics {
  const inputs = weight && bias ? [x, weight, bias] : [x];
  const name = relu ? 'batchNormRelu' : 'batchNorm';
  const [y, mean, variance] = OPS[name](inputs, {
    eps,
    affine: weight !== null,
    recorded: scopedChoice(name),
  });
  return { y, mean: mean.detach(), variance: variance.detach() };
}

const affineOp = defineOp({
  name: 'channelAffine',
  forward: ([input, scale, shift]) => {
    const call = { input: input.shape, dtype: input.dtype };
    const strategy = select<ChannelAffineStrategy>('channelAffine.forward', call, input.device);
    const result = runStrategy(strategy, call, { input, scale, shift }, [true, true, true]);
    return checkedResult(strategy, 'output', result, input);
  },
  saves: { inputs: [0, 1] },
  backward: ([g], context) => {
    if (g === null) return [null, null, null];
    const [x, scale] = [context.input(0), context.input(1)];
    const axes = allButChannels(x);
    return [
      context.needs[0] ? g.mul(alongChannels(scale, x)) : null,
      context.needs[1] ? g.mul(x).sum(axes) : null,
      context.needs[2] ? g.sum(axes) : null,
    ];
  },
});

/** x · scale + shift, with one number of each for every channel of `[N, C, …]`. */
export const channelAffine = (x: Tensor, scale: Tensor, shift: Tensor): Tensor =>
  affineOp([x, scale, shift], undefined);
