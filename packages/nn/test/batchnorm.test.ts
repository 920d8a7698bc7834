// Batch norm: outputs, gradients and running statistics. The numbers are PyTorch 1.13's, in float64:
// three training batches filled([2, 2, 1, 2, 3])·(i + 1) + i, then one in evaluation.

import { gradcheck, gradgradcheck, type Tensor, tensor, zeros } from '@voxgrad/core';
import { describe, expect, it } from 'vitest';
import { defined, filled, numbersOf, thrownBy } from '../../core/test/support/numbers.js';
import * as nn from '../src/index.js';

const SHAPE = [2, 2, 1, 2, 3];
const weighted = (x: Tensor) =>
  x
    .mul(filled(SHAPE, 0.5, 1.5))
    .sum()
    .item();

interface Expected {
  readonly momentum: number | null;
  readonly mean: number[];
  readonly variance: number[];
  readonly trained: number;
  readonly evaluated: number;
  readonly gradient: number;
}

const EXPECTED: readonly Expected[] = [
  {
    momentum: 0.1,
    mean: [0.18434499999999995, 0.3713449999999999],
    variance: [2.716795454545455, 2.5542500000000006],
    trained: 18.863784977382018,
    evaluated: 14.834752899192509,
    gradient: -2.7024216684646705,
  },
  {
    momentum: null,
    mean: [0.6233333333333331, 1.2899999999999996],
    variance: [6.917508417508417, 6.351851851851852],
    trained: 18.863784977382018,
    evaluated: 14.407345923717767,
    gradient: -5.885288637128799,
  },
  {
    momentum: 0.5,
    mean: [0.8497916666666664, 1.5581249999999995],
    variance: [8.463068181818182, 7.78125],
    trained: 18.863784977382018,
    evaluated: 13.753533501624243,
    gradient: -6.542922633683283,
  },
];

function closeTo(got: readonly number[], expected: readonly number[]): void {
  expect(got.length).toBe(expected.length);
  got.forEach((x, i) => {
    expect(x).toBeCloseTo(expected[i], 12);
  });
}

describe.each(EXPECTED)('momentum $momentum', ({ momentum, ...expected }) => {
  const layer = new nn.BatchNorm3d(2, { momentum, dtype: 'float64' });
  layer.weight?.detach().copy_(tensor([1.5, -0.5]));
  layer.bias?.detach().copy_(tensor([0.25, 1]));

  it('normalises with the batch and folds it into the running statistics', () => {
    let y = zeros([]);
    for (let i = 0; i < 3; i++)
      y = layer.call(
        filled(SHAPE)
          .mul(i + 1)
          .add(i),
      );
    closeTo([weighted(y)], [expected.trained]);
    closeTo([...numbersOf(defined(layer.runningMean))], expected.mean);
    closeTo([...numbersOf(defined(layer.runningVar))], expected.variance);
    expect(layer.numBatchesTracked?.item()).toBe(3n);
  });

  it('in evaluation uses the running statistics and leaves them', () => {
    layer.eval();
    const x = filled(SHAPE).requiresGrad_();
    const y = layer.call(x);
    y.square().sum().backward();
    closeTo([weighted(y), weighted(defined(x.grad))], [expected.evaluated, expected.gradient]);
    expect(layer.numBatchesTracked?.item()).toBe(3n);
  });
});

describe('derivatives', () => {
  it.each([true, false])('of every order, training %s', (training) => {
    const state = { runningMean: filled([2]), runningVar: filled([2], 0.5, 1) };
    const fn = (x: Tensor, weight: Tensor, bias: Tensor) =>
      nn.functional.batchNorm(x, { ...state, weight, bias, training });
    const leaves = () =>
      [filled([3, 2, 2]), filled([2], 0.5, 1), filled([2])].map((t) => t.requiresGrad_());
    expect(gradcheck(fn, leaves())).toBe(true);
    expect(gradgradcheck(fn, leaves())).toBe(true);
  });
});

describe('sizes', () => {
  it.each([
    [
      'one value per channel',
      [1, 2, 1, 1, 1],
      'Expected more than 1 value per channel when training',
    ],
    ['another rank', [1, 2, 1, 1], 'expected 5D input (got 4D input'],
    ['other channels', [2, 3, 1, 1, 1], 'running_mean should contain 3 elements not 2'],
  ])('refuses %s in the words of PyTorch', (_, shape, text) => {
    expect(thrownBy(() => new nn.BatchNorm3d(2).call(zeros(shape))).message).toContain(text);
  });

  it('takes an empty batch, in evaluation and in training (pytorch#12013)', () => {
    const layer = new nn.BatchNorm3d(2);
    expect(layer.call(zeros([0, 2, 1, 1, 1])).shape).toEqual([0, 2, 1, 1, 1]);
    expect(layer.eval().call(zeros([0, 2, 1, 1, 1])).shape).toEqual([0, 2, 1, 1, 1]);
  });

  it('BatchNorm1d takes 2 and 3 dims, BatchNorm2d 4', () => {
    expect(new nn.BatchNorm1d(2).call(filled([3, 2]).to('float32')).shape).toEqual([3, 2]);
    expect(new nn.BatchNorm1d(2).call(filled([3, 2, 4]).to('float32')).shape).toEqual([3, 2, 4]);
    expect(() => new nn.BatchNorm1d(2).call(zeros([2]))).toThrow('expected 2D or 3D input');
    expect(new nn.BatchNorm2d(2).call(filled([3, 2, 2, 2]).to('float32')).ndim).toBe(4);
  });
});
