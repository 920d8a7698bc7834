// Options that nobody knows are an error, and the error says which are known.

import { describe, expect, it } from 'vitest';
import * as vg from '../src/index.js';

type Loose = (...args: readonly unknown[]) => unknown;
const loose = (f: unknown) => f as Loose;

const x = vg.tensor(
  [
    [1, 2],
    [3, 4],
  ],
  { requiresGrad: true },
);

describe('an unknown option', () => {
  it.each<[string, () => unknown, string]>([
    [
      'grad',
      () => loose(vg.grad)(x.sum(), x, { create_graph: true }),
      "grad() got an unexpected option 'create_graph'; did you mean 'createGraph'? It takes retainGraph, createGraph, gradOutputs, allowUnused",
    ],
    [
      'backward',
      () => loose(x.backward).call(x, null, { retain_graph: true }),
      "backward() got an unexpected option 'retain_graph'; did you mean 'retainGraph'?",
    ],
    [
      'hessian',
      () => loose(vg.hessian)(() => x, x, { strict: true }),
      "hessian() got an unexpected option 'strict'",
    ],
    [
      'sum',
      () => loose(x.sum).call(x, 0, { keepdims: true }),
      "sum() got an unexpected option 'keepdims'; did you mean 'keepdim'?",
    ],
    [
      'sum, first',
      () => loose(x.sum).call(x, { keep: true }),
      "sum() got an unexpected option 'keep'",
    ],
    [
      'var',
      () => loose(x.var).call(x, 0, { ddof: 1 }),
      "var() got an unexpected option 'ddof'; it takes keepdim, correction, unbiased",
    ],
    ['all', () => loose(x.all).call(x, 0, { keep: true }), "all() got an unexpected option 'keep'"],
    [
      'div',
      () => loose(x.div).call(x, 2, { rounding_mode: 'floor' }),
      "did you mean 'roundingMode'?",
    ],
    [
      'zeros',
      () => loose(vg.zeros)([1], { requires_grad: true }),
      "zeros() got an unexpected option 'requires_grad'; did you mean 'requiresGrad'?",
    ],
    [
      'zeros, dtype by position',
      () => loose(vg.zeros)([1], 'int64'),
      "zeros(): expected an options object { dtype, device, requiresGrad }, but got 'int64'",
    ],
    ['tensor', () => loose(vg.tensor)([1], { type: 'int64' }), "did you mean 'dtype'?"],
    ['randn', () => loose(vg.randn)([1], { seed: 1 }), "randn() got an unexpected option 'seed'"],
    [
      'interpolate',
      () => loose(vg.interpolate)(vg.zeros([1, 1, 2]), { scale_factor: 2 }),
      "did you mean 'scaleFactor'?",
    ],
    [
      'pad',
      () => loose(vg.pad)(x, [1, 1], 'reflect'),
      "pad(): expected an options object { mode, value }, but got 'reflect'",
    ],
    [
      'unfold',
      () => loose(vg.unfold)(vg.zeros([1, 1, 2, 2]), 1, { strides: 1 }),
      "did you mean 'stride'?",
    ],
    [
      'topk',
      () => loose(x.topk).call(x, 1, { smallest: true }),
      "topk() got an unexpected option 'smallest'",
    ],
  ])('%s', (_, call, message) => {
    expect(call).toThrow(vg.VoxgradError);
    expect(call).toThrow(message);
  });
});

describe('checkOptions', () => {
  const known = { alpha: true, beta: 'nullable' } as const;
  it('takes known options, null where it means something, and undefined everywhere', () => {
    vg.checkOptions('f', undefined, known);
    vg.checkOptions('f', { alpha: undefined, beta: null }, known);
    vg.checkOptions('f', Object.create(null), known);
  });

  it('refuses null elsewhere, and every other kind of value', () => {
    expect(() => vg.checkOptions('f', { alpha: null }, known)).toThrow(
      "option 'alpha' must not be null",
    );
    for (const wrong of [null, 3, 'alpha', true, [], new Map(), x, () => {}])
      expect(() => vg.checkOptions('f', wrong, known)).toThrow(
        'f(): expected an options object { alpha, beta }',
      );
  });

  it('takes an object of a class whose fields are known', () => {
    class Settings {
      alpha = 1;
    }
    vg.checkOptions('f', new Settings(), known);
  });

  it('guesses the name that was meant, and does not guess wildly', () => {
    const names = ['weightDecay', 'lr', 'momentum'];
    expect(vg.likelyName('weight_decay', names)).toBe('weightDecay');
    expect(vg.likelyName('wieghtDecay', names)).toBe('weightDecay');
    expect(vg.likelyName('momentun', names)).toBe('momentum');
    expect(vg.likelyName('fused', names)).toBeUndefined();
    expect(vg.likelyName('name', names)).toBeUndefined();
  });
});
