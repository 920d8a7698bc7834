// Derivatives where a formula would divide 0 by 0, or where several elements share a gradient.

import { describe, expect, it } from 'vitest';
import { grad, gradcheck, gradgradcheck, type Tensor, tensor } from '../src/index.js';
import { defined, numbersOf } from './support/numbers.js';

const leaf = (values: number[], shape = [values.length]) =>
  tensor(Float64Array.from(values), { shape, requiresGrad: true });
const positions = (...list: number[]) => tensor(list, { dtype: 'int64' });

/** The gradient of the sum of the squares of the outputs: its derivatives are of higher order. */
const gradientOf = (f: (x: Tensor) => Tensor) => (x: Tensor) =>
  defined(grad(f(x).square().sum(), [x], { createGraph: true })[0]);

describe('products through zeros, to the third order', () => {
  it.each<[string, (x: Tensor) => Tensor, number[], number[]]>([
    ['prod, one zero', (x) => x.prod(), [2, 0, 3, -1.5], [4]],
    ['prod, two zeros', (x) => x.prod(), [2, 0, 3, 0], [4]],
    ['prod over a dim', (x) => x.prod(0), [2, 0, 0, 0, 1, -1], [3, 2]],
    ['cumprod', (x) => x.cumprod(1), [2, 0, 3, 0, 1, 2, 0, 4], [2, 4]],
  ])('%s', (_, f, values, shape) => {
    const x = leaf(values, shape);
    expect(gradcheck(f, [x])).toBe(true);
    expect(gradgradcheck(f, [x])).toBe(true);
    expect(gradgradcheck(gradientOf(f), [x])).toBe(true);
  });

  it('scatterReduce', () => {
    const [x, y] = [leaf([1, 4, 2]), leaf([3, 0, 2, 0, 0])];
    x.scatterReduce(0, positions(0, 0, 1, 2, 2), y, 'prod')
      .sum()
      .backward();
    expect(x.grad?.tolist()).toEqual([0, 2, 0]); // [R]
    expect(y.grad?.tolist()).toEqual([0, 3, 4, 0, 0]); // [R]
  });
});

describe('gradients that PyTorch defines [R]', () => {
  it.each<[string, (x: Tensor) => Tensor, number[], number[]]>([
    ['norm at 0', (x) => x.norm(), [0, 0], [0, 0]],
    ['p-norm at 0', (x) => x.norm(3), [0, 0], [0, 0]],
    ['1-norm with a 0', (x) => x.norm(1), [0, 2], [0, 1]],
    ['largest magnitude, shared', (x) => x.norm(Infinity), [1, 3, -3], [0, 0.5, -0.5]],
    ['std of a constant', (x) => x.std(), [2, 2, 2], [0, 0, 0]],
    ['max, shared', (x) => x.max(), [1, 3, 3], [0, 0.5, 0.5]],
    ['max along a dim: the first', (x) => x.max(0).values, [1, 3, 3], [0, 1, 0]],
    ['median, shared', (x) => x.median(), [1, 3, 3], [0, 0.5, 0.5]],
    ['cummax: the last', (x) => x.cummax(0).values, [1, 3, 3, 2], [1, 1, 2, 0]],
    ['clamp at its bounds', (x) => x.clamp(1, 2), [NaN, 1, 2, 3], [0, 1, 1, 0]],
    ['nanToNum', (x) => x.nanToNum(), [NaN, -1, Infinity], [0, 1, 0]],
    ['sinc at 0', (x) => x.sinc(), [0, 1], [0, -1]],
    ['maximum with NaN', (x) => x.maximum(0), [NaN, 1, -1, 0], [1, 1, 0, 0.5]],
  ])('%s', (_, f, values, expected) => {
    const x = leaf(values);
    f(x).sum().backward();
    expect([...numbersOf(defined(x.grad))].map((v) => v + 0)).toEqual(expected);
  });
});

describe('an in-place form', () => {
  it('keeps what the derivative of its own operation needs', () => {
    const x = leaf([1, 2]);
    const y = x.mul(2);
    y.mul_(x).sigmoid_().clamp_(0.1, 0.9).abs_();
    const z = x.mul(2).mul(x).sigmoid().clamp(0.1, 0.9).abs();
    expect(y.tolist()).toEqual(z.tolist());
    expect(defined(grad(y.sum(), [x])[0]).tolist()).toEqual(
      defined(grad(z.sum(), [x])[0]).tolist(),
    );
  });

  it('is noticed by an operation that saved the tensor before', () => {
    const x = leaf([1, 2]);
    const y = x.mul(1);
    const z = y.sin();
    y.indexFill_(0, positions(1), 0);
    expect(() => z.sum().backward()).toThrow('modified by an inplace operation');
  });

  it('refuses a result of a higher kind [R]', () => {
    const whole = tensor([1n, 2n]);
    expect(() => whole.exp_()).toThrow("can't be cast to the desired output type");
    expect(() => whole.clamp_({ min: 0.5 })).toThrow("can't be cast");
    expect(() => whole.pow_(2).maskedFill_(whole.gt(1), 7)).not.toThrow();
    expect(whole.tolist()).toEqual([1n, 7n]);
  });
});

it("scatterReduce('prod') refuses its second derivative at a zero instead of giving a wrong one", () => {
  const base = tensor([2, 3], { dtype: 'float64', requiresGrad: true });
  const source = tensor([0, 5, 7], { dtype: 'float64', requiresGrad: true });
  const index = tensor([0n, 0n, 1n]);
  const y = base.scatterReduce(0, index, source, 'prod').sum();
  // y = 2·0·5 + 3·7, so d/dsource = [2·5, 2·0, 3]
  expect(grad(y, source, { retainGraph: true })[0]?.tolist()).toEqual([10, 0, 3]);
  expect(() => grad(y, source, { createGraph: true })).toThrow("scatterReduce('prod')");
});
