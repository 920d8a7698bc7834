// Reports of other projects' users about convolutions and padding, each with the right value. The
// remaining ones are tested where their subject is: geometry errors, derivatives, state dicts.

import * as vg from '@voxgrad/core';
import * as nn from '@voxgrad/nn';
import { describe, expect, it } from 'vitest';
import { expectClose } from '../packages/core/test/support/numbers.js';

const randn = (shape: number[], dtype: vg.DType = 'float64') => vg.randn(shape, { dtype });

/** y[n, o, d, h, w] from the definition, in plain loops over `at`, with zero padding. */
function naiveConv3d(x: vg.Tensor, w: vg.Tensor, stride: number[], pad: number): vg.Tensor {
  const padded = vg.pad(x, new Array<number>(6).fill(pad));
  const size = (a: number) => Math.floor((padded.shape[a + 2] - w.shape[a + 2]) / stride[a]) + 1;
  const rows: vg.Tensor[] = [];
  for (let d = 0; d < size(0); d++)
    for (let h = 0; h < size(1); h++)
      for (let v = 0; v < size(2); v++) {
        const window = [d, h, v].reduce(
          (part, at, a) => part.narrow(a + 2, at * stride[a], w.shape[a + 2]),
          padded,
        );
        rows.push(window.flatten(1).matmul(w.flatten(1).t()));
      }
  return vg.stack(rows, 2).reshape(x.shape[0], w.shape[0], size(0), size(1), size(2));
}

describe('convolutions', () => {
  it('the input gradient takes dilation, and every input size of a strided call (pytorch#13008)', () => {
    for (const size of [7, 8]) {
      const x = randn([1, 2, size, size, size]).requiresGrad_();
      const w = randn([3, 2, 2, 2, 2]).requiresGrad_();
      const options = { stride: 2, dilation: 2 };
      const y = vg.conv3d(x, w, null, options);
      const g = randn([...y.shape]);
      const [dx, dw] = vg.grad(y, [x, w], { gradOutputs: g });
      expect(y.shape).toEqual([1, 3, 3, 3, 3]);
      expect(nn.grad.conv3dInput(x.shape, w, g, options).tolist()).toEqual(dx?.tolist());
      expect(nn.grad.conv3dWeight(x, w.shape, g, options).tolist()).toEqual(dw?.tolist());
    }
    const w = randn([3, 2, 2, 2, 2]);
    expect(() =>
      nn.grad.conv3dInput([1, 2, 9, 9, 9], w, randn([1, 3, 3, 3, 3]), { stride: 2 }),
    ).toThrow('Expected grad_output to be of size [1, 3, 4, 4, 4], but got [1, 3, 3, 3, 3]');
  });

  it.each(['float64', 'float32'] as const)(
    'an output one wide under a stride is right, %s (pytorch#169688)',
    (dtype) => {
      for (const step of [2, 3])
        for (const strategy of vg.strategies.list('conv3d.forward')) {
          const [x, w] = [randn([2, 2, 4, 3, 3], dtype), randn([2, 2, 3, 3, 3], dtype)];
          const y = vg.strategies.with({ 'conv3d.forward': strategy.name }, () =>
            vg.conv3d(x, w, null, { stride: [1, 1, step] }),
          );
          expect(y.shape[4]).toBe(1);
          expectClose(y.double(), naiveConv3d(x.double(), w.double(), [1, 1, step], 0), 2e-6);
        }
    },
  );

  it.each(vg.strategies.list('conv3d').map((s) => s.name))(
    'an empty batch has weight gradients of exactly 0, %s (NNlib.jl#763)',
    (backward) => {
      const x = vg.zeros([0, 2, 4, 4, 4]).requiresGrad_();
      const [w, b] = [vg.randn([3, 2, 2, 2, 2]).requiresGrad_(), vg.randn([3]).requiresGrad_()];
      const y = vg.conv3d(x, w, b, { backward });
      const [dx, dw, db] = vg.grad(y.sum(), [x, w, b]);
      expect(dx?.shape).toEqual(x.shape);
      expect(dw?.abs().sum().item()).toBe(0);
      expect(db?.abs().sum().item()).toBe(0);
    },
  );

  it('dilation has gradients (tfjs#7906)', () => {
    const [x, w] = [randn([1, 1, 5, 5, 5]).requiresGrad_(), randn([1, 1, 2, 2, 2]).requiresGrad_()];
    expect(vg.gradcheck((a, b) => vg.conv3d(a, b, null, { dilation: 2 }), [x, w])).toBe(true);
  });

  it('inputs that a stride over the kernel skips get exactly 0 (tensorflow#11092)', () => {
    const x = randn([1, 1, 5, 5, 8]).requiresGrad_();
    const w = vg.ones([1, 1, 1, 1, 2], { dtype: 'float64' });
    for (const { name } of vg.strategies.list('conv3d')) {
      const y = vg.conv3d(x, w, null, { stride: [1, 1, 4], backward: name });
      const [dx] = vg.grad(y.sum(), x);
      expect(dx?.select(2, 0).select(2, 0).reshape(-1).tolist()).toEqual([1, 1, 0, 0, 1, 1, 0, 0]);
    }
  });
});

describe('padding modes', () => {
  const SOURCE = {
    circular: (i: number, n: number) => (i + n) % n,
    replicate: (i: number, n: number) => Math.min(Math.max(i, 0), n - 1),
    reflect: (i: number, n: number) => (i < 0 ? -i : i >= n ? 2 * (n - 1) - i : i),
  };

  it.each(Object.keys(SOURCE) as (keyof typeof SOURCE)[])(
    '%s pads the axis that it is told (pytorch#37844, #20981)',
    (mode) => {
      const x = randn([1, 1, 3, 4, 5]);
      const padding = [0, 1, 2];
      const conv = new nn.Conv3d(1, 1, 1, {
        padding,
        paddingMode: mode,
        bias: false,
        dtype: 'float64',
      });
      vg.noGrad(() => conv.weight.fill_(1));
      const zeros = new nn.Conv3d(1, 1, 1, { padding, dtype: 'float64' });
      const y = conv.call(x);
      expect(y.shape).toEqual(zeros.call(x).shape);
      for (let d = 0; d < 3; d++)
        for (let h = 0; h < 6; h++)
          for (let w = 0; w < 9; w++) {
            const from = [d, SOURCE[mode](h - 1, 4), SOURCE[mode](w - 2, 5)];
            const at = (t: vg.Tensor, [a, b, c]: number[]) =>
              t.select(0, 0).select(0, 0).select(0, a).select(0, b).select(0, c).item();
            expect(at(y, [d, h, w])).toBe(at(x, from));
          }
    },
  );

  it('circular padding of the whole size is legal, more is not (pytorch#20981)', () => {
    const x = vg.tensor([[[1, 2, 3]]]);
    expect(vg.pad(x, [3, 3], { mode: 'circular' }).tolist()).toEqual([
      [[1, 2, 3, 1, 2, 3, 1, 2, 3]],
    ]);
    expect(() => vg.pad(x, [4, 0], { mode: 'circular' })).toThrow('wrapping around more than once');
  });

  it.each(['constant', ...Object.keys(SOURCE)] as vg.PadMode[])(
    'the backward of %s refuses a gradient of another shape (pytorch#189463)',
    (mode) => {
      const x = randn([1, 2, 3, 3, 3]).requiresGrad_();
      const y = vg.pad(x, [1, 1, 1, 1, 1, 1], { mode });
      const gradOutputs = randn([1, 3, 5, 5, 5]);
      expect(() => vg.grad(y, x, { gradOutputs })).toThrow(
        'Mismatch in shape: grad_output[0] has a shape of [1, 3, 5, 5, 5]',
      );
    },
  );
});
