// What a table of sample values does not show: kinks, extremes, derivatives of every order, writing
// in place, refusals. Values of PyTorch 1.13.

import { conv2d, gradcheck, gradgradcheck, ones, type Tensor, tensor, zeros } from '@voxgrad/core';
import { describe, expect, it } from 'vitest';
import { defined, filled } from '../../core/test/support/numbers.js';
import * as nn from '../src/index.js';
import { functional as F } from '../src/index.js';

type Activation = (x: Tensor) => Tensor;

/** Names of activations, and a few with options. */
const ACTIVATIONS: Record<string, Activation> = {
  relu6: F.relu6,
  elu: (x) => F.elu(x, 1.3),
  selu: F.selu,
  celu: (x) => F.celu(x, 0.7),
  gelu: (x) => F.gelu(x),
  'gelu by tanh': (x) => F.gelu(x, { approximate: 'tanh' }),
  leakyRelu: (x) => F.leakyRelu(x, 0.2),
  silu: F.silu,
  mish: F.mish,
  hardtanh: (x) => F.hardtanh(x, { minVal: -0.5, maxVal: 1.5 }),
  hardsigmoid: F.hardsigmoid,
  hardswish: F.hardswish,
  hardshrink: (x) => F.hardshrink(x, 0.3),
  softshrink: (x) => F.softshrink(x, 0.3),
  tanhshrink: F.tanhshrink,
  softplus: (x) => F.softplus(x, { beta: 2, threshold: 5 }),
  softsign: F.softsign,
  logsigmoid: F.logsigmoid,
  threshold: (x) => F.threshold(x, 0.1, 20),
  glu: (x) => F.glu(x),
  rrelu: (x) => F.rrelu(x),
};

const gradientAt = (f: Activation, at: readonly number[]) => {
  const x = tensor([...at], { dtype: 'float64', requiresGrad: true });
  f(x).sum().backward();
  return defined(x.grad).tolist();
};

describe.each(Object.entries(ACTIVATIONS))('%s', (name, f) => {
  it('has derivatives of first and second order', () => {
    const x = filled([3, 4], -4, 4).requiresGrad_();
    expect(gradcheck(f, [x])).toBe(true);
    expect(gradgradcheck(f, [x])).toBe(true);
  });

  it('has finite gradients at extreme inputs', () => {
    const x = tensor([-1e4, -300, 300, 1e4], { dtype: 'float32', requiresGrad: true });
    f(x).sum().backward();
    for (const g of defined(x.grad).tolist() as number[]) expect(Number.isFinite(g)).toBe(true);
  });

  it('carries NaN', () => {
    const y = f(tensor([Number.NaN, Number.NaN]));
    // PyTorch's softshrink makes 0 of it.
    const expected = name === 'softshrink' ? 0 : Number.NaN;
    for (const value of y.tolist() as number[]) expect(value).toBe(expected);
  });
});

describe('gradients at kinks', () => {
  it.each<[string, Activation, number[], number[]]>([
    ['relu', (x) => F.relu(x), [0], [0]],
    ['relu6', F.relu6, [0, 6], [0, 0]],
    ['elu', (x) => F.elu(x, 2), [0], [2]],
    ['leakyRelu', (x) => F.leakyRelu(x, 0.25), [0], [0.25]],
    ['prelu', (x) => F.prelu(x, tensor([0.25], { dtype: 'float64' })), [0], [0.25]],
    ['hardtanh', (x) => F.hardtanh(x), [-1, 1], [0, 0]],
    ['hardsigmoid', F.hardsigmoid, [-3, 3], [0, 0]],
    ['hardswish', F.hardswish, [-3, 3], [-0.5, 1.5]],
    ['hardshrink', (x) => F.hardshrink(x), [-0.5, 0.5], [0, 0]],
    ['softshrink', (x) => F.softshrink(x), [-0.5, 0.5], [0, 0]],
    ['threshold', (x) => F.threshold(x, 1, 5), [1], [0]],
    ['logsigmoid', F.logsigmoid, [0], [0.5]],
    ['softsign', F.softsign, [0], [1]],
  ])('%s', (_, f, at, expected) => {
    expect(gradientAt(f, at)).toEqual(expected);
  });
});

it('logsigmoid and softplus stay exact far out', () => {
  const x = tensor([-800, -40, 40, 800], { dtype: 'float64' });
  expect(F.logsigmoid(x).tolist()).toEqual([-800, -40, -Math.exp(-40), -0]);
  expect(F.softplus(x).tolist()).toEqual([0, Math.exp(-40), 40, 800]);
});

describe('inplace', () => {
  it('writes into the input and keeps the gradient right', () => {
    const leaf = tensor([-2, 1], { dtype: 'float64', requiresGrad: true });
    const x = leaf.mul(1);
    const y = new nn.ELU({ inplace: true }).call(x);
    expect(y).toBe(x);
    expect((x.tolist() as number[])[0]).toBeCloseTo(Math.expm1(-2), 12);
    y.sum().backward();
    expect((defined(leaf.grad).tolist() as number[])[0]).toBeCloseTo(Math.exp(-2), 12);
  });

  it('gives a new tensor where the tape does not allow the write', () => {
    const weight = ones([1, 1, 1, 1], { requiresGrad: true });
    const x = conv2d(tensor([[[[-1, 2]]]]), weight);
    const y = new nn.ReLU({ inplace: true }).call(x);
    expect(y.tolist()).toEqual([[[[0, 2]]]]);
    y.sum().backward();
    expect(weight.grad?.item()).toBe(2);
  });

  it('is an error in the forms with an underscore', () => {
    const leaf = tensor([1, 2], { requiresGrad: true });
    expect(() => F.elu_(leaf)).toThrow('a leaf Variable that requires grad');
    expect(() => F.elu_(leaf.reshape(2, 1))).toThrow('a view of a leaf Variable');
    const free = tensor([-1, 2]);
    expect(F.threshold_(free, 0, 7)).toBe(free);
    expect(F.leakyRelu_(F.relu_(free), 0.5).tolist()).toEqual([7, 2]);
  });

  it('is refused on a leaf that requires gradients', () => {
    const leaf = ones([1], { requiresGrad: true });
    expect(() => F.leakyRelu(leaf, { inplace: true })).toThrow(
      'a leaf Variable that requires grad is being used in an in-place operation (leaky_relu_)',
    );
  });
});

describe('refusals in the words of PyTorch', () => {
  const x = zeros([2, 3, 4]);
  it.each<[string, () => unknown]>([
    [
      'Mismatch of parameter numbers and input channel size. Found parameter numbers = 4 and channel size = 3.',
      () => F.prelu(x, ones([4])),
    ],
    ['Not allow zero-dim input tensor.', () => F.prelu(zeros([]), ones([4]))],
    ['Halving dimension must be even, but dimension 1 is size 3', () => F.glu(x, 1)],
    ['glu does not support scalars because halving size must be even', () => F.glu(zeros([]))],
    ['lambda must be greater or equal to 0, but found to be -1.', () => F.softshrink(x, -1)],
    [
      'approximate argument must be either none or tanh.',
      () => F.gelu(x, { approximate: 'erf' as 'none' }),
    ],
    ['alpha cannot be 0 for CELU', () => F.celu(x, 0)],
    [
      'Lower bound should be less than or equal to the upper bound',
      () => F.rrelu(x, { lower: 1, upper: 0.5 }),
    ],
    ['dropout probability has to be between 0 and 1, but got 1.5', () => F.dropout(x, 1.5)],
    ['dropout probability has to be between 0 and 1, but got 2', () => new nn.Dropout3d(2)],
    ['dropout1d: Expected 2D or 3D input, but received a 1D input.', () => F.dropout1d(zeros([3]))],
    [
      'Feature dropout requires at least 2 dimensions in the input',
      () => F.featureAlphaDropout(zeros([3]), { training: true }),
    ],
  ])('%s', (message, act) => {
    expect(act).toThrow(message);
  });
});

it('modules print their arguments', () => {
  const printed = [
    new nn.ELU(),
    new nn.LeakyReLU(0.2),
    new nn.ReLU({ inplace: true }),
    new nn.GELU({ approximate: 'tanh' }),
    new nn.Hardtanh(),
    new nn.Softplus(),
    new nn.Hardshrink(),
    new nn.Threshold(1, 2),
    new nn.GLU(),
    new nn.PReLU(3),
    new nn.Dropout3d(0.2),
    new nn.Softmax2d(),
  ].map(String);
  expect(printed).toEqual([
    'ELU(alpha=1)',
    'LeakyReLU(negativeSlope=0.2)',
    'ReLU(inplace=true)',
    "GELU(approximate='tanh')",
    'Hardtanh(minVal=-1, maxVal=1)',
    'Softplus(beta=1, threshold=20)',
    'Hardshrink(0.5)',
    'Threshold(threshold=1, value=2)',
    'GLU(dim=-1)',
    'PReLU(numParameters=3)',
    'Dropout3d(p=0.2, inplace=false)',
    'Softmax2d()',
  ]);
});
