// What `F.batchNorm` and the layers compute, with or without the ReLU after it.

import {
  argumentError,
  channelAffine,
  formatShape,
  hasBatchNorm,
  isRecomputing,
  nativeBatchNorm,
  noGrad,
  shapeError,
  type Tensor,
} from '@voxgrad/core';

/** Options of {@link batchNorm}. */
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
 * `F.batchNorm`, and with `relu` a ReLU after it, in the same kernel in training (where `fusesRelu` says
 * that there is one).
 */
export function normalised(
  x: Tensor,
  options: BatchNormOptions,
  { relu = false }: { relu?: boolean } = {},
): Tensor {
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
      const batch = nativeBatchNorm(x, weight ?? null, bias ?? null, eps, { relu });
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
      const y = channelAffine(x, scale, bias ? shift.add(bias) : shift);
      return relu ? y.relu() : y;
    }
    mean = runningMean.reshape(along);
    variance = runningVar.reshape(along);
  }
  let y = x.sub(mean).mul(variance.add(eps).rsqrt());
  if (weight) y = y.mul(weight.reshape(along));
  if (bias) y = y.add(bias.reshape(along));
  return relu ? y.relu() : y;
}

/** Whether the kernels for batch norm take these parameters. */
const bothOrNone = (
  weight: Tensor | null | undefined,
  bias: Tensor | null | undefined,
  x: Tensor,
) => (weight ? bias?.dtype === x.dtype && weight.dtype === x.dtype : !bias);

/** running ← (1 − momentum)·running + momentum·batch */
function updateRunning(running: Tensor | null | undefined, batch: Tensor, momentum: number): void {
  if (!running || isRecomputing()) return;
  noGrad(() => {
    running.copy_(
      running.mul(1 - momentum).add(batch.detach().reshape(running.shape).mul(momentum)),
    );
  });
}
