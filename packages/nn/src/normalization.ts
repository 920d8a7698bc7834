import {
  argumentError,
  channelAffine,
  formatShape,
  hasBatchNorm,
  isRecomputing,
  nativeBatchNorm,
  noGrad,
  requireTensors,
  shapeError,
  type Tensor,
} from '@voxgrad/core';
import { BATCH_NORM, INSTANCE_NORM } from './option-tables.js';
import { type TensorsThenOptions, tensorsThenOptions } from './positional.js';

const TENSORS = ['runningMean', 'runningVar', 'weight', 'bias'] as const;

export interface BatchNormOptions {
  runningMean?: Tensor | null;
  runningVar?: Tensor | null;
  weight?: Tensor | null;
  bias?: Tensor | null;
  /** Use the statistics of this batch, and fold them into the running ones. */
  training?: boolean;
  /** Share of the new statistics in the running ones. */
  momentum?: number;
  eps?: number;
}

/**
 * Normalises each channel of `[N, C, …]` to mean 0 and variance 1, then scales and shifts.
 * Running statistics are updated in place, with the unbiased variance.
 */
export function batchNorm(x: Tensor, options: BatchNormOptions): Tensor;
/** The same with the tensors by position, as far as they are given. */
export function batchNorm(
  x: Tensor,
  runningMean: Tensor | null,
  runningVar: Tensor | null,
  ...more: TensorsThenOptions<Omit<BatchNormOptions, 'runningMean' | 'runningVar'>>
): Tensor;
export function batchNorm(x: Tensor, ...given: readonly unknown[]): Tensor {
  requireTensors('batchNorm', { x });
  const options = tensorsThenOptions('batchNorm', TENSORS, BATCH_NORM, given);
  const {
    runningMean,
    runningVar,
    weight,
    bias,
    training = false,
    momentum = 0.1,
    eps = 1e-5,
  } = options;
  if (x.ndim < 2)
    throw shapeError(`batchNorm(): expected at least 2D input, but got ${formatShape(x.shape)}`);
  const channels = x.shape[1];
  const along = x.shape.map((_, axis) => (axis === 1 ? channels : 1));
  const axes = along.flatMap((_, axis) => (axis === 1 ? [] : [axis]));
  const count = x.numel / Math.max(channels, 1);
  let mean: Tensor;
  let variance: Tensor;
  if (training) {
    if (count === 1)
      throw shapeError(
        `Expected more than 1 value per channel when training, got input size torch.Size(${formatShape(x.shape)})`,
      );
    if (hasBatchNorm(x.device, x.dtype) && count > 0 && bothOrNone(weight, bias, x)) {
      const batch = nativeBatchNorm(x, weight ?? null, bias ?? null, eps);
      updateRunning(runningMean, batch.mean, momentum);
      updateRunning(runningVar, batch.variance.mul(count / (count - 1)), momentum);
      return batch.y;
    }
    mean = x.mean(axes, { keepdim: true });
    const centred = x.sub(mean);
    variance = centred.mul(centred).mean(axes, { keepdim: true });
    updateRunning(runningMean, mean, momentum);
    updateRunning(runningVar, variance.mul(count / (count - 1)), momentum);
  } else {
    if (!runningMean || !runningVar)
      throw argumentError(
        'Expected running_mean and running_var to be defined when training=False',
      );
    if (hasBatchNorm(x.device, x.dtype) && bothOrNone(weight, bias, x)) {
      // Two numbers for each channel, as PyTorch folds them.
      const inverse = runningVar.add(eps).rsqrt();
      const scale = weight ? weight.mul(inverse) : inverse;
      const shift = runningMean.mul(scale).neg();
      return channelAffine(x, scale, bias ? shift.add(bias) : shift);
    }
    mean = runningMean.reshape(along);
    variance = runningVar.reshape(along);
  }
  let y = x.sub(mean).mul(variance.add(eps).rsqrt());
  if (weight) y = y.mul(weight.reshape(along));
  if (bias) y = y.add(bias.reshape(along));
  return y;
}

/** Whether the kernels for batch norm take these parameters. */
const bothOrNone = (
  weight: Tensor | null | undefined,
  bias: Tensor | null | undefined,
  x: Tensor,
) => (weight ? bias?.dtype === x.dtype && weight.dtype === x.dtype : !bias);

export interface InstanceNormOptions {
  runningMean?: Tensor | null;
  runningVar?: Tensor | null;
  weight?: Tensor | null;
  bias?: Tensor | null;
  /** Use the statistics of each sample (the default); otherwise the running ones. */
  useInputStats?: boolean;
  momentum?: number;
  eps?: number;
}

/**
 * Normalises each channel of each sample of `[N, C, …]`: batch norm of one sample with N·C
 * channels. Running statistics take the mean over the samples.
 */
export function instanceNorm(x: Tensor, ...given: TensorsThenOptions<InstanceNormOptions>): Tensor {
  requireTensors('instanceNorm', { x });
  const options = tensorsThenOptions('instanceNorm', TENSORS, INSTANCE_NORM, given);
  const { runningMean, runningVar, weight, bias, useInputStats = true, momentum, eps } = options;
  const [batch, channels, ...spatial] = x.shape;
  if (useInputStats && spatial.every((size) => size === 1))
    throw shapeError(
      `Expected more than 1 spatial element when training, got input size torch.Size(${formatShape(x.shape)})`,
    );
  if (!useInputStats && !(runningMean && runningVar))
    throw argumentError(
      'Expected running_mean and running_var to be defined when use_input_stats is false',
    );
  for (const [name, value] of Object.entries({ weight, bias, runningMean, runningVar }))
    if (value && value.numel !== channels)
      throw shapeError(
        `${name} should contain ${batch * channels} elements not ${batch * value.numel}`,
      );
  const perSample = (t: Tensor | null | undefined) =>
    t?.unsqueeze(0).expand(batch, channels).clone().reshape(-1);
  const mean = perSample(runningMean?.detach());
  const variance = perSample(runningVar?.detach());
  const y = batchNorm(x.reshape([1, batch * channels, ...spatial]), {
    runningMean: mean,
    runningVar: variance,
    weight: perSample(weight),
    bias: perSample(bias),
    training: useInputStats,
    momentum,
    eps,
  });
  if (useInputStats)
    noGrad(() => {
      if (mean) runningMean?.copy_(mean.reshape(batch, channels).mean(0));
      if (variance) runningVar?.copy_(variance.reshape(batch, channels).mean(0));
    });
  return y.reshape(x.shape);
}

/** running ← (1 − momentum)·running + momentum·batch */
function updateRunning(running: Tensor | null | undefined, batch: Tensor, momentum: number): void {
  if (!running || isRecomputing()) return;
  noGrad(() => {
    running.copy_(
      running.mul(1 - momentum).add(batch.detach().reshape(running.shape).mul(momentum)),
    );
  });
}
