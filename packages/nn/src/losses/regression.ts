// Distances between an estimate and a value.

import {
  argumentError,
  checkCall,
  defineOp,
  dtypeError,
  formatShape,
  isFloat,
  noGrad,
  sameShape,
  shapeError,
  type Tensor,
  torchName,
  where,
} from '@voxgrad/core';
import { GAUSSIAN_NLL, HUBER, LOSS, POISSON_NLL, SMOOTH_L1 } from './option-tables.js';
import { expectSameSize, type LossOptions, reduceLoss } from './reduction.js';

/** (input − target)² */
export function mseLoss(input: Tensor, target: Tensor, options: LossOptions = {}): Tensor {
  checkCall('mseLoss', { input, target }, options, LOSS);
  expectSameSize('mseLoss', input, target);
  const difference = input.sub(target);
  return reduceLoss(difference.mul(difference), options.reduction);
}

/** |input − target| */
export function l1Loss(input: Tensor, target: Tensor, options: LossOptions = {}): Tensor {
  checkCall('l1Loss', { input, target }, options, LOSS);
  expectSameSize('l1Loss', input, target);
  return reduceLoss(input.sub(target).abs(), options.reduction);
}

interface Bent {
  /** Where the parabola meets the line. */
  readonly bend: number;
  /** Of the line. */
  readonly steepness: number;
}

/** A parabola up to ±bend, lines beyond; as one operation, since ∞ on the parabola gives NaN. */
const bentOp = defineOp<Bent>({
  name: 'smoothL1Loss',
  forward: ([d], { bend, steepness }) => {
    const size = d.abs();
    const near = d.mul(d).mul((0.5 * steepness) / bend);
    return where(size.lt(bend), near, size.sub(0.5 * bend).mul(steepness));
  },
  saves: { inputs: [0] },
  backward: ([g], context) => {
    if (g === null) return [null];
    const [d, { bend, steepness }] = [context.input(0), context.options];
    const far = d.abs().ge(bend);
    const line = where(d.le(-bend), -steepness, where(far, steepness, 0)).to(d.dtype);
    // NaN has a gradient, NaN, but no second derivative [PyTorch].
    const inside = where(d.abs().lt(bend), d, where(far, 0, d.detach()));
    return [g.mul(where(far, line, inside.mul(steepness / bend)))];
  },
});

/**
 * |d| with PyTorch's slope at 0, which is −1 for the input and for the target, whose difference `e`
 * is the other way round.
 */
const flatOp = defineOp({
  name: 'smoothL1Loss',
  forward: ([d]) => d.abs(),
  saves: { inputs: [0, 1] },
  backward: ([g], context) => {
    if (g === null) return [null, null];
    const slope = (d: Tensor) => where(d.le(0), -1, where(d.gt(0), 1, Number.NaN)).to(d.dtype);
    return [0, 1].map((i) => (context.needs[i] ? g.mul(slope(context.input(i))) : null));
  },
});

/** Options of {@link smoothL1Loss}. */
export interface SmoothL1Options extends LossOptions {
  /** Where the parabola meets the line. */
  beta?: number;
}

/** d² / (2·beta) where |d| < beta, else |d| − beta / 2, with d = input − target. */
export function smoothL1Loss(input: Tensor, target: Tensor, options: SmoothL1Options = {}): Tensor {
  checkCall('smoothL1Loss', { input, target }, options, SMOOTH_L1);
  const { beta = 1, reduction } = options;
  if (beta < 0) throw argumentError('smooth_l1_loss does not support negative values for beta.');
  expectSameSize('smoothL1Loss', input, target);
  const loss =
    beta === 0
      ? flatOp([input.sub(target.detach()), target.sub(input.detach())], undefined)
      : bentOp([input.sub(target)], { bend: beta, steepness: 1 });
  return reduceLoss(loss, reduction);
}

/** Options of {@link huberLoss}. */
export interface HuberOptions extends LossOptions {
  /** Where the parabola meets the line. */
  delta?: number;
}

/** d² / 2 where |d| < delta, else delta·(|d| − delta / 2), with d = input − target. */
export function huberLoss(input: Tensor, target: Tensor, options: HuberOptions = {}): Tensor {
  checkCall('huberLoss', { input, target }, options, HUBER);
  const { delta = 1, reduction } = options;
  if (delta <= 0) throw argumentError('huber_loss does not support non-positive values for delta.');
  expectSameSize('huberLoss', input, target);
  if (!isFloat(input.dtype))
    throw dtypeError(`huber_loss: expected a float input, but got ${torchName(input.dtype)}`);
  const loss = bentOp([input.sub(target)], { bend: delta, steepness: delta });
  return reduceLoss(loss.to(input.dtype), reduction); // PyTorch writes into the dtype of the input
}

/** Options of {@link poissonNllLoss}. */
export interface PoissonNllOptions extends LossOptions {
  /** Whether the input is the logarithm of the rate (the default). */
  logInput?: boolean;
  /** Adds Stirling's approximation of log(target!) where target > 1. */
  full?: boolean;
  /** Keeps log(input) finite, when the input is the rate. */
  eps?: number;
}

/** Negative log likelihood of counts: exp(input) − target·input, or input − target·log(input + eps). */
export function poissonNllLoss(
  input: Tensor,
  target: Tensor,
  options: PoissonNllOptions = {},
): Tensor {
  checkCall('poissonNllLoss', { input, target }, options, POISSON_NLL);
  const { logInput = true, full = false, eps = 1e-8, reduction } = options;
  const loss = logInput
    ? input.exp().sub(target.mul(input))
    : input.sub(target.mul(input.add(eps).log()));
  return reduceLoss(full ? loss.add(logFactorial(target)) : loss, reduction);
}

/** log(n!) ≈ n·log n − n + log(2πn) / 2 where n > 1, else 0. */
function logFactorial(n: Tensor): Tensor {
  const small = n.le(1);
  const safe = where(small, 1, n);
  const stirling = safe
    .mul(safe.log())
    .sub(safe)
    .add(
      safe
        .mul(2 * Math.PI)
        .log()
        .mul(0.5),
    );
  return where(small, 0, stirling);
}

/** Options of {@link gaussianNllLoss}. */
export interface GaussianNllOptions extends LossOptions {
  /** Adds the constant log(2π) / 2. */
  full?: boolean;
  /** Smallest variance. */
  eps?: number;
}

/**
 * (log variance + (input − target)² / variance) / 2. `variance` has the size of the input, or
 * size 1 (or nothing) in place of its last dim.
 */
export function gaussianNllLoss(
  input: Tensor,
  target: Tensor,
  variance: Tensor,
  options: GaussianNllOptions = {},
): Tensor {
  checkCall('gaussianNllLoss', { input, target, variance }, options, GAUSSIAN_NLL);
  const { full = false, eps = 1e-6, reduction } = options;
  const bounded = fittingVariance(variance, input).clone();
  if (bounded.device.capabilities.synchronous && bounded.lt(0).any().item() !== 0)
    throw argumentError('var has negative entry/entries');
  // PyTorch keeps the bound out of the derivative.
  noGrad(() => bounded.clamp_({ min: eps }));
  const d = input.sub(target);
  const loss = bounded.log().add(d.mul(d).div(bounded)).mul(0.5);
  return reduceLoss(full ? loss.add(0.5 * Math.log(2 * Math.PI)) : loss, reduction);
}

function fittingVariance(variance: Tensor, input: Tensor): Tensor {
  if (sameShape(variance.shape, input.shape)) return variance;
  const outer = input.shape.slice(0, -1);
  if (sameShape(variance.shape, outer)) return variance.unsqueeze(-1);
  if (sameShape(variance.shape, [...outer, 1])) return variance;
  throw shapeError(
    `var is of incorrect size: ${formatShape(variance.shape)} for input ${formatShape(input.shape)}`,
  );
}
