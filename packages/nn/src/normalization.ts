import {
  argumentError,
  formatShape,
  noGrad,
  requireTensors,
  shapeError,
  type Tensor,
} from '@voxgrad/core';
import { type BatchNormOptions, normalised } from './batch-norm.js';
import { BATCH_NORM, INSTANCE_NORM } from './option-tables.js';
import { type TensorsThenOptions, tensorsThenOptions } from './positional.js';

const TENSORS = ['runningMean', 'runningVar', 'weight', 'bias'] as const;

export type { BatchNormOptions };

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
  return normalised(x, options);
}

/** Options of {@link instanceNorm}. */
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
