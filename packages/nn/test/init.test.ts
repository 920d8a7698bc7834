// nn.init from manualSeed(7) on [2, 3, 1, 2]: the first four values and the last of float64, as
// PyTorch 1.13 draws them.

import { eye, Generator, manualSeed, type Tensor, zeros } from '@voxgrad/core';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { numbersOf } from '../../core/test/support/numbers.js';
import { init } from '../src/index.js';

const ROWS: readonly (readonly [string, (t: Tensor) => Tensor, readonly number[]])[] = [
  [
    'uniform_',
    (t) => init.uniform_(t, -1, 2),
    [
      -0.16185871028078802, -0.17891885904470306, 1.5862788842528763, 0.9700652917646041,
      -0.8273325002108839,
    ],
  ],
  [
    'normal_',
    (t) => init.normal_(t, 1, 2),
    [
      0.7064098050300096, 2.5722825974470718, 2.893643218007913, -1.2286880425220614,
      1.2656139290630217,
    ],
  ],
  [
    'kaimingUniform_ for relu',
    (t) => init.kaimingUniform_(t, { nonlinearity: 'relu' }),
    [
      -0.441239140187192, -0.4526125726964687, 0.724185922835251, 0.31337686117640273,
      -0.8848883334739226,
    ],
  ],
  [
    'kaimingUniform_ by fanOut with a slope',
    (t) => init.kaimingUniform_(t, { a: 0.2, mode: 'fanOut' }),
    [
      -0.5299110667853931, -0.5435701174114224, 0.8697191612643151, 0.3763534366905784,
      -1.0627165137212964,
    ],
  ],
  [
    'kaimingNormal_',
    (t) => init.kaimingNormal_(t, { mode: 'fanOut', nonlinearity: 'relu' }),
    [
      -0.10379980887658041, 0.5558858432982116, 0.6695039803006555, -0.7879602140083611,
      0.09390870520903268,
    ],
  ],
  [
    'xavierUniform_',
    (t) => init.xavierUniform_(t, { gain: 2 }),
    [
      -0.6835647366559497, -0.7011843825350068, 1.1219040074795104, 0.4854813457691845,
      -1.3708631115190948,
    ],
  ],
  [
    'xavierNormal_',
    (t) => init.xavierNormal_(t),
    [
      -0.06564876334803153, 0.3515730767731589, 0.4234314960597147, -0.4983497963720271,
      0.059393080115572386,
    ],
  ],
];

describe('init', () => {
  it.each(ROWS)('%s', (_, fill, expected) => {
    manualSeed(7);
    const x = zeros([2, 3, 1, 2], { dtype: 'float64' }).requiresGrad_();
    expect(fill(x)).toBe(x);
    const drawn = numbersOf(x);
    expect([...drawn.slice(0, 4), drawn[drawn.length - 1]]).toEqual(expected);
    expect(x.isLeaf && x.requiresGrad).toBe(true);
  });

  it('constants', () => {
    const x = zeros([2]);
    expect(init.ones_(x).tolist()).toEqual([1, 1]);
    expect(init.constant_(x, 0.5).tolist()).toEqual([0.5, 0.5]);
    expect(init.zeros_(x).tolist()).toEqual([0, 0]);
  });

  it('gains', () => {
    const gains = (['linear', 'conv3d', 'sigmoid', 'tanh', 'relu', 'selu'] as const).map((n) =>
      init.calculateGain(n),
    );
    expect(gains).toEqual([1, 1, 1, 5 / 3, Math.SQRT2, 0.75]);
    expect(init.calculateGain('leakyRelu', 0.2)).toBe(1.3867504905630728);
    expect(init.calculateGain('leaky_relu')).toBe(1.4141428569978354);
    for (const n of ['conv1d', 'conv2d', 'convTranspose2d', 'conv_transpose3d'] as const)
      expect(init.calculateGain(n)).toBe(1);
  });

  it.each<[string, () => unknown]>([
    ['Unsupported nonlinearity gelu', () => init.calculateGain('gelu' as never)],
    ['Unsupported nonlinearity toString', () => init.calculateGain('toString' as never)],
    [
      "calculateGain(): expected a number for 'a', but got true",
      () => init.calculateGain('leakyRelu', true as unknown as number),
    ],
    [
      'Mode fan not supported, please use one of fanIn, fanOut',
      () => init.kaimingNormal_(zeros([3]), { mode: 'fan' as never }),
    ],
    [
      'Fan in and fan out can not be computed for tensor with fewer than 2 dimensions',
      () => init.kaimingUniform_(zeros([3])),
    ],
    ['Fan in and fan out can not be computed', () => init.xavierNormal_(zeros([]))],
    ['Only tensors with 2 dimensions are supported', () => init.eye_(zeros([2, 2, 2]))],
    ['Only tensors with 2 dimensions are supported', () => init.sparse_(zeros([2]), 0.5)],
    ['Only tensors with 3, 4, or 5 dimensions are supported', () => init.dirac_(zeros([2, 2]))],
    ['dim 0 must be divisible by groups', () => init.dirac_(zeros([3, 1, 1]), { groups: 2 })],
    ['dim 0 must be divisible by groups', () => init.dirac_(zeros([3, 1, 1]), 0)],
    ['Only tensors with 2 or more dimensions are supported', () => init.orthogonal_(zeros([3]))],
  ])('refuses: %s', (message, call) => {
    expect(call).toThrow(message);
  });

  it("takes PyTorch's spellings of the mode", () => {
    const draw = (mode: 'fanOut' | 'fan_out') => {
      manualSeed(3);
      return init.kaimingUniform_(zeros([3, 4]), { mode }).tolist();
    };
    expect(draw('fan_out')).toEqual(draw('fanOut'));
  });

  it.each<[string, (t: Tensor, generator: Generator) => Tensor]>([
    ['uniform_', (t, generator) => init.uniform_(t, 0, 1, { generator })],
    ['normal_', (t, generator) => init.normal_(t, 0, 1, { generator })],
    ['truncNormal_', (t, generator) => init.truncNormal_(t, 0, 1, -2, 2, { generator })],
    ['orthogonal_', (t, generator) => init.orthogonal_(t, { generator })],
    ['sparse_', (t, generator) => init.sparse_(t, 0.5, 1, { generator })],
    ['xavierUniform_', (t, generator) => init.xavierUniform_(t, { generator })],
    ['xavierNormal_', (t, generator) => init.xavierNormal_(t, { generator })],
    ['kaimingUniform_', (t, generator) => init.kaimingUniform_(t, { generator })],
    ['kaimingNormal_', (t, generator) => init.kaimingNormal_(t, { generator })],
  ])('%s draws from the generator that it is given', (_, fill) => {
    const [a, b, c] = [5, 5, 6].map((seed) => fill(zeros([6, 4]), new Generator(seed)).tolist());
    expect(a).toEqual(b);
    expect(a).not.toEqual(c);
  });

  it('orthogonal_: rows or columns of equal length, at right angles', () => {
    manualSeed(2);
    const sizes = fc.tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 }));
    fc.assert(
      fc.property(sizes, fc.double({ min: 0.1, max: 4, noNaN: true }), ([rows, length], gain) => {
        const x = init.orthogonal_(zeros([rows, length], { dtype: 'float64' }), gain);
        const few = rows < length ? x : x.transpose(0, 1);
        const products = few.matmul(few.transpose(0, 1)).div(gain * gain);
        const expected = eye(few.shape[0], { dtype: 'float64' });
        expect(products.allclose(expected, { rtol: 0, atol: 1e-13 })).toBe(true);
      }),
    );
    expect(init.orthogonal_(zeros([0, 3])).shape).toEqual([0, 3]);
  });

  it('sparse_: the same number of zeros in each column', () => {
    const zeroCounts = init
      .sparse_(zeros([10, 7]), 0.25)
      .eq(0)
      .sum(0);
    expect(zeroCounts.tolist()).toEqual(Array(7).fill(3n));
  });

  it('truncNormal_: stays within its bounds, and says when it cannot be right', () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const drawn = numbersOf(init.truncNormal_(zeros([1000]), 0, 1, -0.5, 1));
    expect(Math.min(...drawn)).toBeGreaterThanOrEqual(-0.5);
    expect(Math.max(...drawn)).toBeLessThanOrEqual(1);
    expect(warn).not.toHaveBeenCalled();
    init.truncNormal_(zeros([2]), 9);
    expect(warn.mock.calls[0][0]).toContain('mean is more than 2 std from [a, b]');
    warn.mockRestore();
  });

  it('leaves empty tensors alone, and the generator too', () => {
    manualSeed(1);
    init.kaimingUniform_(zeros([0, 3]));
    const after = init.uniform_(zeros([2])).tolist();
    manualSeed(1);
    expect(init.uniform_(zeros([2])).tolist()).toEqual(after);
  });
});
