// Losses of segmentation that PyTorch leaves to others: soft Dice as in MONAI, focal loss as in
// torchvision and MONAI.

import {
  argumentError,
  checkCall,
  formatShape,
  logSoftmax,
  sameShape,
  shapeError,
  softmax,
  type Tensor,
} from '@voxgrad/core';
import { oneHot } from '../embedding.js';
import { binaryCrossEntropyWithLogits } from './binary.js';
import { DICE, FOCAL } from './option-tables.js';
import { type LossOptions, reduceLoss } from './reduction.js';

/** Class numbers `[N, …]` as `[N, C, …]` of the dtype of `like`; a target of its size stays. */
function perClass(target: Tensor, like: Tensor): Tensor {
  if (sameShape(target.shape, like.shape)) return target.to(like.dtype);
  const [batch, classes, ...spatial] = like.shape;
  if (!sameShape(target.shape, [batch, ...spatial]) || target.dtype !== 'int64')
    throw shapeError(
      `expected a target of shape ${formatShape(like.shape)}, or int64 class numbers of shape ${formatShape([batch, ...spatial])}, but got ${target.dtype} ${formatShape(target.shape)}`,
    );
  const last = target.ndim;
  const order = [0, last, ...spatial.map((_, d) => d + 1)];
  return oneHot(target, classes).permute(order).to(like.dtype);
}

/** Options of {@link diceLoss}. */
export interface DiceOptions extends LossOptions {
  /** Applies a sigmoid to the input first. */
  sigmoid?: boolean;
  /** Applies a softmax over the channels to the input first. */
  softmax?: boolean;
  /** False leaves out channel 0 (where there are others). */
  includeBackground?: boolean;
  /** Squares the terms of the denominator. */
  squaredPred?: boolean;
  /** The Jaccard index in place of Dice's. */
  jaccard?: boolean;
  /** Sums over the samples too, before the quotient. */
  batch?: boolean;
  smoothNr?: number;
  smoothDr?: number;
}

/**
 * 1 − (2·Σpt + smoothNr) / (Σp + Σt + smoothDr) for each sample and class, summed over space;
 * with `jaccard` the denominator is 2·(Σp + Σt − Σpt) + smoothDr (Milletari et al. 2016, "V-Net",
 * arXiv:1606.04797, in MONAI's form).
 * @param input `[N, C, …]`
 * @param target of the same size, or int64 class numbers `[N, …]`
 */
export function diceLoss(input: Tensor, target: Tensor, options: DiceOptions = {}): Tensor {
  checkCall('diceLoss', { input, target }, options, DICE);
  const { includeBackground = true, squaredPred, jaccard, batch } = options;
  const { smoothNr = 1e-5, smoothDr = 1e-5, reduction } = options;
  if (options.sigmoid && options.softmax)
    throw argumentError('diceLoss(): only one of sigmoid and softmax can be used');
  if (input.ndim < 2)
    throw shapeError(`diceLoss(): expected input [N, C, …], but got ${formatShape(input.shape)}`);
  const single = input.shape[1] === 1;
  const hot = perClass(target, input);
  let scores = input;
  if (options.sigmoid) scores = input.sigmoid();
  if (options.softmax && !single) scores = softmax(input, 1);
  const foreground = (x: Tensor) => (includeBackground || single ? x : x.slice(1, 1));
  const p = foreground(scores);
  const t = foreground(hot);
  const spatial = p.shape.map((_, axis) => axis).slice(2);
  const axes = batch ? [0, ...spatial] : spatial;
  const sum = (x: Tensor) => (axes.length > 0 ? x.sum(axes) : x);
  const common = sum(p.mul(t));
  let total = squaredPred ? sum(p.mul(p)).add(sum(t.mul(t))) : sum(p).add(sum(t));
  if (jaccard) total = total.sub(common).mul(2);
  const loss = common.mul(2).add(smoothNr).div(total.add(smoothDr)).neg().add(1);
  return reduceLoss(loss, reduction);
}

/** Options of {@link focalLoss}. */
export interface FocalOptions extends LossOptions {
  /** How much well classified examples are played down. */
  gamma?: number;
  /** Weight of the positive class (sigmoid), or of all classes or each, `[C]` (softmax). */
  alpha?: number | Tensor;
  /** Classes exclude each other: softmax over dim 1 in place of a sigmoid per channel. */
  softmax?: boolean;
}

/**
 * (1 − q)^gamma·(−log q), q the probability given to the truth (Lin et al. 2017, "Focal Loss for
 * Dense Object Detection", arXiv:1708.02002).
 * @param input logits; `[N, C, …]` for the softmax form
 * @param target of the size of the input; for the softmax form also int64 class numbers `[N, …]`
 */
export function focalLoss(input: Tensor, target: Tensor, options: FocalOptions = {}): Tensor {
  checkCall('focalLoss', { input, target }, options, FOCAL);
  return options.softmax
    ? softmaxFocal(input, target, options)
    : sigmoidFocal(input, target, options);
}

function sigmoidFocal(input: Tensor, target: Tensor, options: FocalOptions): Tensor {
  const { gamma = 2, alpha, reduction } = options;
  const t = perClass(target, input);
  const other = t.neg().add(1);
  const p = input.sigmoid();
  const missed = p.neg().add(1).mul(t).add(p.mul(other)); // 1 − q
  const entropy = binaryCrossEntropyWithLogits(input, t, { reduction: 'none' });
  const loss = entropy.mul(missed.pow(gamma));
  if (alpha === undefined) return reduceLoss(loss, reduction);
  const rest = typeof alpha === 'number' ? 1 - alpha : alpha.neg().add(1);
  return reduceLoss(loss.mul(t.mul(alpha).add(other.mul(rest))), reduction);
}

function softmaxFocal(input: Tensor, target: Tensor, options: FocalOptions): Tensor {
  const { gamma = 2, alpha, reduction } = options;
  const t = perClass(target, input);
  const logP = logSoftmax(input, 1);
  const each = logP.exp().neg().add(1).pow(gamma).mul(logP).mul(t).neg();
  if (alpha === undefined) return reduceLoss(each.sum(1), reduction);
  const along = input.shape.map((_, axis) => (axis === 1 ? -1 : 1));
  const factor = typeof alpha === 'number' || alpha.ndim === 0 ? alpha : alpha.reshape(along);
  return reduceLoss(each.mul(factor).sum(1), reduction);
}
