// Losses of one class among several.

import {
  argumentError,
  checkCall,
  dtypeError,
  formatShape,
  gather,
  isFloat,
  logSoftmax,
  sameShape,
  shapeError,
  type Tensor,
  unsqueeze,
  where,
} from '@voxgrad/core';
import { CROSS_ENTROPY, NLL } from './option-tables.js';
import { type LossOptions, reduceLoss } from './reduction.js';

/** Options of {@link nllLoss}. */
export interface NllOptions extends LossOptions {
  /** A factor per class, `[C]`. */
  weight?: Tensor;
  /** Targets of this value add nothing. */
  ignoreIndex?: number;
}

/**
 * Negative log likelihood.
 * @param logProbabilities `[N, C]`, `[C]`, or with spatial dims `[N, C, d1, …]`
 * @param target int64 class numbers: `[N]`, `[]` or `[N, d1, …]`
 */
export function nllLoss(
  logProbabilities: Tensor,
  target: Tensor,
  options: NllOptions = {},
): Tensor {
  checkCall('nllLoss', { logProbabilities, target }, options, NLL);
  const { weight, ignoreIndex = -100, reduction = 'mean' } = options;
  const axis = logProbabilities.ndim === 1 ? 0 : 1;
  checkClassTarget(logProbabilities, target, axis);
  const classes = logProbabilities.shape[axis];
  checkWeight(weight, classes);
  const counted = target.ne(ignoreIndex);
  const safe = where(counted, target, 0);
  checkRange(safe, classes);
  const index = unsqueeze(safe, axis);
  const picked = gather(logProbabilities, axis, index).squeeze(axis).neg();
  const factor = weightOf(weight, safe, logProbabilities).mul(counted.to(logProbabilities.dtype));
  const losses = where(counted, picked.mul(factor), 0);
  if (reduction === 'mean') return losses.sum().div(factor.sum());
  return reduceLoss(losses, reduction);
}

function checkClassTarget(input: Tensor, target: Tensor, axis: number): void {
  if (target.dtype !== 'int64')
    throw dtypeError(
      `expected scalar type Long but found ${target.dtype} as the target of a classification loss; convert with .to('int64')`,
    );
  const expected = input.shape.filter((_, d) => d !== axis);
  if (!sameShape(target.shape, expected))
    throw shapeError(
      `Expected target size ${formatShape(expected)}, got ${formatShape(target.shape)} (input ${formatShape(input.shape)})`,
    );
}

function checkRange(target: Tensor, classes: number): void {
  if (target.numel === 0 || !target.device.capabilities.synchronous) return;
  const outside = target.lt(0).logicalOr(target.ge(classes));
  if (!outside.any().item()) return;
  const [first] = target.maskedSelect(outside).tolist() as bigint[];
  throw argumentError(
    `Target ${first} is out of bounds: expected a class from 0 to ${classes - 1}`,
  );
}

function checkWeight(weight: Tensor | undefined, classes: number): void {
  if (weight && !sameShape(weight.shape, [classes]))
    throw shapeError(
      `weight tensor should be defined either for all ${classes} classes or no classes but got weight tensor of shape: ${formatShape(weight.shape)}`,
    );
}

function weightOf(weight: Tensor | undefined, target: Tensor, like: Tensor): Tensor {
  if (weight === undefined) return target.mul(0).to(like.dtype).add(1);
  return weight.indexSelect(0, target.reshape(-1)).reshape(target.shape);
}

/** Options of {@link crossEntropy}. */
export interface CrossEntropyOptions extends NllOptions {
  /** Moves this share of the target to all classes alike, 0 … 1. */
  labelSmoothing?: number;
}

/**
 * Cross entropy of unnormalised scores.
 * @param input `[N, C]`, `[C]` or `[N, C, d1, …]`
 * @param target int64 class numbers without the class axis, or probabilities of the size of input
 */
export function crossEntropy(
  input: Tensor,
  target: Tensor,
  options: CrossEntropyOptions = {},
): Tensor {
  checkCall('crossEntropy', { input, target }, options, CROSS_ENTROPY);
  const axis = input.ndim === 1 ? 0 : 1;
  if (input.ndim === 0)
    throw shapeError('crossEntropy(): expected at least 1 dimension, but got a 0-d input');
  const { labelSmoothing: smooth = 0, weight, reduction = 'mean' } = options;
  if (!(smooth >= 0 && smooth <= 1))
    throw argumentError(`label_smoothing must be between 0.0 and 1.0. Got: ${smooth}`);
  checkWeight(weight, input.shape[axis]);
  const logP = logSoftmax(input, axis);
  const perClass = weight ? logP.mul(alongAxis(weight, logP, axis)) : logP;
  if (isFloat(target.dtype) && sameShape(target.shape, input.shape)) {
    const classes = input.shape[axis];
    const soft = smooth > 0 ? target.mul(1 - smooth).add(smooth / classes) : target;
    const losses = perClass.mul(soft).sum(axis).neg();
    // The mean counts samples, not weights, when the target holds probabilities.
    return reduction === 'mean' ? losses.sum().div(losses.numel) : reduceLoss(losses, reduction);
  }
  const { ignoreIndex = -100 } = options;
  const hard = nllLoss(logP, target, { weight, ignoreIndex, reduction });
  if (smooth === 0) return hard;
  const classes = input.shape[axis];
  const counted = target.ne(ignoreIndex);
  const spreadOut = where(counted, perClass.sum(axis).neg(), 0);
  const normalizer = weight
    ? weightOf(weight, where(counted, target, 0), logP)
        .mul(counted.to(logP.dtype))
        .sum()
    : counted.sum().to(logP.dtype);
  const smoothed =
    reduction === 'mean' ? spreadOut.sum().div(normalizer) : reduceLoss(spreadOut, reduction);
  return hard.mul(1 - smooth).add(smoothed.mul(smooth / classes));
}

function alongAxis(weight: Tensor, like: Tensor, axis: number): Tensor {
  return weight.reshape(like.shape.map((_, d) => (d === axis ? -1 : 1)));
}
