// Activations, distances and losses at kinks, at infinities and under infinite gradients. The values
// are those of PyTorch 1.13 in float64 (torch.autograd.grad, twice for the second derivative).

import { type DType, grad, ones, type Tensor, tensor, zeros, zerosLike } from '@voxgrad/core';
import { describe, expect, it } from 'vitest';
import { functional as F } from '../src/index.js';

const { NaN: nan, POSITIVE_INFINITY: inf } = Number;
type Map1 = (x: Tensor) => Tensor;

const leaf = (values: readonly number[]) =>
  tensor(Float64Array.from(values), { requiresGrad: true });

function plain(x: Tensor | null | undefined): number[] {
  if (!x) throw new Error('there is no gradient');
  return Array.from(x.to('float64').dataSync() as Float64Array, (v) => v + 0); // −0 counts as 0
}

const gradient = (f: Map1, x: Tensor) => grad(f(x).sum(), x, { createGraph: true })[0];

function derivatives(f: Map1, values: readonly number[]) {
  const x = leaf(values);
  const first = gradient(f, x);
  if (!first) throw new Error('there is no gradient');
  return { first: plain(first), second: plain(grad(first.sum(), x)[0]) };
}

describe('at 0 the exponential units have the slope from the left, the second derivative 0', () => {
  it.each<[string, Map1, number[], number[]]>([
    ['elu', (x) => F.elu(x, 2), [2, 1, 1], [0, 0, 0]],
    ['celu', (x) => F.celu(x, 2), [1, 1, 1], [0, 0, 0]],
  ])('%s, and NaN that of the line', (_, f, first, second) => {
    expect(derivatives(f, [0, 1, nan])).toEqual({ first, second });
  });

  it('selu', () => {
    expect(derivatives(F.selu, [0]).second).toEqual([0]);
    expect(derivatives(F.selu, [0]).first[0]).toBeCloseTo(1.7580993408473766, 14);
  });
});

describe('an infinite gradient passes a slope that is not 0', () => {
  it.each<[string, Map1]>([
    ['silu', F.silu],
    ['gelu', F.gelu],
    ['gelu with tanh', (x) => F.gelu(x, { approximate: 'tanh' })],
    ['mish', F.mish],
    ['hardswish', F.hardswish],
  ])('%s', (_, f) => {
    expect(plain(gradient((x) => f(x).sqrt(), leaf([0])))).toEqual([inf]);
    expect(plain(gradient((x) => f(x).log(), leaf([0])))).toEqual([inf]);
  });

  it('glu far out: the slope of the gate is 0', () => {
    const x = leaf([1e200, 1e200]);
    expect(plain(gradient((v) => F.glu(v).square(), x))).toEqual([2e200, 0]);
  });

  it('logsigmoid', () => {
    expect(plain(gradient((x) => F.logsigmoid(x).square(), leaf([-inf])))).toEqual([-inf]);
  });

  it('the weight of prelu does not see positive infinities', () => {
    const [x, weight] = [tensor([inf, -2, 3]), tensor([0.25], { requiresGrad: true })];
    expect(plain(grad(F.prelu(x, weight).sum(), weight)[0])).toEqual([-2]);
  });
});

describe('thresholds', () => {
  it('hardswish at ±3: the slope of the curve, the second derivative 0', () => {
    expect(derivatives(F.hardswish, [-3, 3])).toEqual({ first: [-0.5, 1.5], second: [0, 0] });
  });

  it('softplus at its threshold: the second derivative 0', () => {
    const { first, second } = derivatives((x) => F.softplus(x), [20, 21]);
    expect(first[0]).toBeCloseTo(0.9999999979388464, 15);
    expect([first[1], ...second]).toEqual([1, 0, 0]);
  });
});

describe('distances of 0', () => {
  const none = zeros([1, 2], { dtype: 'float64' });
  it.each<[string, Map1]>([
    ['normalize', (x) => F.normalize(x.reshape(1, 2))],
    ['pairwiseDistance', (x) => F.pairwiseDistance(x.reshape(1, 2), none, { eps: 0 })],
  ])('%s has no second derivative', (_, f) => {
    expect(derivatives(f, [0, 0]).second).toEqual([nan, nan]);
  });

  it('cosineSimilarity divides by the bounded length', () => {
    const { second } = derivatives(
      (x) => F.cosineSimilarity(x, ones([2], { dtype: 'float64' }), { dim: 0 }),
      [0, 0],
    );
    expect(second).toEqual([0, 0]);
  });

  it('pdist passes nothing back', () => {
    expect(plain(gradient((x) => F.pdist(x.reshape(2, 1)).sqrt(), leaf([3, 3])))).toEqual([0, 0]);
  });
});

describe('losses', () => {
  const against0 = (f: (x: Tensor, y: Tensor, o: { reduction: 'sum' }) => Tensor) => (x: Tensor) =>
    f(x, zerosLike(x.detach()), { reduction: 'sum' });

  it('smoothL1Loss and huberLoss of infinite differences', () => {
    const at = [inf, -inf, 0.5];
    expect(derivatives(against0(F.smoothL1Loss), at)).toEqual({
      first: [1, -1, 0.5],
      second: [0, 0, 1],
    });
    const huber = against0((x, y, o) => F.huberLoss(x, y, { ...o, delta: 3 }));
    expect(derivatives(huber, at)).toEqual({ first: [3, -3, 0.5], second: [0, 0, 1] });
  });

  it('klDiv has no gradient to a target of 0', () => {
    const g = gradient((t) => F.klDiv(zeros([1], { dtype: 'float64' }), t), leaf([0]));
    expect(plain(g)).toEqual([nan]);
  });

  it('binaryCrossEntropyWithLogits far to the left keeps its digits', () => {
    const g = gradient(against0(F.binaryCrossEntropyWithLogits), leaf([-40]));
    expect(plain(g)[0] / 4.248354255291589e-18).toBeCloseTo(1, 12);
  });

  it('binaryCrossEntropy refuses NaN', () => {
    expect(() => F.binaryCrossEntropy(tensor([nan]), tensor([1]))).toThrow('between 0 and 1');
  });

  it('multiMarginLoss does not count NaN', () => {
    const loss = F.multiMarginLoss(tensor([[nan, 0]]), tensor([0n]));
    expect(loss.item()).toBe(0);
  });

  it.each<[DType, DType]>([
    ['float32', 'float64'],
    ['float64', 'float32'],
  ])('of %s and %s have the dtype of PyTorch', (a, b) => {
    const [x, y] = [ones([2], { dtype: a }), ones([2], { dtype: b })];
    expect(F.huberLoss(x, y).dtype).toBe(a);
    expect(F.softMarginLoss(x, y).dtype).toBe(a);
    expect(F.mseLoss(x, y).dtype).toBe('float64');
    expect(F.binaryCrossEntropyWithLogits(x, y).dtype).toBe(b);
  });
});
