// Batch norm as one operation, for devices that have a kernel for it. The rule is written from x alone
// with differentiable operations, so that every order exists; without a graph the device's kernel
// computes the same.

import { isGradEnabled } from '../autograd/mode.js';
import { defineMultiOp, defineOp } from '../autograd/op.js';
import type { Device } from '../device/device.js';
import { VoxgradError } from '../errors.js';
import type { DType } from '../tensor/dtype.js';
import type { Storage } from '../tensor/storage.js';
import { Tensor } from '../tensor/tensor.js';

/** Whether `device` normalises `dtype` in kernels of its own. */
export const hasBatchNorm = ({ kernels }: Device, dtype: DType): boolean =>
  kernels.batchNorm !== undefined && (dtype === 'float32' || dtype === 'float64');

const allButChannels = (x: { readonly shape: readonly number[] }): number[] =>
  x.shape.flatMap((_, axis) => (axis === 1 ? [] : [axis]));

const alongChannels = (t: Tensor, x: Tensor): Tensor =>
  t.reshape(x.shape.map((_, axis) => (axis === 1 ? -1 : 1)));

interface Settings {
  readonly eps: number;
  readonly affine: boolean;
}

const lacks = (device: Device, kernel: string) =>
  new VoxgradError('DEVICE', `${device.name} has no ${kernel} kernel`);

const batchNormOp = defineMultiOp<Settings>({
  name: 'batchNorm',
  forward: ([x, weight, bias], { eps }) => {
    const { device } = x;
    const run = device.kernels.batchNorm;
    if (!run) throw lacks(device, 'batchNorm');
    const { y, mean, variance } = run(x, weight ?? null, bias ?? null, eps);
    const channels = [x.shape[1]];
    return [
      new Tensor({ device, shape: x.shape, storage: y }),
      new Tensor({ device, shape: channels, storage: mean }),
      new Tensor({ device, shape: channels, storage: variance }),
    ];
  },
  saves: { inputs: [0, 1], outputs: [1, 2] },
  differentiable: (output) => output.ndim > 1,
  backward: ([g], context) => {
    if (g === null) return context.inputs.map(() => null);
    const { eps, affine } = context.options;
    const x = context.input(0);
    const weight = affine ? context.input(1) : null;
    const [needX, needWeight = false, needBias = false] = context.needs;
    const run = isGradEnabled() ? undefined : x.device.kernels.batchNormBackward;
    if (!run) return composed(g, x, weight, eps).slice(0, context.inputs.length);
    const { device } = x;
    const statistics = { mean: context.output(1), variance: context.output(2), eps };
    const needs = [needX, needWeight, needBias] as const;
    const results = run(g, x, weight, statistics, needs);
    const tensor = (storage: Storage | null, shape: readonly number[]) =>
      storage && new Tensor({ device, shape, storage });
    const channels = [x.shape[1]];
    return [
      tensor(results[0], x.shape),
      tensor(results[1], channels),
      tensor(results[2], channels),
    ].slice(0, context.inputs.length);
  },
});

/** Ioffe and Szegedy, arXiv:1502.03167, section 3, with the sums over a channel collected. */
function composed(g: Tensor, x: Tensor, weight: Tensor | null, eps: number): Tensor[] {
  const axes = allButChannels(x);
  const mean = (t: Tensor) => t.mean(axes, { keepdim: true });
  const centred = x.sub(mean(x));
  const inverse = mean(centred.mul(centred)).add(eps).rsqrt();
  const normal = centred.mul(inverse);
  const scaled = weight ? g.mul(alongChannels(weight, x)) : g;
  const dx = scaled
    .sub(mean(scaled))
    .sub(normal.mul(mean(scaled.mul(normal))))
    .mul(inverse);
  return [dx, g.mul(normal).sum(axes), g.sum(axes)];
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
 * shifts where `weight` and `bias` (`[C]`, both or none) say so.
 */
export function nativeBatchNorm(
  x: Tensor,
  weight: Tensor | null,
  bias: Tensor | null,
  eps: number,
): BatchStatistics {
  const inputs = weight && bias ? [x, weight, bias] : [x];
  const [y, mean, variance] = batchNormOp(inputs, { eps, affine: weight !== null });
  return { y, mean: mean.detach(), variance: variance.detach() };
}

const affineOp = defineOp({
  name: 'channelAffine',
  forward: ([x, scale, shift]) => {
    const { device } = x;
    const run = device.kernels.channelAffine;
    if (!run) throw lacks(device, 'channelAffine');
    return new Tensor({ device, shape: x.shape, storage: run(x, scale, shift) });
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
