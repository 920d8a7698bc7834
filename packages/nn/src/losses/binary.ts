// Losses of yes-or-no decisions, one per element.

import {
  argumentError,
  broadcastShapes,
  checkCall,
  defineOp,
  dtypeError,
  formatShape,
  isFloat,
  onesLike,
  promoteTypes,
  sameShape,
  shapeError,
  type Tensor,
  torchName,
} from '@voxgrad/core';
import { logsigmoid } from '../activations/smooth.js';
import {
  BINARY_CROSS_ENTROPY,
  BINARY_CROSS_ENTROPY_WITH_LOGITS,
  LOSS,
  MULTILABEL_SOFT_MARGIN,
} from './option-tables.js';
import { type LossOptions, reduceLoss } from './reduction.js';

/** Options of {@link binaryCrossEntropy}. */
export interface BinaryCrossEntropyOptions extends LossOptions {
  /** A factor per element; broadcasts. */
  weight?: Tensor | null;
}

// The logarithms stop at −100 and the denominator of the derivative at 1e-12, as in PyTorch, so
// that certain but wrong answers have finite losses and gradients.
const LEAST_LOG = -100;
const LEAST_DENOMINATOR = 1e-12;

const boundedLog = (x: Tensor) => x.log().clamp({ min: LEAST_LOG });

const crossEntropyOp = defineOp({
  name: 'binaryCrossEntropy',
  forward: ([p, t]) =>
    t
      .sub(1)
      .mul(boundedLog(p.neg().add(1)))
      .sub(t.mul(boundedLog(p))),
  saves: { inputs: [0, 1] },
  backward: ([g], context) => {
    if (g === null) return [null, null];
    const p = context.input(0);
    const t = context.input(1);
    const rest = p.neg().add(1);
    return [
      context.needs[0] ? g.mul(p.sub(t)).div(p.mul(rest).clamp({ min: LEAST_DENOMINATOR })) : null,
      context.needs[1] ? g.mul(rest.log().sub(p.log())) : null,
    ];
  },
});

/** −(t·log p + (1 − t)·log(1 − p)) of probabilities `input`, with targets of 0 to 1. */
export function binaryCrossEntropy(
  input: Tensor,
  target: Tensor,
  options: BinaryCrossEntropyOptions = {},
): Tensor {
  checkCall('binaryCrossEntropy', { input, target }, options, BINARY_CROSS_ENTROPY);
  const { weight, reduction } = options;
  if (!sameShape(input.shape, target.shape))
    throw shapeError(
      `Using a target size (${torchSize(target)}) that is different to the input size (${torchSize(input)}) is deprecated. Please ensure they have the same size.`,
    );
  if (input.numel > 0 && input.device.capabilities.synchronous) {
    const x = input.detach();
    if (x.ge(0).logicalAnd(x.le(1)).all().item() === 0)
      // NaN is not between them either
      throw argumentError('all elements of input should be between 0 and 1');
  }
  const loss = crossEntropyOp([input, target.to(input.dtype)], undefined);
  return reduceLoss(weight ? loss.mul(weight).to(loss.dtype) : loss, reduction);
}

const torchSize = (x: Tensor) => `torch.Size(${formatShape(x.shape)})`;

/** Options of {@link binaryCrossEntropyWithLogits}. */
export interface BinaryCrossEntropyWithLogitsOptions extends BinaryCrossEntropyOptions {
  /** A factor on the positive part, per class; broadcasts. */
  posWeight?: Tensor | null;
}

/** (1 − t)·x − share·log(sigmoid(x)), as one operation since its two slopes may be ∞ − ∞ apart. */
const logitsOp = defineOp({
  name: 'binaryCrossEntropyWithLogits',
  forward: ([x, t, share]) => x.mul(t.neg().add(1)).sub(share.mul(logsigmoid(x))),
  saves: { inputs: [0, 1, 2] },
  backward: ([g], context) => {
    if (g === null) return [null, null, null];
    const [x, t, share] = [context.input(0), context.input(1), context.input(2)];
    return [
      context.needs[0] ? g.mul(share.mul(x.sigmoid()).sub(share.sub(1).add(t))) : null,
      context.needs[1] ? g.mul(x).neg() : null,
      context.needs[2] ? g.mul(logsigmoid(x)).neg() : null,
    ];
  },
});

/** {@link binaryCrossEntropy} of sigmoid(input), without its loss of accuracy. */
export function binaryCrossEntropyWithLogits(
  input: Tensor,
  target: Tensor,
  options: BinaryCrossEntropyWithLogitsOptions = {},
): Tensor {
  checkCall(
    'binaryCrossEntropyWithLogits',
    { input, target },
    options,
    BINARY_CROSS_ENTROPY_WITH_LOGITS,
  );
  const { weight, posWeight, reduction } = options;
  if (!sameShape(input.shape, target.shape))
    throw shapeError(
      `Target size (${torchSize(target)}) must be the same as input size (${torchSize(input)})`,
    );
  if (!isFloat(input.dtype) || !isFloat(target.dtype))
    throw dtypeError(
      `binaryCrossEntropyWithLogits(): input and target must have float dtypes, but got ${torchName(input.dtype)} and ${torchName(target.dtype)}`,
    );
  // PyTorch computes with both and writes into the dtype of the target.
  const dtype = promoteTypes(input.dtype, target.dtype);
  const [x, t] = [input.to(dtype), target.to(dtype)];
  const share = posWeight ? posWeight.sub(1).mul(t).add(1) : onesLike(t.detach());
  const shape = broadcastShapes(x.shape, share.shape);
  const loss = logitsOp(
    [x, t, share.to(dtype)].map((operand) => operand.expand(shape)),
    undefined,
  ).to(target.dtype);
  return reduceLoss(weight ? loss.mul(weight).to(loss.dtype) : loss, reduction);
}

/** log(1 + exp(−target·input)), target ±1. */
export const softMarginLoss = (
  input: Tensor,
  target: Tensor,
  options: LossOptions = {},
): Tensor => {
  checkCall('softMarginLoss', { input, target }, options, LOSS);
  return reduceLoss(logsigmoid(input.mul(target)).neg().to(input.dtype), options.reduction);
};

/** Options of {@link multilabelSoftMarginLoss}. */
export interface MultilabelSoftMarginOptions extends LossOptions {
  /** A factor per class. */
  weight?: Tensor | null;
}

/** Mean over the classes (the last dim) of the binary cross entropy of each with logits. */
export function multilabelSoftMarginLoss(
  input: Tensor,
  target: Tensor,
  options: MultilabelSoftMarginOptions = {},
): Tensor {
  checkCall('multilabelSoftMarginLoss', { input, target }, options, MULTILABEL_SOFT_MARGIN);
  const { weight, reduction } = options;
  const loss = target
    .mul(logsigmoid(input))
    .add(target.neg().add(1).mul(logsigmoid(input.neg())))
    .neg();
  return reduceLoss((weight ? loss.mul(weight) : loss).mean(-1), reduction);
}
