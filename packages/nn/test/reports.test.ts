// Networks in which other frameworks returned gradients of wrong shape or value; the numbers are
// those of the reports.

import { gradcheck, maxPool3d, pad, type Tensor } from '@voxgrad/core';
import { describe, expect, it } from 'vitest';
import { defined, filled, numbersOf } from '../../core/test/support/numbers.js';
import * as nn from '../src/index.js';

const dtype = 'float64';

const NETWORKS: Readonly<Record<string, { build: () => nn.Module; input: readonly number[] }>> = {
  'candle#1212: kernel 7, stride 2, padding 3, then kernel 3, stride 2': {
    build: () =>
      new nn.Sequential(
        new nn.Conv3d(1, 2, 7, { stride: 2, padding: 3, dtype }),
        new nn.Conv3d(2, 2, 3, { stride: 2, padding: 1, dtype }),
        new nn.BatchNorm3d(2, { dtype }),
      ),
    input: [1, 1, 8, 9, 7],
  },
  'burn#4799: asymmetric padding, batch norm, convolution': {
    build: () =>
      new (class Padded extends nn.Module {
        norm = new nn.BatchNorm3d(2, { dtype });
        conv = new nn.Conv3d(2, 1, 2, { dtype });
        forward(x: Tensor): Tensor {
          return this.conv.call(this.norm.call(pad(x, [1, 0, 0, 2, 3, 1])));
        }
      })(),
    input: [1, 2, 2, 3, 2],
  },
  "even kernels with padding 'same', chained": {
    build: () =>
      new nn.Sequential(
        new nn.Conv3d(1, 2, [2, 4, 2], { padding: 'same', dtype }),
        new nn.Tanh(),
        new nn.Conv3d(2, 1, [4, 2, 2], { padding: 'same', dilation: [1, 3, 1], dtype }),
      ),
    input: [2, 1, 3, 4, 2],
  },
  'mlx#2184: groups 2, stride 2, an unused tail': {
    build: () => new nn.Conv3d(4, 6, [3, 2, 3], { groups: 2, stride: 2, dtype }),
    input: [2, 4, 6, 5, 4],
  },
};

describe.each(Object.entries(NETWORKS))('%s', (_, { build, input }) => {
  it('gradients have the shapes of their parameters, and are the differences', () => {
    const model = build() as nn.Module & { forward(x: Tensor): Tensor };
    const x = filled(input, -1, 1).requiresGrad_();
    const run = () => model.call(x).sin();
    run().sum().backward();
    for (const [name, p] of model.namedParameters())
      expect(defined(p.grad, name).shape).toEqual(p.shape);
    expect(defined(x.grad).shape).toEqual(x.shape);
    expect(gradcheck(run, [x, ...model.parameters()], { fastMode: true })).toBe(true);
  });
});

it('pytorch#171520: pooling treats each sample of a batch alike', () => {
  const x = filled([3, 2, 4, 5, 3]).requiresGrad_();
  const run = (input: Tensor) => maxPool3d(input, 2, { stride: 1 }).square().sum().backward();
  run(x);
  for (let n = 0; n < 3; n++) {
    const one = x.detach().narrow(0, n, 1).clone().requiresGrad_();
    run(one);
    expect(numbersOf(defined(one.grad))).toEqual(numbersOf(defined(x.grad).narrow(0, n, 1)));
  }
});
