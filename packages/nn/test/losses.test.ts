// Losses in every variant. The numbers are PyTorch 1.13's, in float64, on filled(…): the loss, and
// ⟨gradient of its sum, filled(shape, 0.5, 1.5)⟩.

import {
  gradcheck,
  gradgradcheck,
  type NestedList,
  type Tensor,
  tensor,
  zeros,
} from '@voxgrad/core';
import { describe, expect, it, vi } from 'vitest';
import { defined, filled, thrownBy } from '../../core/test/support/numbers.js';
import * as nn from '../src/index.js';

const F = nn.functional;
const labels = (list: NestedList) => tensor(list, { dtype: 'int64' });

const scores = () => filled([2, 3, 4]);
const target = labels([
  [0, 1, 2, 1],
  [2, 2, 0, 1],
]);
const holes = labels([
  [0, 1, -100, 1],
  [2, -100, 0, 1],
]);
const soft = filled([2, 3, 4], 0, 1);
const weight = tensor([0.5, 2, 1.25], { dtype: 'float64' });
const smooth = { labelSmoothing: 0.3, weight };

type Row = readonly [
  title: string,
  input: Tensor,
  target: Tensor,
  options: Parameters<typeof F.crossEntropy>[2],
  loss: NestedList,
  gradient: number,
];

const ROWS: readonly Row[] = [
  ['plain', scores(), target, {}, 1.3979163453845964, 0.14095801996744795],
  ['sum', scores(), target, { reduction: 'sum' }, 11.183330763076771, 1.1276641597395836],
  [
    'none',
    scores(),
    target,
    { reduction: 'none' },
    [
      [3.771001713167244, 1.2416012389630557, 1.9082679056297223, 0.43766837983391066],
      [1.9082679056297223, 0.09998780859367193, 0.5749345722963889, 1.2416012389630557],
    ],
    1.1276641597395836,
  ],
  ['weight', scores(), target, { weight }, 1.2009641286575121, 0.08943076960273395],
  [
    'weight, sum',
    scores(),
    target,
    { weight, reduction: 'sum' },
    12.910364383068256,
    0.9613807732293893,
  ],
  ['ignored', scores(), holes, {}, 1.5291791748088963, 0.16012405917180783],
  [
    'ignored, none',
    scores(),
    holes,
    { reduction: 'none' },
    [
      [3.771001713167244, 1.2416012389630557, 0, 0.43766837983391066],
      [1.9082679056297223, 0, 0.5749345722963889, 1.2416012389630557],
    ],
    0.9607443550308471,
  ],
  ['ignoreIndex 2', scores(), target, { ignoreIndex: 2 }, 1.453361428644731, 0.14500205139152691],
  ['smoothing', scores(), target, { labelSmoothing: 0.1 }, 1.40624967871793, 0.14304135330078127],
  [
    'smoothing, none',
    scores(),
    target,
    { labelSmoothing: 0.1, reduction: 'none' },
    [
      [3.5710017131672442, 1.2416012389630557, 1.8416012389630556, 0.571001713167244],
      [1.8416012389630556, 0.2999878085936719, 0.6416012389630557, 1.2416012389630557],
    ],
    1.1443308264062502,
  ],
  ['smoothing, weight, ignored', scores(), holes, smooth, 1.2328102377602819, 0.09087161760933281],
  [
    'smoothing, weight, ignored, sum',
    scores(),
    holes,
    { ...smooth, reduction: 'sum' },
    10.170684461522326,
    0.7496908452769963,
  ],
  [
    'smoothing, weight, ignored, none',
    scores(),
    holes,
    { ...smooth, reduction: 'none' },
    [
      [1.7339762420462517, 2.2538421991594237, 0, 1.0268613742051913],
      [2.1853348820371528, 0, 0.716827564914882, 2.2538421991594237],
    ],
    0.7496908452769963,
  ],
  ['probabilities', scores(), soft, {}, 1.4751387928370718, 0.057221904151],
  ['probabilities, sum', scores(), soft, { reduction: 'sum' }, 11.801110342696575, 0.457775233208],
  [
    'probabilities, none',
    scores(),
    soft,
    { reduction: 'none' },
    [
      [1.182855843429296, 1.8528038483947844, 0.7664027643021107, 1.846981485867012],
      [1.076803074042875, 0.9040551652597827, 2.6288046227466944, 1.5424035386540205],
    ],
    0.457775233208,
  ],
  [
    'probabilities, weight, smoothing',
    scores(),
    soft,
    { weight, labelSmoothing: 0.2 },
    1.8973931682865146,
    0.10393037101813364,
  ],
  ['no batch', filled([3]), labels(1), {}, 0.2874924964872894, -0.10066009106548252],
  ['[N, C]', filled([4, 3]), labels([0, 2, 1, 1]), {}, 1.530613620511042, 0.1949379003100315],
  [
    '[N, C, D, H, W]',
    filled([1, 2, 2, 1, 3]),
    labels([[[[0, 1, 1]], [[1, 0, 0]]]]),
    {},
    1.4602613443763055,
    0.27373187232227447,
  ],
  ['everything ignored, sum', scores(), target.mul(0).sub(100), { reduction: 'sum' }, 0, 0],
  ['everything ignored: 0 / 0', scores(), target.mul(0).sub(100), {}, Number.NaN, 0],
  ['an empty batch', zeros([0, 3], { dtype: 'float64' }), labels([]), {}, Number.NaN, 0],
];

const flat = (list: NestedList): number[] => [list].flat(9).map(Number);

describe('crossEntropy', () => {
  it.each(ROWS)('%s', (_, input, goal, options, loss, gradient) => {
    const x = input.detach().requiresGrad_();
    const got = F.crossEntropy(x, goal, options);
    flat(got.tolist()).forEach((value, i) => {
      if (Number.isNaN(flat(loss)[i])) expect(value).toBeNaN();
      else expect(value).toBeCloseTo(flat(loss)[i], 13);
    });
    expect(flat(got.tolist()).length).toBe(flat(loss).length);
    got.sum().backward();
    const along = defined(x.grad)
      .mul(filled(x.shape, 0.5, 1.5))
      .sum()
      .item();
    expect(along).toBeCloseTo(gradient, 13);
  });

  it('has derivatives of every order, through scores and probabilities', () => {
    const options = { weight, labelSmoothing: 0.2 };
    const hard = (x: Tensor) => F.crossEntropy(x, holes, options);
    const both = (x: Tensor, t: Tensor) => F.crossEntropy(x, t, options);
    expect(gradgradcheck(hard, scores().requiresGrad_())).toBe(true);
    const leaves = [scores(), filled([2, 3, 4], 0, 1)].map((t) => t.requiresGrad_());
    expect(gradcheck(both, leaves)).toBe(true);
  });

  const x = zeros([2, 3]);
  it.each([
    [
      'a class beyond the last',
      () => F.crossEntropy(x, labels([0, 3])),
      'Target 3 is out of bounds',
    ],
    ['a negative class', () => F.crossEntropy(x, labels([0, -1])), 'Target -1 is out of bounds'],
    [
      'int32 targets',
      () => F.crossEntropy(x, labels([0, 1]).to('int32')),
      'expected scalar type Long but found',
    ],
    [
      'other sizes',
      () => F.crossEntropy(zeros([2, 3, 4]), zeros([2, 5], { dtype: 'int64' })),
      'Expected target size [2, 4], got [2, 5]',
    ],
    [
      'smoothing beyond 1',
      () => F.crossEntropy(x, labels([0, 1]), { labelSmoothing: 2 }),
      'label_smoothing must be between 0.0 and 1.0. Got: 2',
    ],
    [
      'an unknown reduction',
      () => F.crossEntropy(x, labels([0, 1]), { reduction: 'avg' as never }),
      'avg is not a valid value for reduction',
    ],
  ])('refuses %s in the words of PyTorch', (_, fn, text) => {
    expect(thrownBy(fn).message).toContain(text);
  });
});

describe('mseLoss', () => {
  const [a, b] = [filled([2, 3]), filled([2, 3], 0, 1)];

  it('mean, sum, none', () => {
    expect(F.mseLoss(a, b).item()).toBeCloseTo(1.0483916666666666, 14);
    expect(F.mseLoss(a, b, { reduction: 'sum' }).item()).toBeCloseTo(6.29035, 13);
    expect(F.mseLoss(a, b, { reduction: 'none' }).shape).toEqual([2, 3]);
  });

  it('broadcasts with a warning, once for the same sizes', () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const row = zeros([3], { dtype: 'float64' });
    for (const loss of [F.mseLoss(a, row), F.mseLoss(a, row)])
      expect(loss.item()).toBeCloseTo(a.square().mean().item() as number, 14);
    expect(warn.mock.calls).toEqual([
      [expect.stringContaining('likely lead to incorrect results')],
    ]);
    expect(() => F.mseLoss(a, zeros([4], { dtype: 'float64' }))).toThrow('must match the size');
    warn.mockRestore();
  });
});

describe('loss modules', () => {
  it('pass their options on', () => {
    const loss = new nn.CrossEntropyLoss({ weight, labelSmoothing: 0.3 });
    expect(loss.call(scores(), holes).item()).toBeCloseTo(1.2328102377602819, 13);
    expect(
      new nn.MSELoss({ reduction: 'sum' }).call(filled([2, 3]), zeros([2, 3], { dtype: 'float64' }))
        .shape,
    ).toEqual([]);
  });
});
