// nn.init from manualSeed(7) on [2, 3, 1, 2]: the first four values and the last of float64, as
// PyTorch 1.13 draws them.

import { manualSeed, type Tensor, zeros } from '@voxgrad/core';
import { describe, expect, it } from 'vitest';
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
    expect(() => init.calculateGain('gelu' as never)).toThrow('Unsupported nonlinearity gelu');
  });

  it('needs two dims for a fan', () => {
    expect(() => init.kaimingUniform_(zeros([3]))).toThrow(
      'Fan in and fan out can not be computed for tensor with fewer than 2 dimensions',
    );
  });

  it('leaves empty tensors alone, and the generator too', () => {
    manualSeed(1);
    init.kaimingUniform_(zeros([0, 3]));
    const after = init.uniform_(zeros([2])).tolist();
    manualSeed(1);
    expect(init.uniform_(zeros([2])).tolist()).toEqual(after);
  });
});
