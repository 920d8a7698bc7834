// Whole derivatives, custom functions, recomputation and anomaly detection.

import { describe, expect, it } from 'vitest';
import * as vg from '../src/index.js';

const f64 = (data: unknown[], requiresGrad = false) =>
  vg.tensor(data, { dtype: 'float64', requiresGrad });
const values = (x: vg.Tensor | null) => x?.detach().tolist();

describe('jacobian, hessian, hvp, vjp, jvp', () => {
  const cube = (x: vg.Tensor) => x.pow(3).sum();

  it('jacobian of an elementwise function is diagonal', () => {
    const j = vg.jacobian((x) => x.mul(x), f64([1, 2, 3]));
    expect(values(j)).toEqual([
      [2, 0, 0],
      [0, 4, 0],
      [0, 0, 6],
    ]);
  });

  it('jacobian of several inputs and outputs is a list of lists', () => {
    const j = vg.jacobian(
      (x, y) => [x.mul(y), x.sum()],
      [f64([1, 2]), f64([3, 4])],
    ) as vg.Tensor[][];
    expect(j.map((row) => row.map(values))).toEqual([
      [
        [
          [3, 0],
          [0, 4],
        ],
        [
          [1, 0],
          [0, 2],
        ],
      ],
      [
        [1, 1],
        [0, 0],
      ],
    ]);
  });

  it('hessian of a sum of cubes is 6x on the diagonal', () => {
    expect(values(vg.hessian(cube, f64([1, 2])))).toEqual([
      [6, 0],
      [0, 12],
    ]);
  });

  it('hessian mixes inputs', () => {
    const h = vg.hessian((x, y) => x.mul(y).sum(), [f64([1]), f64([2])]) as vg.Tensor[][];
    expect(h.map((row) => row.map(values))).toEqual([
      [[[0]], [[1]]],
      [[[1]], [[0]]],
    ]);
  });

  it('hvp, vjp and jvp agree with the whole matrices', () => {
    const v = f64([0.5, -1]);
    const x = f64([1, 2]);
    expect(values(vg.hvp(cube, x, v)[1] as vg.Tensor)).toEqual([3, -12]);
    const f = (t: vg.Tensor) => vg.stack([t.prod(), t.sum(), t.mul(t).sum()]);
    // J = [[2, 1], [1, 1], [2, 4]]
    expect(values(vg.jvp(f, x, v)[1] as vg.Tensor)).toEqual([0, -0.5, -3]);
    expect(values(vg.vjp(f, x, f64([1, 2, 3]))[1] as vg.Tensor)).toEqual([10, 15]);
  });

  it('stay differentiable with createGraph', () => {
    const x = f64([1, 2], true);
    const h = vg.hessian(cube, x, { createGraph: true });
    expect(values(vg.grad(h.sum(), x)[0])).toEqual([6, 6]);
  });

  it('leave the inputs and their grad fields alone', () => {
    const x = f64([1, 2], true);
    vg.jacobian((t) => t.exp(), x);
    expect(x.grad).toBeNull();
  });

  it('refuse outputs that are no scalar', () => {
    expect(() => vg.hessian((x) => x, f64([1, 2]))).toThrow('single Tensor with a single element');
    expect(() => vg.jvp((x) => x, f64([1, 2]), f64([1]))).toThrow(
      'v has invalid size: should be [2] but got [1]',
    );
  });
});

describe('defineFunction', () => {
  const softsquare = vg.defineFunction({
    name: 'softsquare',
    forward(ctx, x: vg.Tensor, scale: number) {
      ctx.saveForBackward(x);
      ctx.scale = scale;
      return x.mul(x).mul(scale);
    },
    backward(ctx, g) {
      const [x] = ctx.savedTensors;
      if (!g || !x) return null;
      return [g.mul(x).mul(2 * (ctx.scale as number)), null];
    },
  });

  it('uses its own rule, to every order when that is differentiable', () => {
    const x = f64([1, -2, 0.5], true);
    expect(vg.gradcheck((t) => softsquare(t, 3), [x])).toBe(true);
    expect(vg.gradgradcheck((t) => softsquare(t, 3), [x])).toBe(true);
  });

  it('has several outputs, some without gradients', () => {
    const split = vg.defineFunction({
      forward(ctx, x: vg.Tensor): vg.Tensor[] {
        const [twice, sign] = [x.mul(2), x.sign()];
        ctx.markNonDifferentiable(sign);
        return [twice, sign];
      },
      backward: (_ctx, g) => g?.mul(2),
    });
    const x = f64([1, -2], true);
    const [twice, sign] = split(x);
    expect([twice.requiresGrad, sign.requiresGrad]).toEqual([true, false]);
    twice.sum().backward();
    expect(values(x.grad)).toEqual([2, 2]);
  });

  it('may return its input', () => {
    const reverse = vg.defineFunction({
      forward: (_ctx, x: vg.Tensor) => x,
      backward: (_ctx, g) => g?.neg(),
    });
    const x = f64([1, 2], true);
    reverse(x).sum().backward();
    expect(values(x.grad)).toEqual([-1, -1]);
    expect(x.isLeaf).toBe(true);
  });

  it('refuses a wrong number of gradients and a changed saved tensor', () => {
    const bad = vg.defineFunction({
      name: 'bad',
      forward: (_ctx, x: vg.Tensor, y: vg.Tensor, _k: number) => x.add(y),
      backward: (_ctx, g) => [g],
    });
    const x = f64([1], true);
    expect(() => bad(x, x, 1).backward()).toThrow(
      'incorrect number of gradients (expected 3, got 1)',
    );
    const y = x.mul(1);
    const z = softsquare(y, 1);
    y.add_(1);
    expect(() => z.backward()).toThrow('modified by an inplace operation');
  });
});

describe('checkpoint', () => {
  it('gives the same gradients, also of tensors that the function closes over', () => {
    const weight = f64([0.3, -0.7], true);
    const outer = weight.mul(2);
    const block = (x: vg.Tensor) => x.mul(outer).tanh().mul(weight).exp();
    const run = (wrap: (x: vg.Tensor) => vg.Tensor) => {
      const x = f64([1, 2], true);
      const [dx, dw] = vg.grad(wrap(x.mul(1)).sum(), [x, weight], { retainGraph: true });
      return [values(dx), values(dw)];
    };
    expect(run((x) => vg.checkpoint(block, x))).toEqual(run(block));
  });

  it('accumulates into leaves once, and runs their hooks once', () => {
    const weight = f64([2], true);
    let calls = 0;
    weight.registerHook(() => {
      calls++;
    });
    const x = f64([3], true);
    vg.checkpoint((t) => t.mul(weight), x).backward();
    expect([values(weight.grad), values(x.grad), calls]).toEqual([[3], [2], 1]);
  });

  it('has a second derivative', () => {
    const x = f64([0.5, 1.5], true);
    const w = f64([1, -1], true);
    const f = (a: vg.Tensor, b: vg.Tensor) => vg.checkpoint((p, q) => p.mul(q).sin().mul(p), a, b);
    expect(vg.gradcheck(f, [x, w])).toBe(true);
    expect(vg.gradgradcheck(f, [x, w])).toBe(true);
  });

  it('draws the same random numbers again and leaves the generator as it was', () => {
    const x = f64([1, 2, 3, 4], true);
    const noisy = (t: vg.Tensor) => t.mul(t).mul(vg.rand([4], { dtype: 'float64' }));
    vg.manualSeed(11);
    const [plain] = vg.grad(noisy(x).sum(), x);
    const expectedNext = vg.rand([1]).item();
    vg.manualSeed(11);
    const [again] = vg.grad(vg.checkpoint(noisy, x).sum(), x);
    expect(values(again)).toEqual(values(plain));
    expect(vg.rand([1]).item()).toBe(expectedNext);
  });

  it('keeps nothing of the inside: the function runs again in backward', () => {
    let runs = 0;
    const x = f64([1], true);
    const y = vg.checkpoint((t) => {
      runs++;
      return t.exp();
    }, x);
    expect(runs).toBe(1);
    y.backward();
    expect(runs).toBe(2);
  });

  it('is the function itself without gradients', () => {
    expect(vg.checkpoint((t) => t.mul(2), f64([1])).requiresGrad).toBe(false);
    expect(vg.noGrad(() => vg.checkpoint((t) => t.mul(2), f64([1], true))).requiresGrad).toBe(
      false,
    );
  });
});

describe('detectAnomaly', () => {
  it('names the forward operation and where it was called', () => {
    const x = f64([0], true);
    const run = () => vg.detectAnomaly(() => x.sqrt().mul(0).sum().backward());
    expect(run).toThrow(/backward of 'sqrt' returned nan values in the gradient of its input 0/);
    expect(run).toThrow(/autograd\.functional\.test/);
  });

  it('says nothing when it is off', () => {
    const x = f64([0], true);
    x.sqrt().mul(0).sum().backward();
    expect(values(x.grad)).toEqual([Number.NaN]);
  });
});
