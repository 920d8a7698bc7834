// Between layers that keep nothing, tensors go back early; whoever can see one keeps it.

import { grad, manualSeed, noGrad, randn, type Tensor } from '@voxgrad/core';
import { createWasmDevice } from '@voxgrad/wasm';
import { describe, expect, it } from 'vitest';
import { expectClose } from '../../core/test/support/numbers.js';
import * as nn from '../src/index.js';

const layers = () => [
  new nn.Conv3d(1, 3, 3, { padding: 1, dtype: 'float64' }),
  new nn.BatchNorm3d(3, { dtype: 'float64' }),
  new nn.ReLU(),
  new nn.MaxPool3d(2),
  new nn.Conv3d(3, 2, 1, { dtype: 'float64' }),
  new nn.Sigmoid(),
];

function inputs() {
  manualSeed(5);
  const model = new nn.Sequential(...layers());
  return { model, x: randn([2, 1, 4, 4, 4], { dtype: 'float64' }).requiresGrad_() };
}

/** The same layers one after the other, where nothing is hidden. */
const inTheOpen = (model: nn.Sequential, x: Tensor): Tensor =>
  model.children().reduce((y, layer) => (layer as nn.ReLU).call(y), x);

describe('gradients through hidden tensors', () => {
  it('are those of the layers in the open, to the second order', () => {
    const { model, x } = inputs();
    const parameters = [x, ...model.parameters()];
    const derivatives = (y: Tensor) => {
      const first = grad(y.mul(y).sum(), parameters, { createGraph: true });
      const total = first.map((g) => g?.mul(g).sum()).reduce((a, b) => (a && b ? a.add(b) : a));
      return [...first, ...grad(total as Tensor, parameters, { allowUnused: true })];
    };
    const got = derivatives(model.call(x));
    const want = derivatives(inTheOpen(model, x));
    got.forEach((g, i) => {
      if (g) expectClose(g, want[i] as Tensor, 1e-13, `number ${i}`);
    });
  });

  it('come twice where the graph is retained, and not where it is not', () => {
    const { model, x } = inputs();
    const loss = model.call(x).sum();
    loss.backward(null, { retainGraph: true });
    const once = x.grad?.clone() as Tensor;
    loss.backward();
    expectClose(x.grad as Tensor, once.mul(2), 1e-15, 'twice');
    expect(() => loss.backward()).toThrow(/second time/);
  });
});

describe('what somebody can see stays', () => {
  const values = (t: Tensor | undefined) => (t ? Array.from(t.dataSync(), Number) : []);
  const train = (model: nn.Sequential, x: Tensor) => model.call(x).sum().backward();

  it('a forward hook', () => {
    const { model, x } = inputs();
    let seen: Tensor | undefined;
    model.at(1).registerForwardHook((_, __, y) => {
      seen = y as Tensor;
    });
    train(model, x);
    expect(values(seen)).toHaveLength(2 * 3 * 64);
  });

  it('a layer of the user, and a subclass of one of ours', () => {
    class Keeps extends nn.ReLU {
      kept: Tensor | undefined;
      override forward(x: Tensor): Tensor {
        this.kept = x;
        return super.forward(x);
      }
    }
    const { model, x } = inputs();
    const keeps = new Keeps();
    model.append(keeps);
    train(model, x);
    expect(values(keeps.kept)).toHaveLength(2 * 2 * 8);
  });

  it('a forward that was replaced', () => {
    const { model, x } = inputs();
    let seen: Tensor | undefined;
    const relu = model.at(2) as nn.ReLU;
    relu.forward = (y) => {
      seen = y;
      return y.relu();
    };
    train(model, x);
    expect(values(seen)).toHaveLength(2 * 3 * 64);
  });

  it('running statistics, gradients and what comes out', () => {
    const { model, x } = inputs();
    const y = model.call(x);
    y.sum().backward();
    for (const t of [y, x.grad as Tensor, ...model.stateDict().values()]) values(t);
    for (const p of model.parameters())
      expect(values(p.grad as Tensor).every(Number.isFinite)).toBe(true);
  });
});

it('without recording, nothing of the inside is left on a device', () => {
  const device = createWasmDevice({ threads: 1, smallBytes: 0 });
  const model = new nn.Sequential(new nn.Conv3d(1, 8, 3, { padding: 1, device }), new nn.ReLU());
  const x = randn([1, 1, 16, 16, 16], { device });
  noGrad(() => model.call(x));
  const before = device.memory().blocks;
  const y = noGrad(() => model.call(x));
  expect(y.numel).toBe(8 * 16 ** 3);
  expect(device.memory().blocks).toBe(before + 1);
});
