// Values and refusals at the edges: each row was once wrong.

import { describe, expect, it } from 'vitest';
import * as vg from '../src/index.js';

const leaf = (...values: number[]) => vg.tensor(values, { dtype: 'float64', requiresGrad: true });
const gradient = (f: (x: vg.Tensor) => vg.Tensor, x: vg.Tensor) =>
  vg.grad(f(x).sum(), x)[0]?.tolist();

describe('gradients of 0 stay 0 when what follows has an infinite slope', () => {
  it.each<[string, (x: vg.Tensor) => vg.Tensor]>([
    ['round', (x) => x.round().sqrt()],
    ['floor', (x) => x.floor().log()],
    ['trunc', (x) => x.trunc().sqrt()],
    ['ceil', (x) => x.sub(1).ceil().sqrt()],
  ])('%s', (_, f) => {
    expect(gradient(f, leaf(0.4))).toEqual([0]);
  });

  it('lpPool of a window of zeros (PyTorch 1.13: 0)', () => {
    const x = leaf(0, 0, 3, 4);
    const dx = gradient((t) => vg.lpPool1d(t.unsqueeze(0), 2, 2), x);
    expect((dx as number[]).map((v) => Number(v.toFixed(12)))).toEqual([0, 0, 0.6, 0.8]);
  });
});

describe('truth values', () => {
  const ones = vg.ones([3], { dtype: 'bool' });
  const zeros = vg.tensor([0n, 0n, 0n]);
  it('add up to true', () => {
    expect(ones.indexAdd(0, zeros, ones).to('int64').tolist()).toEqual([1n, 1n, 1n]);
    expect(ones.scatterAdd(0, zeros, ones).eq(ones).tolist()).toEqual([true, true, true]);
  });
  it('are squared as int64', () => {
    expect([ones.pow(2).dtype, ones.square().dtype]).toEqual(['int64', 'int64']);
  });
});

describe('trigamma far to the left', () => {
  it('is found by reflection, not by a sum as long as the argument', () => {
    // ψ′(x) = π² / sin²(πx) − ψ′(1 − x), and the last term is about 1e-10 here
    const [value] = gradient((x) => x.digamma(), leaf(-1e10 + 0.25)) as number[];
    expect(value).toBeCloseTo(2 * Math.PI ** 2, 8);
    expect(gradient((x) => x.digamma(), leaf(Number.NEGATIVE_INFINITY))).toEqual([Number.NaN]);
  });
});

describe('hooks and gradients that do not fit are refused where they are given', () => {
  it.each<[string, (g: vg.Tensor) => unknown, string]>([
    ['size', (g) => g.slice(0, 0, 1), 'has changed the size of value (was [3] got [1])'],
    ['type', (g) => g.to('float32'), 'has changed the type of value'],
    ['kind', () => 5, 'must return a Tensor or nothing, but returned 5'],
  ])('%s', (_, hook, text) => {
    const x = leaf(1, 2, 3);
    x.registerHook(hook as vg.GradientHook);
    expect(() => x.mul(2).sum().backward()).toThrow(text);
  });

  it('assigned gradients', () => {
    const x = leaf(1, 2);
    expect(() => {
      x.grad = vg.ones([3], { dtype: 'float64' });
    }).toThrow('assigned grad has data of a different size');
    expect(() => {
      x.grad = vg.ones([2]);
    }).toThrow('assigned grad has data of a different type');
  });
});

describe('what is misspelt or of the wrong kind is not ignored', () => {
  const x = vg.ones([2, 3]);
  const [v, w] = [vg.ones([1, 1, 3, 3, 3]), vg.ones([1, 1, 3, 3, 3])];
  const loose = (f: unknown) => f as (...args: unknown[]) => unknown;
  it.each<[string, () => unknown, string]>([
    ['a dim in quotes', () => loose(vg.sum)(x, '0'), 'a dim must be a number'],
    ['true for keepdim', () => loose(vg.sum)(x, 0, true), 'options an object'],
    ['keepDim', () => loose(vg.sum)(x, 0, { keepDim: true }), "did you mean 'keepdim'"],
    ['text to fill with', () => loose(vg.full)([2], '7'), 'expected a number to fill with'],
    ['NaN in integers', () => vg.ones([1], { dtype: 'int32' }).fill_(Number.NaN), 'int32'],
    ['strid', () => loose(vg.conv3d)(v, w, null, { strid: 2 }), "unexpected option 'strid'"],
    ['null stride', () => loose(vg.conv3d)(v, w, null, { stride: null }), 'must not be null'],
    ['ceil_mode', () => loose(vg.maxPool3d)(v, 2, { ceil_mode: true }), "did you mean 'ceilMode'"],
    ['a strategy that is not', () => vg.conv3d(v, w, null, { backward: 'nope' }), 'known: fused'],
    ['a number as matrix', () => loose(vg.matmul)(x, 3), "expected a Tensor for 'b', but got 3"],
    ['text as tensor', () => loose(vg.relu)('a'), "expected a Tensor for 'input', but got 'a'"],
    ['no step', () => vg.gradcheck((t: vg.Tensor) => t, [leaf(1)], { eps: 0 }), 'eps must be'],
  ])('%s', (_, run, text) => {
    expect(run).toThrow(text);
  });

  it('a number after the kernel is the stride, as PyTorch users write it', () => {
    expect(vg.maxPool3d(v, 2, 1).shape).toEqual([1, 1, 2, 2, 2]);
    expect(vg.avgPool3d(v, 2, 1).shape).toEqual([1, 1, 2, 2, 2]);
  });
});

describe('strategies that misbehave', () => {
  const { strategies } = vg;
  const base = {
    op: 'conv3d',
    name: 'odd',
    kind: 'custom',
    supports: () => ({ ok: true, reasons: [] }),
    cost: () => 0,
    run: () => [null, null, null],
  } as const;
  const call = { input: [1, 1, 3, 3, 3], weight: [1, 1, 2, 2, 2] };
  const explained = (change: object) => {
    strategies.register({ ...base, ...change } as never);
    try {
      const found = strategies.explain('conv3d', call);
      return { chosen: found.chosen, odd: found.considered.find((c) => c.name === 'odd') };
    } finally {
      strategies.unregister('conv3d', 'odd');
    }
  };

  it('are passed over with the reason', () => {
    for (const change of [{ supports: () => false }, { supports: () => undefined }])
      expect(explained(change)).toMatchObject({ chosen: 'fused', odd: { ok: false } });
    const { chosen, odd } = explained({ cost: () => Number.NaN });
    expect([chosen, odd?.reasons]).toEqual(['fused', ['its cost() is not a number']]);
  });

  it('are refused when they are registered without a name or kind', () => {
    expect(() => strategies.register({ ...base, name: undefined } as never)).toThrow(
      'expected a name',
    );
    expect(() => strategies.register({ ...base, kind: 'x' } as never)).toThrow(
      'kind must be one of',
    );
    expect(() => strategies.register(null as never)).toThrow('strategies.register(): expected {');
  });

  it('leave no forced choice behind when they go, and a scope can give the choice back', () => {
    strategies.register(base as never);
    strategies.use({ conv3d: 'odd' });
    strategies.unregister('conv3d', 'odd');
    expect(strategies.explain('conv3d', call).chosen).toBe('fused');
    strategies.use({ conv3d: 'composite' });
    expect(strategies.with({ conv3d: null }, () => strategies.explain('conv3d', call).chosen)).toBe(
      'fused',
    );
    strategies.use({ conv3d: null });
  });
});
