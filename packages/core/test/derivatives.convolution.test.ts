// Derivatives of convolutions of all ranks, per strategy, against central differences in float64.

import { describe, expect, it } from 'vitest';
import * as vg from '../src/index.js';
import { type ConvolutionRow, convolutionDerivatives } from './support/convolution-derivatives.js';
import { defined, filled, numbersOf } from './support/numbers.js';

const leavesOf = (r: ConvolutionRow) =>
  [r.input, r.weight, ...(r.bias === null ? [] : [[r.bias]])].map((shape, i) =>
    filled(shape, -1 - i / 10, 1).requiresGrad_(),
  );

const callOf =
  (r: ConvolutionRow, backward: string) =>
  (x: vg.Tensor, w: vg.Tensor, b: vg.Tensor | null = null) =>
    r.run(x, w, b, { ...r.options, backward });

const NAMES = vg.strategies.list('conv3d').map((s) => s.name);

describe.each(NAMES)('derivatives of convolutions, strategy %s', (strategy) => {
  it.each(convolutionDerivatives.map((r) => [`${r.op}: ${r.note}`, r] as const))('%s', (_, r) => {
    const choices = { conv3d: strategy, 'conv3d.forward': strategy };
    vg.strategies.with({ ...choices, 'convTranspose3d.forward': strategy }, () => {
      const call = callOf(r, strategy);
      expect(vg.gradcheck(call, leavesOf(r))).toBe(true);
      expect(vg.gradcheck(call, leavesOf(r), { fastMode: true })).toBe(true);
      expect(vg.gradgradcheck(call, leavesOf(r), { fastMode: true })).toBe(true);
    });
  });

  it.each(
    convolutionDerivatives
      .filter((r) => vg.numelOf(r.input) <= 30)
      .map((r) => [`${r.op}: ${r.note}`, r] as const),
  )('every entry of the second derivative, %s', (_, r) => {
    expect(vg.gradgradcheck(callOf(r, strategy), leavesOf(r))).toBe(true);
  });

  it('the third derivatives of a small network are the differences of the second', () => {
    const [x, w1, w2] = [
      filled([1, 2, 3, 3, 4], -1, 1),
      filled([2, 1, 2, 2, 2], -0.9, 1),
      filled([1, 2, 2, 1, 2], -1, 0.8),
    ].map((t) => t.requiresGrad_());
    const network = () => {
      const hidden = vg.conv3d(x, w1, null, {
        groups: 2,
        padding: 1,
        stride: 2,
        backward: strategy,
      });
      return vg.convTranspose3d(hidden.tanh(), w2.transpose(0, 1), null, { backward: strategy });
    };
    const along = (gradient: vg.Tensor | null) =>
      defined(gradient)
        .mul(filled(defined(gradient).shape, 0.5, 1.5))
        .sum();
    /** Along fixed directions: d/dx d/dw1 of the loss, a number that depends on w2. */
    const second = () => {
      const loss = network().square().sum();
      const [first] = vg.grad(loss, w1, { createGraph: true });
      const [mixed] = vg.grad(along(first), x, { createGraph: true });
      return along(mixed);
    };
    const third = vg.grad(second(), [w1, w2, x]).map((g) => numbersOf(defined(g)));
    [w1, w2, x].forEach((leaf, k) => {
      const before = leaf.detach().clone();
      for (let i = 0; i < leaf.numel; i++) {
        const differ = (sign: number) => {
          const moved = numbersOf(before).map((v, at) => (at === i ? v + sign * 1e-4 : v));
          vg.noGrad(() => leaf.copy_(vg.tensor(moved, { shape: leaf.shape })));
          return second().item();
        };
        const slope = (differ(1) - differ(-1)) / 2e-4;
        expect(Math.abs(third[k][i] - slope)).toBeLessThan(1e-5 * Math.max(1, Math.abs(slope)));
      }
      vg.noGrad(() => leaf.copy_(before));
    });
  });
});

describe('gradients where no output looks', () => {
  it.each(NAMES)('input cells between strided windows get exactly 0 (%s)', (backward) => {
    const x = filled([1, 1, 7, 5, 6]).requiresGrad_();
    vg.conv3d(x, filled([1, 1, 1, 2, 1]), null, { stride: 3, backward })
      .sum()
      .backward();
    const gradient = defined(x.grad);
    const read = (at: number, kernel: number, size: number) => at % 3 < kernel && at < size;
    numbersOf(gradient).forEach((g, i) => {
      const [d, h, w] = [Math.floor(i / 30), Math.floor(i / 6) % 5, i % 6];
      if (!(read(d, 1, 7) && read(h, 2, 5) && read(w, 1, 6))) expect(g).toBe(0);
      else expect(g).not.toBe(0);
    });
  });

  it.each(NAMES)('weights of an empty batch get exact zeros (%s)', (backward) => {
    const [w, b] = [filled([3, 1, 2, 2, 2]).requiresGrad_(), filled([3]).requiresGrad_()];
    vg.conv3d(filled([0, 1, 3, 3, 3]), w, b, { backward })
      .sum()
      .backward();
    for (const leaf of [w, b])
      expect(numbersOf(defined(leaf.grad)).every((g) => g === 0)).toBe(true);
  });

  it.each(NAMES)('a batch of 3 is three batches of 1 (%s)', (backward) => {
    const w = filled([2, 2, 2, 3, 2]);
    const x = filled([3, 2, 4, 5, 3]).requiresGrad_();
    const run = (input: vg.Tensor) =>
      vg.conv3d(input, w, null, { stride: 2, padding: 1, backward });
    run(x).square().sum().backward();
    const whole = defined(x.grad);
    for (let n = 0; n < 3; n++) {
      const one = x.detach().narrow(0, n, 1).clone().requiresGrad_();
      run(one).square().sum().backward();
      expect(numbersOf(defined(one.grad))).toEqual(numbersOf(whole.narrow(0, n, 1)));
    }
  });
});
