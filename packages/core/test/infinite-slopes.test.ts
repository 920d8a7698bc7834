// Derivatives at kinks and poles, where 0 meets ∞ on the way back. The values are those of PyTorch
// 1.13 in float64 (torch.autograd.grad, twice for the second derivative) unless a comment says
// otherwise.

import { describe, expect, it } from 'vitest';
import * as vg from '../src/index.js';
import { defined, numbersOf } from './support/numbers.js';

const { NaN: nan, POSITIVE_INFINITY: inf } = Number;
type Map1 = (x: vg.Tensor) => vg.Tensor;

const leaf = (values: readonly number[]) =>
  vg.tensor(Float64Array.from(values), { requiresGrad: true });
const plain = (x: vg.Tensor) => [...numbersOf(x)].map((v) => v + 0); // −0 counts as 0

function derivatives(f: Map1, values: readonly number[]) {
  const x = leaf(values);
  const first = defined(vg.grad(f(x).sum(), x, { createGraph: true })[0]);
  const second = defined(vg.grad(first.sum(), x)[0]);
  return { first: plain(first), second: plain(second) };
}

describe('what has no second derivative says NaN, not 0', () => {
  it.each<[string, Map1, number[], number[], number[]]>([
    ['norm at 0', (x) => x.norm(), [0, 0], [0, 0], [nan, nan]],
    ['3-norm at 0, of which PyTorch says 0', (x) => x.norm(3), [0, 0], [0, 0], [0, 0]],
    ['1.5-norm at 0', (x) => x.norm(1.5), [0, 0], [0, 0], [nan, nan]],
    ['dist of equal vectors', (x) => vg.dist(x, vg.zerosLike(x)), [0, 0], [0, 0], [nan, nan]],
    ['3-norm', (x) => x.norm(3), [0, 2], [0, 1], [0, 0]],
    ['2-norm', (x) => x.norm(), [0, 2], [0, 1], [0.5, 0]],
  ])('%s', (_, f, at, first, second) => {
    expect(derivatives(f, at)).toEqual({ first, second });
  });

  it('a distance of 0 in cdist: PyTorch has no second derivative there', () => {
    expect(derivatives((x) => vg.cdist(x.reshape(1, 2), vg.zeros([1, 2])), [0, 0])).toEqual({
      first: [0, 0],
      second: [nan, nan],
    });
  });
});

describe('an infinite gradient does not meet a slope of 0', () => {
  it.each<[string, Map1, number[], number[]]>([
    ['frac', (x) => x.frac().sqrt(), [0, 0.25], [inf, 1]],
    ['std of a constant', (x) => x.mul(0).std().sqrt(), [1, 2], [0, 0]],
    ['3-norm', (x) => x.mul(0).norm(3).sqrt(), [1, 2], [0, 0]],
    ['1.5-norm', (x) => x.norm(1.5).log(), [0, 0], [0, 0]],
    ['cdist', (x) => vg.cdist(x.reshape(2, 1), x.reshape(2, 1)).sqrt(), [1, 5], [-0.5, 0.5]],
    ['max', (x) => x.max().sqrt(), [0, -1], [inf, 0]],
    ['min', (x) => x.min().log(), [0, 1], [inf, 0]],
    ['median', (x) => x.median().sqrt(), [-1, 0, 1], [0, inf, 0]],
    ['xlogy, unused', (x) => x.xlogy(vg.zerosLike(x)).log(), [1, 2], [0, 0]],
    ['cumprod of an infinite one', (x) => x.cumprod(0), [inf, 1], [2, inf]],
    ['prod of a NaN', (x) => x.prod(), [nan, 2], [2, nan]],
  ])('%s', (_, f, at, first) => {
    // The first of cumprod and of prod, where PyTorch divides ∞ by ∞, are the products of the others.
    const x = leaf(at);
    expect(plain(defined(vg.grad(f(x).sum(), x)[0]))).toEqual(first);
  });
});

describe('the second derivative of |f|, where the slope of f is infinite', () => {
  it('is that of f', () => {
    expect(derivatives((x) => x.log().abs(), [0])).toEqual({ first: [-inf], second: [inf] });
    expect(derivatives((x) => x.square().abs(), [inf]).second).toEqual([2]);
    expect(derivatives((x) => x.abs(), [0, 3]).second).toEqual([0, 0]);
  });
});

describe('bounds and truncated quotients', () => {
  it('fmod(2, x) at 0 has the second derivative 0', () => {
    expect(derivatives((x) => vg.fullLike(x.detach(), 2).fmod(x), [0]).second).toEqual([0]);
  });

  it('a lower bound that equals the upper one gets nothing', () => {
    const [x, low, high] = [leaf([1, 1]), leaf([2, 0.5]), leaf([2, 3])];
    const gradients = vg.grad(x.clamp(low, high).sum(), [x, low, high]);
    expect(gradients.map((g) => plain(defined(g)))).toEqual([
      [0, 1],
      [0, 0],
      [0, 0],
    ]);
  });

  it('half powers of −∞ are those of the root', () => {
    expect(plain(leaf([-inf]).pow(0.5))).toEqual([nan]);
    expect(plain(leaf([4]).pow(-0.5))).toEqual([0.5]);
  });

  it('quantiles of infinite elements', () => {
    expect(leaf([inf]).quantile(0.4).item()).toBeNaN();
    expect(leaf([1, inf, 2]).quantile(0.5).item()).toBe(2);
  });

  it('variance of one element along a dim', () => {
    const x = leaf([3]);
    expect(plain(defined(vg.grad(x.var(0), x)[0]))).toEqual([nan]);
  });

  it('trigamma close to 0 from the left', () => {
    expect(derivatives((x) => x.lgamma(), [-1e-30]).second[0] / 1e60).toBeCloseTo(1, 12);
  });

  it('trigamma of a large number is not 0', () => {
    // d/dx exp ψ(x) tends to 1
    expect(derivatives((x) => x.digamma().exp(), [1e200]).first[0]).toBeCloseTo(1, 12);
  });
});

describe('dtypes of addcmul and addcdiv come of all three', () => {
  const whole = vg.tensor([1n, 2n]);
  const half = vg.tensor(0.5, { dtype: 'float64' });
  const single = vg.ones([2]);
  it.each<[string, vg.Tensor, vg.Tensor, vg.Tensor, vg.DType]>([
    ['a 0-d float64 among integers', whole, half, whole, 'float64'],
    ['as the base', half, whole, half, 'float64'],
    ['with a float32', half, half, single, 'float32'],
    ['and integers', single, half, whole, 'float32'],
  ])('%s', (_, x, a, b, dtype) => {
    expect(vg.addcmul(x, a, b).dtype).toBe(dtype);
    expect(vg.addcdiv(x, a, b).dtype).toBe(dtype);
  });
});

describe('nothing, single elements and NaN', () => {
  it('the triangle of [0] is itself; of [3] there is none', () => {
    expect([vg.zeros([0]).tril().shape, vg.zeros([2, 0, 3]).triu().shape]).toEqual([
      [0],
      [2, 0, 3],
    ]);
    expect(() => vg.zeros([3]).tril()).toThrow('at least 2 dimensions');
  });

  it.each<[vg.DType, unknown]>([
    ['float32', nan],
    ['int64', -(2n ** 63n)],
    ['int32', -(2 ** 31)],
    ['uint8', 0],
  ])('the median of no %s', (dtype, value) => {
    expect(vg.zeros([0], { dtype }).median().item()).toEqual(value);
  });

  it('the median of no bool is true, of some is refused', () => {
    expect(Boolean(vg.zeros([0], { dtype: 'bool' }).median().item())).toBe(true);
    expect(() => vg.zeros([1], { dtype: 'bool' }).median()).toThrow('not implemented');
  });

  it('indexSelect of a 0-d tensor stays 0-d, and takes a 0-d index', () => {
    const [scalar, row] = [vg.tensor(5), vg.arange(3)];
    const two = scalar.indexSelect(0, vg.tensor([0n, 0n]));
    expect([two.shape, two.item()]).toEqual([[], 5]);
    expect(row.indexSelect(0, vg.tensor(1, { dtype: 'int64' })).shape).toEqual([1]);
    expect(() => scalar.indexSelect(0, vg.tensor([1n]))).toThrow();
  });

  it('histc counts NaN in the first bin of a range that is given', () => {
    const x = vg.tensor([1, nan, 2]);
    expect(x.histc(4, { min: 0, max: 3 }).tolist()).toEqual([1, 1, 1, 0]);
    expect(() => x.histc(4)).toThrow('is not finite');
  });
});

describe('erfinv in single precision', () => {
  // torch.erfinv of float32, whose rounding is part of what truncNormal_ draws
  it.each([
    [0.7640416622161865, 0.8380272388458252],
    [-0.9501780271530151, -1.3869824409484863],
    [-0.9915217161178589, -1.8613911867141724],
    [0.5087438821792603, 0.4867103397846222],
    [1.3002377999866363e-38, 1.1523056638346404e-38],
    [-1, -inf],
  ])('%d', (y, x) => {
    expect(vg.tensor([y]).erfinv().item()).toBe(x);
  });
});
