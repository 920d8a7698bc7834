// Where PyTorch's resampling has corners of its own: numbers taken from PyTorch 1.13. The ordinary
// cases are in test/parity.

import { describe, expect, it } from 'vitest';
import * as vg from '../src/index.js';
import { expectClose, filled, numbersOf, thrownBy } from './support/numbers.js';

const f64 = (list: vg.NestedList) => vg.tensor(list, { dtype: 'float64', device: 'cpu' });
const int = (list: vg.NestedList) => vg.tensor(list, { dtype: 'int64', device: 'cpu' });
const list = (x: vg.Tensor) => [...numbersOf(x)];

/** 1, 2, 3, … in row-major order. */
const counting = (...shape: number[]) => {
  const data = Float64Array.from({ length: vg.numelOf(shape) }, (_, i) => i + 1);
  return vg.fromHost(data, 'float64', shape, { device: 'cpu' });
};

describe('gridSample of what is not a number', () => {
  const { NaN: nan, POSITIVE_INFINITY: inf } = Number;
  const image = counting(1, 1, 4, 4);
  const volume = counting(1, 1, 4, 4, 4);
  it.each([
    // mode, padding, x of the grid, image, volume (null: not in PyTorch)
    ['bilinear', 'zeros', nan, nan, 0],
    ['bilinear', 'zeros', inf, nan, 0],
    ['bilinear', 'zeros', 1e30, 0, 0],
    ['bilinear', 'border', nan, 7.8, 41.2],
    ['bilinear', 'border', inf, 10.8, 41.2],
    ['bilinear', 'border', -inf, 7.8, 38.2],
    ['bilinear', 'reflection', nan, 7.8, 41.2],
    ['bilinear', 'reflection', inf, 7.8, 41.2],
    ['nearest', 'zeros', nan, 0, 0],
    ['nearest', 'border', nan, 9, 44],
    ['nearest', 'border', inf, 12, 44],
    ['nearest', 'reflection', nan, 9, 44],
    ['bicubic', 'zeros', nan, nan, null],
    ['bicubic', 'border', nan, nan, null],
    ['bicubic', 'border', 1e30, 10.632, null],
  ] as const)('%s, %s, %d', (mode, paddingMode, x, ofImage, ofVolume) => {
    const options = { mode, paddingMode };
    expectClose(vg.gridSample(image, f64([[[[x, 0.1]]]]), options), f64([[[[ofImage]]]]), 1e-12);
    if (ofVolume === null) return;
    const sampled = vg.gridSample(volume, f64([[[[[x, 0.1, 0.2]]]]]), options);
    expectClose(sampled, f64([[[[[ofVolume]]]]]), 1e-12);
  });
});

it('gridSample: halves go to the even element of an image and away from zero in a volume', () => {
  const options = { mode: 'nearest', paddingMode: 'border', alignCorners: true } as const;
  const places = [1.5, 2.5].map((at) => (2 * at) / 3 - 1);
  const image = vg.gridSample(counting(1, 1, 1, 4), f64([[places.map((x) => [x, 0])]]), options);
  const grid = f64([[[places.map((x) => [x, 0, 0])]]]);
  const volume = vg.gridSample(counting(1, 1, 1, 1, 4), grid, options);
  expect(list(image)).toEqual([3, 3]);
  expect(list(volume)).toEqual([3, 4]);
});

it('gridSample: the nearest element does not move with the grid, whose gradient is 0', () => {
  const grid = f64([[[[0.3, -0.2]]]]).requiresGrad_();
  vg.gridSample(counting(1, 1, 3, 3), grid, { mode: 'nearest' })
    .sum()
    .backward();
  expect(grid.grad && list(grid.grad)).toEqual([0, 0]);
});

describe('interpolate', () => {
  it('one channel has its scale in float32', () => {
    const index = (channels: number) =>
      list(vg.interpolate(counting(1, 1, 1, 26).expand(1, channels, 1, 26), { size: [1, 22] }))[11];
    expect([index(1), index(2)]).toEqual([13, 14]);
  });

  it('positions follow the given factor, or with recomputeScaleFactor the sizes', () => {
    const x = counting(1, 1, 6);
    const run = (mode: 'nearest' | 'linear', recomputeScaleFactor: boolean) =>
      list(vg.interpolate(x, { scaleFactor: 0.6, mode, recomputeScaleFactor }));
    expect(run('nearest', false)).toEqual([1, 2, 4]);
    expect(run('nearest', true)).toEqual([1, 3, 5]);
    expectClose(f64(run('linear', false)), f64([4 / 3, 3, 14 / 3]), 1e-15);
    expect(run('linear', true)).toEqual([1.5, 3.5, 5.5]);
  });

  it('an infinity meets a weight of 0', () => {
    const x = f64([[[1, Number.POSITIVE_INFINITY, 2]]]);
    const run = (size: number) => list(vg.interpolate(x, { size, mode: 'linear' }));
    expect(run(3)).toEqual([1, Number.NaN, 2]);
    expect(run(5)).toEqual([Number.NaN, Infinity, Infinity, Infinity, 2]);
  });
});

describe('pooling', () => {
  it('the last NaN of a window is its maximum', () => {
    const { output, indices } = vg.adaptiveMaxPool1dWithIndices(
      f64([[[Number.NaN, 1, Number.NaN, 2]]]),
      1,
    );
    expect([list(output), list(indices)]).toEqual([[Number.NaN], [2]]);
  });

  it('int64 is divided toward zero', () => {
    const x = int([[[-3, -2, 2, 3, 7, 8]]]);
    expect(vg.avgPool1d(x, 2)).toMatchObject({ dtype: 'int64' });
    expect(list(vg.avgPool1d(x, 2))).toEqual([-2, 2, 7]);
  });

  it('of values with one index the last stays, and each gets the gradient of the place', () => {
    const x = counting(1, 1, 3).requiresGrad_();
    const y = vg.maxUnpool1d(x, int([[[2, 2, 5]]]), 2);
    y.backward(counting(1, 1, 6));
    expect(list(y)).toEqual([0, 0, 2, 0, 0, 3]);
    expect(x.grad && list(x.grad)).toEqual([3, 3, 6]);
  });
});

it('circular padding repeats what cropping leaves', () => {
  const y = vg.pad(counting(1, 1, 4), [-1, 2], { mode: 'circular' });
  expect(list(y)).toEqual([2, 3, 4, 2, 3]);
});

it('fold is the adjoint of unfold', () => {
  const options = { padding: [1, 0], stride: [2, 1], dilation: [1, 2] };
  const x = filled([2, 3, 5, 6]);
  const columns = vg.unfold(x, [2, 3], options);
  const g = filled(columns.shape, -1, 3);
  const image = vg.fold(g, [5, 6], [2, 3], options);
  expectClose(columns.mul(g).sum(), image.mul(x).sum(), 1e-12);
});

describe('refusals in the words of PyTorch', () => {
  const zeros = (...shape: number[]) => vg.zeros(shape, { device: 'cpu' });
  it.each<[string, () => unknown, string]>([
    [
      'pool stride',
      () => vg.avgPool2d(zeros(1, 4, 4), 2, { stride: 0 }),
      'stride should not be zero',
    ],
    [
      'pool padding',
      () => vg.avgPool2d(zeros(1, 4, 4), 2, { padding: -1 }),
      'pad must be non-negative, but got pad: -1',
    ],
    [
      'pool sizes',
      () => vg.maxPool2d(zeros(1, 4, 4), [2, 2, 2]),
      'max_pool2d: kernel_size must either be a single int, or a tuple of two ints',
    ],
    [
      'pool dilation',
      () => vg.maxPool3d(zeros(1, 4, 4, 4), 2, { dilation: 0 }),
      'dilation should be greater than zero, but got dilationT: 0 dilationH: 0 dilationW: 0',
    ],
    [
      'pool rank',
      () => vg.avgPool2d(zeros(1, 1, 3, 4, 5), 2),
      'Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but got:[1, 1, 3, 4, 5]',
    ],
    [
      'pool window',
      () => vg.maxPool2d(zeros(1, 4, 4), 5),
      'Given input size: (1x4x4). Calculated output size: (1x0x0). Output size is too small',
    ],
    [
      'adaptive size',
      () => vg.adaptiveAvgPool2d(zeros(1, 4, 4), -1),
      'adaptive_avg_pool2d: elements of output_size must be greater than or equal to 0 but received {-1, -1}',
    ],
    [
      'adaptive rank',
      () => vg.adaptiveAvgPool3d(zeros(3, 4), 2),
      'adaptive_avg_pool3d(): Expected 4D or 5D tensor, but got [3, 4]',
    ],
    [
      'unpool size',
      () => vg.maxUnpool1d(zeros(1, 2), int([[0, 2]]), 2, { outputSize: [7] }),
      'invalid output_size "(7)" (dim 0 must be between 2 and 6)',
    ],
    [
      'unpool indices',
      () => vg.maxUnpool2d(zeros(1, 1, 2), zeros(1, 1, 2), 2),
      'elements in indices should be type int64 but got: Float',
    ],
    [
      'antialias',
      () => vg.interpolate(zeros(1, 1, 4), { size: 3, antialias: true }),
      'Anti-alias option is only supported for bilinear and bicubic modes',
    ],
    [
      'recompute',
      () => vg.interpolate(zeros(1, 1, 4), { size: 3, recomputeScaleFactor: true }),
      'recompute_scale_factor is not meaningful with an explicit size.',
    ],
    [
      'empty size',
      () => vg.interpolate(zeros(1, 1, 4, 4), { scaleFactor: 0.1 }),
      'Input and output sizes should be greater than 0, but got input (H: 4, W: 4) output (H: 0, W: 0)',
    ],
    [
      'padding mode',
      () => vg.gridSample(zeros(1, 1, 2, 2), zeros(1, 1, 1, 2), { paddingMode: 'wrap' as never }),
      "nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or 'reflection', but got: 'wrap'",
    ],
    ['unfold step', () => zeros(4).unfold(0, 2, 0), 'step is 0 but must be > 0'],
    [
      'blocks',
      () => vg.unfold(zeros(1, 4, 4), 5),
      'calculated shape of the array of sliding blocks as (0, 0), but its components must be at least one.',
    ],
    [
      'columns',
      () => vg.fold(zeros(1, 4, 8), 4, 2),
      "expected size of input's dimension 2 to match the calculated number of sliding blocks 3 * 3 = 9, but got input.size(2)=8.",
    ],
    [
      'rows',
      () => vg.fold(zeros(1, 3, 9), 4, 2),
      "Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got input.size(1)=3 and kernel_size=(2, 2).",
    ],
    [
      'groups',
      () => vg.channelShuffle(zeros(1, 6, 2), 4),
      'Number of channels must be divisible by groups. Got 6 channels and 4 groups.',
    ],
    [
      'pad value',
      () => vg.pad(zeros(1, 4), [1, 1], { mode: 'reflect', value: 1 }),
      'Padding mode "reflect" doesn\'t take in value argument',
    ],
    [
      'pad rank',
      () => vg.pad(zeros(4), [1, 1], { mode: 'replicate' }),
      'Only 2D, 3D, 4D, 5D padding with non-constant padding are supported for now',
    ],
  ])('%s', (_, call, text) => {
    const error = thrownBy(call);
    expect(error).toBeInstanceOf(vg.VoxgradError);
    expect(error.message).toContain(text);
  });
});
