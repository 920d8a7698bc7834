// Algorithms of a convolution by name: `fused:direct`, `fused:winograd`, `fused:fft`. Each gives the
// gradients of plain loops in float64 within what `precision` promises, runs only where it can, and says
// why elsewhere.

import { conv3d, convTranspose3d, cpu, grad, manualSeed, randn, strategies } from '@voxgrad/core';
import { describe, expect, it } from 'vitest';
import { defined, expectClose, thrownBy } from '../../core/test/support/numbers.js';
import { make } from './support/precision.js';

const device = make('balanced');

const CALLS = {
  winograd: { input: [2, 8, 6, 9, 13], weight: [12, 8, 3, 3, 3], options: { padding: 1 } },
  fft: { input: [1, 4, 9, 12, 14], weight: [4, 1, 7, 7, 7], options: { padding: 3, groups: 4 } },
} as const;

const by = <T>(name: string, fn: () => T): T =>
  strategies.with({ conv3d: name, 'conv3d.forward': name, 'convTranspose3d.forward': name }, fn);

/** Output and gradients on `on`. */
function derive({ input, weight, options }: (typeof CALLS)['fft' | 'winograd'], on = device) {
  manualSeed(3);
  const [x, w] = [input, weight].map((shape) =>
    randn([...shape], { device: cpu })
      .to(on.name === 'cpu' ? 'float64' : 'float32')
      .to(on),
  );
  const leaves = [x.detach().requiresGrad_(), w.detach().requiresGrad_()];
  const y = conv3d(leaves[0], leaves[1], null, options);
  const gradients = grad(y, leaves, { gradOutputs: y.detach().mul(0.5) });
  return [y, ...gradients.map((g) => defined(g))];
}

describe.each(['winograd', 'fft'] as const)('calls that %s takes', (algorithm) => {
  const call = CALLS[algorithm];
  const right = derive(call, cpu as never);

  it.each(['fused', 'fused:direct', `fused:${algorithm}`])(
    '%s gives the right gradients',
    (name) => {
      by(name, () => derive(call)).forEach((got, i) => {
        // 1e-5 of the largest magnitude is what precision 'balanced' promises.
        expectClose(got.to(cpu).to('float64'), right[i], 1e-5, `result ${i}`);
      });
    },
  );

  it('takes another way than the direct kernel where it is named', () => {
    const [direct, named] = ['fused:direct', `fused:${algorithm}`].map((name) =>
      by(name, () => derive(call)[1].tolist()),
    );
    expect(JSON.stringify(named)).not.toBe(JSON.stringify(direct));
  });

  it('fused takes it by itself where it is quicker, and explain says so', () => {
    const { input, weight, options } = call;
    const fused = (on: typeof device) =>
      strategies
        .explain('conv3d.forward', { input: [...input], weight: [...weight], ...options }, on)
        .considered.find(({ name }) => name === 'fused')?.reasons;
    expect(fused(device)).toEqual([
      `the device has a forward kernel that takes this call (${algorithm})`,
    ]);
    expect(fused(make('exact'))).toEqual([
      'the device has a forward kernel that takes this call (direct)',
    ]);
  });

  it('is traced by its name, and listed', () => {
    const entries = strategies.trace(() => by(`fused:${algorithm}`, () => derive(call)));
    expect(entries.map(({ strategy }) => strategy)).toEqual(
      Array.from({ length: 2 }, () => `fused:${algorithm}`),
    );
    for (const op of ['conv3d', 'conv3d.forward'])
      expect(strategies.list(op, device)).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ name: `fused:${algorithm}`, kind: 'fused', ok: true }),
        ]),
      );
  });
});

it('the forward of a transposed convolution takes a name too', () => {
  manualSeed(5);
  const [x, w] = [randn([1, 8, 5, 6, 7], { device }), randn([8, 8, 3, 3, 3], { device })];
  const run = (name: string) => by(name, () => convTranspose3d(x, w, null, { padding: 1 }));
  expectClose(run('fused:winograd').to(cpu), run('fused:direct').to(cpu), 1e-5);
});

describe('where an algorithm does not run', () => {
  const BASE = { input: [1, 4, 12, 12, 12], weight: [4, 4, 3, 3, 3], padding: 1 };
  it.each([
    ['winograd', { stride: 2 }, /no strides/],
    ['winograd', { dilation: 2 }, /no dilation/],
    ['winograd', { dtype: 'float64' }, /computes float32, not float64/],
    ['winograd', { weight: [4, 4, 5, 5, 5] }, /kernels of 3×3×3 and 1×3×3, not 5×5×5/],
    ['fft', {}, /kernels of 64 taps and more/],
    ['fft', { weight: [4, 4, 5, 5, 5], stride: [1, 2, 1] }, /no strides/],
    ['fft', { weight: [4, 4, 5, 5, 5], dilation: 2 }, /no dilation/],
    ['fft', { weight: [4, 4, 5, 5, 5], dtype: 'float64' }, /computes float32, not float64/],
  ] as const)('%s says why: %j', (algorithm, change, reason) => {
    const { considered, chosen } = strategies.explain('conv3d', { ...BASE, ...change }, device);
    const named = considered.find(({ name }) => name === `fused:${algorithm}`);
    expect(named?.ok).toBe(false);
    expect(named?.reasons.join()).toMatch(reason);
    expect(chosen).not.toMatch(/:/);
  });

  it("precision 'exact' has the direct one alone", () => {
    const { considered } = strategies.explain('conv3d', BASE, make('exact'));
    const ok = considered.filter((c) => c.ok).map(({ name }) => name);
    expect(ok).toContain('fused:direct');
    expect(ok).not.toContain('fused:winograd');
    expect(considered.find(({ name }) => name === 'fused:winograd')?.reasons).toEqual([
      "precision 'exact' only sums",
    ]);
  });

  it('forced all the same, it throws, and the device chooses by itself again', () => {
    const strided = { ...CALLS.winograd, options: { padding: 1, stride: 2 } };
    const error = thrownBy(() => by('fused:winograd', () => derive(strided as never)));
    expect(error.message).toMatch(/fused:winograd.*no strides/);
    expect(device.engine.algorithm ?? null).toBeNull();
  });

  it('other devices have no such names, and say so to who forces them', () => {
    for (const on of ['cpu', undefined])
      expect(strategies.list('conv3d', on).map(({ name }) => name)).not.toContain('fused:fft');
    const { considered } = strategies.explain('conv3d', BASE, 'cpu');
    expect(considered.map(({ name }) => name)).toEqual(['fused', 'composite', 'tiled']);
    const error = thrownBy(() => by('fused:fft', () => derive(CALLS.fft, cpu as never)));
    expect(error.message).toMatch(/fused:fft.*cannot run on cpu.*cannot be named/);
  });
});
