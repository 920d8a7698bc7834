// What the streams do not show: refusals, generators, gradients, and whether the numbers are
// distributed as they say.

import { describe, expect, it } from 'vitest';
import * as vg from '../src/index.js';
import { numbersOf } from './support/numbers.js';

const { full, ones, tensor, zeros } = vg;
const empty = (dtype: vg.DType, ...shape: number[]) => zeros(shape, { dtype });
const half = tensor([0.5, 0.5, 0.5]);

describe('PyTorch refuses, and so does this', () => {
  it.each<[string, () => unknown]>([
    ['exponential_ expects lambda >= 0.0, but found lambda=-2', () => zeros([3]).exponential_(-2)],
    ['exponential_ expects lambda >= 0.0, but found lambda=-1', () => zeros([0]).exponential_(-1)],
    ['geometric_ expects p to be in (0, 1), but got p=0', () => zeros([3]).geometric_(0)],
    ['geometric_ expects p to be in (0, 1), but got p=1', () => zeros([3]).geometric_(1)],
    ['log_normal_ expects std > 0.0, but found std=0', () => zeros([3]).logNormal_(0, 0)],
    ['normal expects std >= 0.0, but found std -1', () => zeros([0]).normal_(0, -1)],
    ['bernoulli_ expects p to be in [0, 1], but got p=2', () => zeros([3]).bernoulli_(2)],
    ['but got p=2', () => zeros([3]).bernoulli_(tensor([2, 0, 0]))],
    ['but got p=2', () => vg.bernoulli(tensor([2, 0, 0]))],
    ['floating-point', () => vg.bernoulli(empty('int64', 3))],
    ['floating-point', () => zeros([3]).bernoulli_(empty('int64', 3))],
    ['The expanded size of the tensor (3)', () => zeros([3]).bernoulli_(ones([2]))],
    ["'from' to be less than 'to', but got from=5 >= to=5", () => zeros([3]).random_(5, 5)],
    ["'from' to be less than 'to', but got from=0 >= to=0", () => vg.randint(0, [3])],
    ['to - 1 is out of bounds for int8', () => empty('int8', 3).random_(0, 300)],
    ['from is out of bounds for int8', () => empty('int8', 3).random_(-300, 3)],
    ['to - 1 is out of bounds for int8', () => vg.randint(0, 300, [3], { dtype: 'int8' })],
    ['to - 1 is out of bounds for float16', () => empty('float16', 3).random_(0, 1e6)],
    ['from=16777217 > to_inc=16777216', () => zeros([3]).random_(2 ** 24 + 1, null)],
    ['handles only int64', () => empty('int32', 3).random_(-(2n ** 63n), null)],
    ['64-bit integer', () => empty('int64', 3).random_(2n ** 70n)],
    ['out of bounds for float32', () => zeros([3]).uniform_(-1e39, 0)],
    ['exceed the limit', () => zeros([3]).uniform_(-3e38, 3e38)],
    ['expected a floating-point dtype', () => empty('int64', 3).uniform_()],
    ['expected a floating-point dtype', () => vg.randn([2], { dtype: 'int32' })],
    ['n cannot be greater than 255', () => vg.randperm(300, { dtype: 'uint8' })],
    ['n cannot be greater than 2049', () => vg.randperm(3000, { dtype: 'float16' })],
    ["not implemented for 'bool'", () => vg.randperm(2, { dtype: 'bool' })],
    ['negative dimension -1', () => vg.randperm(-1)],
    ['expected a list of sizes', () => vg.randint(1, 2, { dtype: 'int64' } as never)],
    ['expected a list of sizes', () => vg.normal(1, 2, {} as never)],
    ['normal expects all elements of std >= 0.0', () => vg.normal(ones([2]), tensor([1, -1]))],
    ['normal expects std >= 0.0, but found std -1', () => vg.normal(ones([2]), -1)],
    ['invalid Poisson rate', () => vg.poisson(tensor([1, -1]))],
    [
      'more than one element of the written-to tensor',
      () => zeros([1, 3]).expand([2, 3]).uniform_(),
    ],
    ['more than one element of the written-to tensor', () => zeros([1]).expand([2]).bernoulli_()],
    ['more than one element', () => zeros([1]).expand([3]).bernoulli_(half)],
  ])('%s', (message, call) => {
    expect(call).toThrow(message);
  });

  it.each<[string, vg.Tensor, number, boolean?]>([
    ['cannot sample n_sample > prob_dist.size(-1) samples without replacement', ones([3]), 5],
    ['cannot sample n_sample <= 0 samples', ones([3]), 0],
    ['probability tensor contains either `inf`, `nan` or element < 0', tensor([-1, 2]), 1],
    ['probability tensor contains either `inf`, `nan` or element < 0', tensor([Infinity, 2]), 1],
    ['(encountering probability entry < 0)', tensor([-1, 2]), 1, true],
    ['(encountering probability entry = infinity or NaN)', tensor([1, Infinity]), 1, true],
    ['(encountering probability entry = infinity or NaN)', tensor([1, NaN]), 1, true],
    ['(sum of probabilities <= 0)', zeros([3]), 1],
    ['(sum of probabilities <= 0)', tensor([1, 0]).diag(), 1],
    ['(sum of probabilities <= 0)', zeros([3]), 1, true],
    ['prob_dist must be 1 or 2 dim', ones([2, 2, 2]), 1],
    ['only supports floating-point dtypes for input, got: Long', empty('int64', 3), 1],
    ['cannot sample n_sample > prob_dist.size(-1)', zeros([0]), 1],
    ['number of categories cannot exceed 2^24', ones([1]).expand([2 ** 24 + 1]), 1],
  ])('multinomial: %s', (message, weights, count, replacement) => {
    vg.manualSeed(1);
    expect(() => vg.multinomial(weights, count, { replacement })).toThrow(message);
  });
});

type Draw = (options: { generator?: vg.Generator }) => vg.Tensor;

const DRAWS: Readonly<Record<string, Draw>> = {
  rand: (o) => vg.rand([4], o),
  randn: (o) => vg.randn([20], o),
  randLike: (o) => vg.randLike(half, o),
  randnLike: (o) => vg.randnLike(half, o),
  randint: (o) => vg.randint(1000, [4], o),
  randintLike: (o) => vg.randintLike(half, 5, 1000, o),
  randperm: (o) => vg.randperm(20, o),
  bernoulli: (o) => vg.bernoulli(full([30], 0.5), o),
  'bernoulli with p': (o) => zeros([30]).bernoulli(0.5, o),
  multinomial: (o) => vg.multinomial(ones([50]), 9, o),
  'multinomial with replacement': (o) => ones([50]).multinomial(9, { ...o, replacement: true }),
  normal: (o) => vg.normal(half, 2, o),
  'normal of a std': (o) => vg.normal(1, half, o),
  'normal of numbers': (o) => vg.normal(1, 2, [3], o),
  poisson: (o) => vg.poisson(full([9], 20), o),
  uniform_: (o) => zeros([4]).uniform_(0, 1, o),
  normal_: (o) => zeros([4]).normal_(0, 1, o),
  bernoulli_: (o) => zeros([30]).bernoulli_(0.5, o),
  'bernoulli_ of a tensor': (o) => zeros([9, 3]).bernoulli_(half, o),
  exponential_: (o) => zeros([4]).exponential_(1, o),
  geometric_: (o) => zeros([9]).geometric_(0.1, o),
  cauchy_: (o) => zeros([4]).cauchy_(0, 1, o),
  logNormal_: (o) => zeros([4]).logNormal_(1, 2, o),
  'random_ of nothing': (o) => zeros([4]).random_(o),
  'random_ up to': (o) => zeros([4]).random_(1000, o),
  'random_ from and to': (o) => zeros([4]).random_(5, 1000, o),
  'random_ from': (o) => zeros([4]).random_(5, null, o),
};

describe.each(Object.entries(DRAWS))('%s', (_, draw) => {
  it('draws from the generator that it is given, and from no other', () => {
    vg.manualSeed(5);
    const expected = draw({}).tolist();
    const before = vg.getRngState().dataSync();
    expect(draw({ generator: new vg.Generator(5) }).tolist()).toEqual(expected);
    expect(draw({ generator: new vg.Generator(6) }).tolist()).not.toEqual(expected);
    expect(vg.getRngState().dataSync()).toEqual(before);
  });
});

it('empty tensors draw nothing', () => {
  const generator = new vg.Generator(2);
  const before = generator.stateBytes();
  zeros([0]).normal_(0, 1, { generator }).random_({ generator }).geometric_(0.5, { generator });
  expect(vg.multinomial(ones([0, 3]), 2, { generator }).shape).toEqual([0, 2]);
  expect(vg.rand([2, 0], { generator }).shape).toEqual([2, 0]);
  expect(generator.stateBytes()).toEqual(before);
});

describe('gradients are zero', () => {
  it.each<[string, (x: vg.Tensor) => vg.Tensor]>([
    ['bernoulli', (x) => vg.bernoulli(x)],
    ['bernoulli with p', (x) => vg.bernoulli(x, 0.5)],
    ['poisson', (x) => vg.poisson(x)],
    ['normal of a mean', (x) => vg.normal(x, 2)],
    ['normal of a std', (x) => vg.normal(2, x)],
    ['normal of both', (x) => vg.normal(x.detach(), x)],
    ['bernoulli_ by the probabilities', (x) => zeros([2, 3]).bernoulli_(x)],
    ...(['exponential_', 'cauchy_', 'logNormal_', 'random_', 'bernoulli_'] as const).map(
      (name): [string, (x: vg.Tensor) => vg.Tensor] => [name, (x) => x.mul(1)[name]()],
    ),
    ['geometric_', (x) => x.mul(1).geometric_(0.5)],
  ])('%s', (_, draw) => {
    const x = half.clone().requiresGrad_();
    const y = draw(x);
    expect(y.requiresGrad).toBe(true);
    y.sum().backward();
    expect(x.grad?.tolist()).toEqual([0, 0, 0]);
  });

  it('indices have none', () => {
    expect(half.clone().requiresGrad_().multinomial(2).requiresGrad).toBe(false);
    expect(vg.normal(0, 1, [2], { requiresGrad: true }).isLeaf).toBe(true);
  });
});

describe('the numbers are distributed as they say', () => {
  const N = 20000;
  const moments = (x: vg.Tensor) => {
    const values = numbersOf(x);
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    const square = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
    return { mean, std: Math.sqrt(square) };
  };

  it.each<[string, () => vg.Tensor, number, number]>([
    ['exponential', () => empty('float64', N).exponential_(4), 1 / 4, 1 / 4],
    ['geometric', () => empty('int64', N).geometric_(0.25), 4, Math.sqrt(12)],
    ['log normal', () => empty('float64', N).logNormal_(0, 0.5), 1.1331, 0.6039],
    ['integers', () => empty('int16', N).random_(-5, 6), 0, Math.sqrt(10)],
    ['poisson, few', () => vg.poisson(full([N], 3)), 3, Math.sqrt(3)],
    ['poisson, many', () => vg.poisson(full([N], 50)), 50, Math.sqrt(50)],
    ['float16', () => vg.randn([N], { dtype: 'float16' }), 0, 1],
    ['bfloat16', () => vg.randn([N], { dtype: 'bfloat16' }), 0, 1],
  ])('%s', (_, draw, mean, std) => {
    vg.manualSeed(12);
    const found = moments(draw());
    expect(Math.abs(found.mean - mean)).toBeLessThan((5 * std) / Math.sqrt(N));
    expect(Math.abs(found.std / std - 1)).toBeLessThan(0.05);
  });

  it('cauchy: half of the numbers within sigma of the median', () => {
    vg.manualSeed(12);
    const values = numbersOf(empty('float64', N).cauchy_(3, 2));
    const near = values.filter((value) => Math.abs(value - 3) < 2).length;
    expect(Math.abs(near / N - 0.5)).toBeLessThan(0.02);
  });

  it.each([false, true])('multinomial, replacement %s: first draws by weight', (replacement) => {
    vg.manualSeed(12);
    const weights = tensor([1, 0, 3]).expand([N, 3]);
    const drawn = vg.multinomial(weights, 2, replacement);
    const counts = [0, 0, 0];
    for (const index of numbersOf(drawn.select(1, 0))) counts[index]++;
    expect(counts[1]).toBe(0);
    expect(Math.abs(counts[0] / N - 0.25)).toBeLessThan(0.02);
    if (!replacement) expect(numbersOf(drawn.sum(1)).every((sum) => sum === 2)).toBe(true); // 0 and 2
  });

  it('geometric: without any chance, as PyTorch', () => {
    const never = 1e-17; // 1 - p is 1
    expect(empty('float64', 1).geometric_(never).item()).toBe(-Infinity);
    expect(empty('int64', 1).geometric_(never).item<bigint>()).toBe(-(2n ** 63n));
  });
});
