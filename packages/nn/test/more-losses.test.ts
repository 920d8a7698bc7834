// Losses beyond those of losses.test.ts: definitions of segmentation, and refusals.

import { gradcheck, gradgradcheck, ones, type Tensor, tensor, zeros } from '@voxgrad/core';
import { describe, expect, it } from 'vitest';
import { expectClose, filled } from '../../core/test/support/numbers.js';
import * as nn from '../src/index.js';
import { functional as F } from '../src/index.js';

const f64 = { dtype: 'float64' } as const;
const exact = { smoothNr: 0, smoothDr: 0 };

describe('diceLoss', () => {
  // One sample, two classes, four places.
  const p = tensor(
    [
      [
        [1, 0.5, 0, 0.5],
        [0, 0.5, 1, 0.5],
      ],
    ],
    f64,
  );
  const classes = tensor([[0n, 0n, 1n, 1n]]);

  it('is 1 − 2·Σpt / (Σp + Σt)', () => {
    // Both classes: Σpt = 1.5, Σp = 2, Σt = 2.
    expect(F.diceLoss(p, classes, exact).item()).toBeCloseTo(1 - 3 / 4, 12);
  });

  it('squares, turns to Jaccard, leaves out the background, sums over the batch', () => {
    const none = { ...exact, reduction: 'none' } as const;
    // Σp² = 1.5
    expectClose(
      F.diceLoss(p, classes, { ...none, squaredPred: true }),
      tensor([[1 - 3 / 3.5, 1 - 3 / 3.5]], f64),
      1e-12,
    );
    expectClose(
      F.diceLoss(p, classes, { ...none, jaccard: true }),
      tensor([[1 - 3 / 5, 1 - 3 / 5]], f64),
      1e-12,
    );
    expect(F.diceLoss(p, classes, { ...none, includeBackground: false }).shape).toEqual([1, 1]);
    expect(F.diceLoss(p, classes, { ...none, batch: true }).shape).toEqual([2]);
  });

  it('applies a softmax or sigmoid first, and refuses both', () => {
    const x = filled([2, 3, 2, 2]);
    const target = zeros([2, 2, 2], { dtype: 'int64' });
    expectClose(F.diceLoss(x, target, { softmax: true }), F.diceLoss(x.softmax(1), target), 1e-15);
    expectClose(F.diceLoss(x, target, { sigmoid: true }), F.diceLoss(x.sigmoid(), target), 1e-15);
    expect(() => F.diceLoss(x, target, { softmax: true, sigmoid: true })).toThrow('only one of');
  });

  it('is 0 for a perfect answer', () => {
    const hot = F.oneHot(classes, 2).permute(0, 2, 1).to('float64');
    expect(F.diceLoss(hot, classes).item()).toBeCloseTo(0, 12);
  });
});

describe('focalLoss', () => {
  const x = filled([2, 3, 2]);
  const classes = tensor([
    [0n, 2n],
    [1n, 1n],
  ]);
  const hot = F.oneHot(classes, 3).permute(0, 2, 1).to('float64');

  it('is cross entropy at gamma 0', () => {
    expectClose(F.focalLoss(x, hot, { gamma: 0 }), F.binaryCrossEntropyWithLogits(x, hot), 1e-14);
    expectClose(
      F.focalLoss(x, classes, { gamma: 0, softmax: true }),
      F.crossEntropy(x, classes),
      1e-14,
    );
  });

  it('plays down what is classified well', () => {
    const p = 0.9;
    const logit = tensor([Math.log(p / (1 - p))], f64);
    const expected = -((1 - p) ** 2) * Math.log(p) * 0.25;
    expect(F.focalLoss(logit, ones([1], f64), { alpha: 0.25 }).item()).toBeCloseTo(expected, 12);
    const negative = -(p ** 2) * Math.log(1 - p) * 0.75;
    expect(F.focalLoss(logit, zeros([1], f64), { alpha: 0.25 }).item()).toBeCloseTo(negative, 12);
  });

  it('takes a weight per class', () => {
    const options = { softmax: true, reduction: 'none' } as const;
    const plain = F.focalLoss(x, classes, options);
    const weighted = F.focalLoss(x, classes, { ...options, alpha: tensor([1, 2, 3], f64) });
    expectClose(weighted, plain.mul(classes.add(1)), 1e-14);
    expectClose(F.focalLoss(x, hot, options), plain, 1e-14);
  });
});

describe('derivatives of every order', () => {
  const classes = tensor([
    [0n, 2n],
    [1n, 1n],
  ]);
  const rows: [string, (x: Tensor) => Tensor][] = [
    ['dice', (x) => F.diceLoss(x, classes, { softmax: true, squaredPred: true })],
    ['focal', (x) => F.focalLoss(x, classes, { softmax: true, alpha: 0.3 })],
    ['focal with sigmoid', (x) => F.focalLoss(x, zeros([2, 3, 2], f64), { gamma: 1.5 })],
    ['ctc', (x) => F.ctcLoss(x.logSoftmax(2), tensor([[1n], [2n]]), [2, 1], [1, 1])],
  ];
  it.each(rows)('%s', (name, f) => {
    const x = filled(name === 'ctc' ? [2, 2, 3] : [2, 3, 2]).requiresGrad_();
    expect(gradcheck(f, [x])).toBe(true);
    expect(gradgradcheck(f, [x])).toBe(true);
  });
});

it('binary cross entropy of certain but wrong answers is finite, with its gradient', () => {
  const p = tensor([0, 1], { ...f64, requiresGrad: true });
  const loss = F.binaryCrossEntropy(p, tensor([1, 0], f64), { reduction: 'sum' });
  expect(loss.item()).toBe(200);
  loss.backward();
  expect(p.grad?.tolist()).toEqual([-1e12, 1e12]);
});

it('weights are buffers: they move with the loss', () => {
  const loss = new nn.NLLLoss({ weight: ones([3]) }).double();
  expect(loss.weight?.dtype).toBe('float64');
  expect(loss.call(ones([1, 3], f64), tensor([0n])).item()).toBe(-1);
});

describe('refusals in the words of PyTorch', () => {
  const x = ones([2]);
  const logP = zeros([3, 2, 4]);
  const targets = ones([2, 2], { dtype: 'int64' });
  it.each<[string, () => unknown]>([
    ['all elements of input should be between 0 and 1', () => F.binaryCrossEntropy(x.mul(2), x)],
    [
      'Using a target size (torch.Size([3])) that is different to the input size (torch.Size([2])) is deprecated.',
      () => F.binaryCrossEntropy(x, ones([3])),
    ],
    [
      'Target size (torch.Size([3])) must be the same as input size (torch.Size([2]))',
      () => F.binaryCrossEntropyWithLogits(x, ones([3])),
    ],
    [
      'smooth_l1_loss does not support negative values for beta.',
      () => F.smoothL1Loss(x, x, { beta: -1 }),
    ],
    [
      'huber_loss does not support non-positive values for delta.',
      () => F.huberLoss(x, x, { delta: 0 }),
    ],
    ['var has negative entry/entries', () => F.gaussianNllLoss(x, x, x.neg())],
    ['var is of incorrect size', () => F.gaussianNllLoss(x, x, ones([3]))],
    [
      'margin_ranking_loss : All input tensors should have same dimension but got sizes: input1: torch.Size([2]), input2: torch.Size([2]), target: torch.Size([2, 1]) ',
      () => F.marginRankingLoss(x, x, ones([2, 1])),
    ],
    [
      '1D target tensor expects 2D input tensors, but found inputs with sizes [2] and [2].',
      () => F.cosineEmbeddingLoss(x, x, x),
    ],
    ['only p == 1 and p == 2 supported', () => F.multiMarginLoss(x, zeros([]), { p: 3 as 1 })],
    [
      'inconsistent target size, got: [1]',
      () => F.multiMarginLoss(ones([2, 2]), zeros([1], { dtype: 'int64' })),
    ],
    [
      "inconsistent size [1, 2] for argument #2 'target'",
      () => F.multilabelMarginLoss(ones([2, 2]), zeros([1, 2], { dtype: 'int64' })),
    ],
    [
      'All inputs should have same dimension but got 1D, 1D and 2D inputs.',
      () => F.tripletMarginLoss(x, x, ones([2, 1])),
    ],
    ['input_lengths must be of size batch_size', () => F.ctcLoss(logP, targets, [3], [2, 2])],
    [
      'Expected input_lengths to have value at most 3, but got value 4',
      () => F.ctcLoss(logP, targets, [4, 3], [2, 2]),
    ],
    [
      "Expected tensor to have size at least 3 at dimension 1, but got size 2 for argument #2 'targets'",
      () => F.ctcLoss(logP, targets, [3, 3], [3, 2]),
    ],
    ['blank must be in label range', () => F.ctcLoss(logP, targets, [3, 3], [2, 2], { blank: 4 })],
    ['foo is not a valid value for reduction', () => F.klDiv(x, x, { reduction: 'foo' as 'mean' })],
  ])('%s', (message, act) => {
    expect(act).toThrow(message);
  });
});
