// nn.utils: weights that are computed from others, fusion, parameters as one vector.

import { defaultGenerator, manualSeed, type Tensor, zeros } from '@voxgrad/core';
import { describe, expect, it } from 'vitest';
import { expectClose, filled } from '../../core/test/support/numbers.js';
import * as nn from '../src/index.js';

const { weightNorm, removeWeightNorm, spectralNorm, removeSpectralNorm } = nn.utils;
const f64 = { dtype: 'float64' } as const;

describe('weightNorm', () => {
  it('leaves the function as it is, and its gradients apart', () => {
    const plain = new nn.Conv3d(2, 3, 2, f64);
    const before = plain.weight.clone();
    const x = filled([1, 2, 3, 3, 3]);
    const expected = plain.call(x);
    const normed = weightNorm(plain);
    const y = normed.call(x);
    expectClose(y, expected, 1e-12);
    y.sum().backward();
    const [g, v] = [normed.getParameter('weight_g'), normed.getParameter('weight_v')];
    expect(g.shape).toEqual([3, 1, 1, 1, 1]);
    // The direction does not change the length: its gradient is orthogonal to it.
    const along = v.mul(v.grad as Tensor).sum([1, 2, 3, 4]);
    expectClose(along, zeros([3], f64), 1e-12);
    expectClose(removeWeightNorm(normed).weight, before, 1e-12);
    expect(normed.weight).toBeInstanceOf(nn.Parameter);
    expectClose(normed.call(x), expected, 1e-12);
  });

  it('follows its module to another dtype', () => {
    const layer = weightNorm(new nn.Linear(2, 2)).double();
    expect(layer.call(zeros([1, 2], f64)).dtype).toBe('float64');
  });

  it('refuses what is not there, in the words of PyTorch', () => {
    const layer = new nn.Linear(1, 1);
    expect(() => removeWeightNorm(layer)).toThrow(
      "weight_norm of 'weight' not found in Linear(inFeatures=1, outFeatures=1, bias=true)",
    );
    expect(() => weightNorm(weightNorm(layer))).toThrow(
      'Cannot register two weight_norm hooks on the same parameter weight',
    );
    expect(() => weightNorm(layer, { name: 'nope' })).toThrow("Linear has no parameter 'nope'");
  });
});

describe('spectralNorm', () => {
  it('brings the largest singular value to 1', () => {
    const layer = spectralNorm(new nn.Linear(3, 4, { bias: false, ...f64 }));
    const x = filled([2, 3]);
    for (let i = 0; i < 60; i++) layer.call(x);
    const u = layer.getBuffer('weight_u');
    const v = layer.getBuffer('weight_v');
    expect(u.mul(layer.weight.matmul(v)).sum().item()).toBeCloseTo(1, 10);
    layer.eval().call(x);
    expect(layer.getBuffer('weight_u').tolist()).toEqual(u.tolist());
    const value = layer.weight.clone();
    expectClose(removeSpectralNorm(layer).weight, value, 1e-12);
    expect(layer.namedBuffers()).toEqual([]);
  });

  it('allows two calls before one backward', () => {
    const layer = spectralNorm(new nn.Conv2d(1, 2, 2));
    const x = filled([1, 1, 3, 3]).to('float32');
    layer.call(x).sum().sub(layer.call(x).mul(2).sum()).backward();
    expect(layer.getParameter('weight_orig').grad?.shape).toEqual([2, 1, 2, 2]);
  });

  it('refuses as PyTorch does', () => {
    expect(() => spectralNorm(new nn.Linear(1, 1), { nPowerIterations: 0 })).toThrow(
      'Expected n_power_iterations to be positive, but got n_power_iterations=0',
    );
    expect(() => removeSpectralNorm(new nn.ReLU())).toThrow(
      "spectral_norm of 'weight' not found in ReLU()",
    );
  });
});

describe('fusion', () => {
  /** Batch norm with statistics that are neither 0 nor 1. */
  function trained(norm: nn.BatchNorm3d | nn.BatchNorm1d, x: Tensor) {
    norm.double().call(x);
    return norm.eval();
  }

  it('of a convolution and a batch norm', () => {
    const conv = new nn.Conv3d(2, 4, 2, { padding: 1, groups: 2, bias: false, ...f64 });
    const x = filled([2, 2, 3, 4, 3]);
    const norm = trained(new nn.BatchNorm3d(4), conv.call(x)) as nn.BatchNorm3d;
    conv.eval();
    manualSeed(1);
    const state = defaultGenerator().getState();
    const fused = nn.utils.fuseConvBnEval(conv, norm);
    expect(defaultGenerator().getState()).toEqual(state);
    expect(fused).toBeInstanceOf(nn.Conv3d);
    expect(fused.training).toBe(false);
    expectClose(fused.call(x), norm.call(conv.call(x)), 1e-12);
  });

  it('of a transposed convolution', () => {
    const conv = new nn.ConvTranspose3d(2, 3, 2, { stride: 2, outputPadding: 1, ...f64 });
    const x = filled([2, 2, 2, 3, 2]);
    const norm = trained(new nn.BatchNorm3d(3), conv.call(x)) as nn.BatchNorm3d;
    conv.eval();
    const fused = nn.utils.fuseConvBnEval(conv, norm, { transpose: true });
    expectClose(fused.call(x), norm.call(conv.call(x)), 1e-12);
  });

  it('of a linear layer', () => {
    const linear = new nn.Linear(3, 2, f64);
    const x = filled([4, 3]);
    const norm = trained(new nn.BatchNorm1d(2), linear.call(x)) as nn.BatchNorm1d;
    const fused = nn.utils.fuseLinearBnEval(linear.eval(), norm);
    expectClose(fused.call(x), norm.call(linear.call(x)), 1e-12);
  });

  it('is for eval mode', () => {
    expect(() => nn.utils.fuseConvBnEval(new nn.Conv3d(1, 1, 1), new nn.BatchNorm3d(1))).toThrow(
      'Fusion only for eval!',
    );
  });
});

it('parameters become one vector and come back', () => {
  const layer = new nn.Linear(2, 3);
  const { parametersToVector, vectorToParameters } = nn.utils;
  const vector = parametersToVector(layer.parameters());
  expect(vector.shape).toEqual([9]);
  expect(vector.requiresGrad).toBe(true);
  vectorToParameters(vector.mul(2), layer.parameters());
  expectClose(parametersToVector(layer.parameters()), vector.mul(2), 0);
  expect(() => vectorToParameters(zeros([3]), layer.parameters())).toThrow(
    'expected a vector of 9 elements, but got shape [3]',
  );
});
