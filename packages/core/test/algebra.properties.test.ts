// Identities that hold for every convolution and every movement of elements, on drawn cases.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forAll } from '../../../test/support/properties.js';
import * as vg from '../src/index.js';
import {
  convolutions,
  convolve,
  convolveTransposed,
  type DrawnConvolution,
} from './support/geometries.js';
import { LAYOUTS } from './support/layouts.js';
import { defined, expectClose, filled, numbersOf } from './support/numbers.js';

const inner = (a: vg.Tensor, b: vg.Tensor): number => a.mul(b).sum().item();

const expectSame = (a: number, b: number, scale: number) =>
  expect(Math.abs(a - b)).toBeLessThanOrEqual(1e-13 * Math.max(1, scale));

const tensorsOf = ({ input, weight }: DrawnConvolution) =>
  [filled(input, -1, 1), filled(weight, -0.9, 1)] as const;

const STRATEGIES = vg.strategies.list('conv3d').map((s) => s.name);

/** The adjoints of conv in x and w, from its backward. */
function adjoints(c: DrawnConvolution, g: vg.Tensor, backward: string): [vg.Tensor, vg.Tensor] {
  const [x, w] = tensorsOf(c).map((t) => t.requiresGrad_());
  const y = convolve[c.rank](x, w, null, { ...c.options, backward });
  const [dx, dw] = vg.grad(y, [x, w], { gradOutputs: g });
  return [defined(dx), defined(dw)];
}

describe('the convolution algebra', () => {
  it.each(STRATEGIES)('⟨conv(x, w), g⟩ = ⟨x, convInput(g, w)⟩ = ⟨w, convWeight(x, g)⟩: %s', (s) => {
    forAll(convolutions, (c) => {
      const [x, w] = tensorsOf(c);
      const y = convolve[c.rank](x, w, null, c.options);
      const g = filled(y.shape, -1, 0.9);
      const [dx, dw] = adjoints(c, g, s);
      const scale = inner(y.abs(), g.abs()) + inner(x.abs(), dx.abs()) + inner(w.abs(), dw.abs());
      expectSame(inner(y, g), inner(x, dx), scale);
      expectSame(inner(y, g), inner(w, dw), scale);
    });
  });

  it('all strategies agree, on outputs and gradients', () => {
    forAll(convolutions, (c) => {
      const [x, w] = tensorsOf(c);
      const forward = (strategy: string) =>
        vg.strategies.with({ 'conv3d.forward': strategy }, () =>
          convolve[c.rank](x, w, null, c.options),
        );
      const [right, ...others] = vg.strategies
        .list('conv3d.forward')
        .map(({ name }) => forward(name));
      for (const y of others) expectClose(y, right, 1e-12);
      const g = filled(right.shape);
      const [first, ...rest] = STRATEGIES.map((name) => adjoints(c, g, name));
      for (const [dx, dw] of rest) {
        expectClose(dx, first[0], 1e-12);
        expectClose(dw, first[1], 1e-12);
      }
    });
  });

  it('the transposed convolution is convInput', () => {
    forAll(convolutions, (drawn) => {
      // It takes one padding per axis.
      const padding = drawn.options.padding.map(([lo]): vg.Pair => [lo, lo]);
      const reach = drawn.weight
        .slice(2)
        .map((k, a) => vg.dilatedKernel(k, drawn.options.dilation[a]));
      const size = drawn.input.slice(2).map((n, a) => Math.max(n, reach[a] - 2 * padding[a][0]));
      const options = { ...drawn.options, padding };
      const c = { ...drawn, input: [...drawn.input.slice(0, 2), ...size], options };
      const [, w] = tensorsOf(c);
      const y = convolve[c.rank](filled(c.input), w, null, options);
      const g = filled(y.shape);
      const [dx] = adjoints(c, g, 'fused');
      const least = y.shape
        .slice(2)
        .map((n, a) =>
          vg.transposedOutputSize(
            n,
            w.shape[a + 2],
            options.stride[a],
            padding[a],
            options.dilation[a],
          ),
        );
      const transposed = convolveTransposed[c.rank](g, w, null, {
        ...options,
        padding: padding.map(([lo]) => lo),
        outputPadding: size.map((n, a) => n - least[a]),
      });
      expectClose(transposed, dx, 1e-14);
    });
  });

  it('is linear in each argument', () => {
    forAll(convolutions, (c) => {
      const [x, w] = tensorsOf(c);
      const conv = (a: vg.Tensor, b: vg.Tensor) => convolve[c.rank](a, b, null, c.options);
      const [x2, w2] = [x.sin(), w.cos()];
      expectClose(
        conv(x.add(x2, { alpha: 2 }), w),
        conv(x, w).add(conv(x2, w), { alpha: 2 }),
        1e-13,
      );
      expectClose(conv(x, w.sub(w2)), conv(x, w).sub(conv(x, w2)), 1e-13);
    });
  });

  it('padding beforehand is padding inside', () => {
    forAll(convolutions, (c) => {
      const [x, w] = tensorsOf(c);
      const { padding, ...rest } = c.options;
      const lastFirst = [...padding].reverse().flat();
      const outside = convolve[c.rank](vg.pad(x, lastFirst), w, null, rest);
      expectClose(convolve[c.rank](x, w, null, c.options), outside, 1e-14);
    });
  });

  it('groups are convolutions side by side', () => {
    forAll(convolutions, (c) => {
      const [x, w] = tensorsOf(c);
      const { groups, ...rest } = c.options;
      const [ci, co] = [x.shape[1] / groups, w.shape[0] / groups];
      const parts = Array.from({ length: groups }, (_, k) =>
        convolve[c.rank](x.narrow(1, k * ci, ci), w.narrow(0, k * co, co), null, rest),
      );
      expectClose(convolve[c.rank](x, w, null, c.options), vg.cat(parts, 1), 1e-15);
    });
  });

  it('does not depend on where the elements lie in memory', () => {
    forAll(
      convolutions,
      (c) => {
        const [x, w] = tensorsOf(c);
        const right = numbersOf(convolve[c.rank](x, w, null, c.options));
        for (const layout of Object.values(LAYOUTS)) {
          const y = convolve[c.rank](layout(x), layout(w), null, c.options);
          expect(numbersOf(y)).toEqual(right);
        }
      },
      30,
    );
  });
});

// ---- movements of elements ----

const shapes = fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 4 });
const nonEmpty = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 4 });

/** A shape and one of its orders of axes. */
const permuted = shapes.chain((shape) =>
  fc.record({
    shape: fc.constant(shape),
    order: fc.shuffledSubarray([...shape.keys()], { minLength: shape.length }),
  }),
);

const same = (a: vg.Tensor, b: vg.Tensor) => expect(a.tolist()).toEqual(b.tolist());

describe('movements and their inverses', () => {
  it('permute and back', () => {
    forAll(permuted, ({ shape, order }) => {
      const x = filled(shape);
      const inverse = order.map((_, axis) => order.indexOf(axis));
      same(x.permute(order).permute(inverse), x);
      same(x.permute(order).contiguous().permute(inverse), x);
    });
  });

  it('reshape keeps the row-major order, from any strides', () => {
    forAll(permuted, ({ shape, order }) => {
      const x = filled(shape).permute(order);
      const flat = vg.tensor(numbersOf(x));
      same(x.reshape(x.numel), flat);
      same(x.reshape(x.numel).reshape(x.shape), x);
    });
  });

  it('a view exists exactly where reshape does not copy', () => {
    const cases = permuted.chain((p) =>
      fc.record({
        p: fc.constant(p),
        merge: fc.nat({ max: Math.max(0, p.shape.length - 2) }),
      }),
    );
    forAll(cases, ({ p: { shape, order }, merge }) => {
      const x = filled(shape).permute(order);
      if (x.ndim < 2) return;
      const target = [...x.shape];
      target.splice(merge, 2, x.shape[merge] * x.shape[merge + 1]);
      const reshaped = x.reshape(target);
      if (reshaped.storage === x.storage) same(x.view(target), reshaped);
      else expect(() => x.view(target)).toThrow('Use .reshape(...) instead');
    });
  });

  it('pad and crop', () => {
    const cases = fc
      .array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 3 })
      .chain((size) =>
        fc.record({
          size: fc.constant(size),
          padding: fc.array(fc.nat({ max: 3 }), {
            minLength: 2 * size.length,
            maxLength: 2 * size.length,
          }),
          mode: fc.constantFrom('constant' as const, 'replicate', 'circular', 'reflect'),
        }),
      );
    // Circular padding repeats at most the whole axis, reflection all of it but the border.
    const reach = { constant: 3, replicate: 3, circular: 0, reflect: -1 };
    forAll(cases, ({ size, padding, mode }) => {
      const x = filled([2, 1, ...size]);
      const limits = size.map((n) => (reach[mode] > 0 ? reach[mode] : n + reach[mode])).reverse();
      const fitting = padding.map((p, i) => Math.min(p, limits[Math.floor(i / 2)]));
      const padded = vg.pad(x, fitting, { mode });
      const crop = fitting.map((p) => -p);
      same(vg.pad(padded, crop), x);
    });
  });

  it('cat and narrow', () => {
    const cases = nonEmpty.chain((shape) =>
      fc.record({
        shape: fc.constant(shape),
        axis: fc.nat({ max: shape.length - 1 }),
        cuts: fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 4 }),
      }),
    );
    forAll(cases, ({ shape, axis, cuts }) => {
      const parts = cuts.map((size, i) =>
        filled(shape.map((n, d) => (d === axis ? size : n))).add(i),
      );
      const whole = vg.cat(parts, axis);
      let at = 0;
      for (const part of parts) {
        same(whole.narrow(axis, at, part.shape[axis]), part);
        at += part.shape[axis];
      }
    });
  });

  it('expand and sumToSize: each element counts as often as it is repeated', () => {
    const cases = nonEmpty.chain((shape) =>
      fc.record({
        shape: fc.constant(shape),
        ones: fc.array(fc.boolean(), { minLength: shape.length, maxLength: shape.length }),
        lead: fc.nat({ max: shape.length }),
      }),
    );
    forAll(cases, ({ shape, ones, lead }) => {
      const small = shape.map((n, d) => (ones[d] ? 1 : n)).slice(lead);
      const x = filled(small);
      const repeats = vg.numelOf(shape) / vg.numelOf(small);
      expectClose(x.expand(shape).sumToSize(small), x.mul(repeats), 1e-14);
    });
  });

  it('flip twice, and slice as Python does', () => {
    const cases = fc.record({
      size: fc.nat({ max: 6 }),
      start: fc.integer({ min: -8, max: 8 }),
      end: fc.integer({ min: -8, max: 8 }),
      step: fc.integer({ min: 1, max: 3 }),
    });
    forAll(cases, ({ size, start, end, step }) => {
      const x = vg.arange(size);
      same(x.flip(0).flip(0), x);
      const list = Array.from({ length: size }, (_, i) => BigInt(i)).slice(start, end);
      expect(x.slice(0, start, end, step).tolist()).toEqual(list.filter((_, i) => i % step === 0));
    });
  });

  it('gather along a sorting order sorts, and its gradient goes back', () => {
    forAll(
      fc.array(fc.double({ noNaN: true, min: -9, max: 9 }), { minLength: 1, maxLength: 9 }),
      (values) => {
        const order = [...values.keys()].sort((a, b) => values[a] - values[b]);
        const index = vg.tensor(order.map(BigInt));
        const x = vg.tensor(values, { dtype: 'float64', requiresGrad: true });
        const sorted = x.gather(0, index);
        expect(sorted.tolist()).toEqual([...values].sort((a, b) => a - b));
        const [g] = vg.grad(sorted, x, { gradOutputs: vg.arange(values.length).to('float64') });
        expect(defined(g).gather(0, index).tolist()).toEqual([...values.keys()]);
      },
    );
  });
});
