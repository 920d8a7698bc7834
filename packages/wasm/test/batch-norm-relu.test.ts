// A batch norm and the ReLU after it as one kernel: the same numbers as on the reference, where they are
// two, and two again as soon as somebody looks between them.

import { cpu, full, grad, manualSeed, noGrad, randn, strategies, type Tensor } from '@voxgrad/core';
import * as nn from '@voxgrad/nn';
import { afterEach, describe, expect, it } from 'vitest';
import { expectClose } from '../../core/test/support/numbers.js';
import { createWasmDevice } from '../src/index.js';

const devices = [1, 2].map((threads) => createWasmDevice({ threads, smallBytes: 0 }));
const [device] = devices;

type Layers = nn.Sequential<Tensor, Tensor>;

const layers = (channels: number, affine = true): Layers =>
  new nn.Sequential(new nn.BatchNorm3d(channels, { affine }), new nn.ReLU());

/** Outputs, gradients, gradients of gradients and running statistics. */
function run(
  model: Layers,
  shape: readonly number[],
  dtype: 'float32' | 'float64',
  place: typeof cpu,
) {
  manualSeed(3);
  model.to(dtype).to(place);
  const draw = (size: readonly number[]) => randn(size, { dtype, device: place });
  const norm = model.at(0) as nn.BatchNorm3d;
  const parameters = [norm.weight, norm.bias].filter((t) => t !== null);
  noGrad(() => {
    for (const p of parameters) p.copy_(draw(p.shape));
  });
  const inputs = [draw(shape).add(1).detach().requiresGrad_(), ...parameters];
  const gradOutputs = draw(shape).detach().requiresGrad_();
  const y = model.call(inputs[0]);
  const first = grad(y, inputs, { gradOutputs });
  const [gx] = grad(model.call(inputs[0]), [inputs[0]], { gradOutputs, createGraph: true });
  const second = grad(gx?.mul(draw(shape)) as Tensor, [...inputs, gradOutputs], {
    gradOutputs: draw(shape),
    allowUnused: true,
  });
  return [y, ...first, ...second, norm.runningMean, norm.runningVar];
}

const traced = (model: Layers, x: Tensor): string[] =>
  strategies
    .trace(() => model.call(x).sum().backward())
    .map(({ op, strategy }) => `${op} ${strategy}`)
    .filter((entry) => entry !== 'relu.backward fused');

const SHAPES = [
  [1, 2, 3, 4, 5],
  [2, 5, 7, 9, 31],
  [1, 2, 1, 1, 20_000],
];

describe.each(['float32', 'float64'] as const)('%s', (dtype) => {
  it.each(SHAPES)('[%i, %i, %i, %i, %i]', (...shape) => {
    const tolerance = dtype === 'float64' ? 1e-12 : 3e-5;
    for (const affine of [true, false])
      for (const at of devices) {
        const want = run(layers(shape[1], affine), shape, dtype, cpu);
        const got = run(layers(shape[1], affine), shape, dtype, at);
        got.forEach((g, i) => {
          const other = want[i];
          expect(g === null, `number ${i}`).toBe(other === null);
          if (g && other) expectClose(g, other, tolerance, `affine ${affine}, number ${i}`);
        });
      }
  });
});

const x = randn([1, 2, 3, 4, 5], { device }).requiresGrad_();
const FUSED = ['batchNormRelu.forward fused', 'batchNormRelu fused'];
const APART = ['batchNorm.forward fused', 'batchNorm fused'];

describe('runs as one kernel', () => {
  afterEach(() => {
    strategies.use({ batchNorm: null });
  });

  it('between layers that nobody watches', () => {
    expect(traced(layers(2).to(device), x)).toEqual(FUSED);
  });

  it('also where ReLU works in place', () => {
    const model = new nn.Sequential(new nn.BatchNorm3d(2), new nn.ReLU({ inplace: true }));
    expect(traced(model.to(device), x)).toEqual(FUSED);
  });

  it.each([0, 1])('not with a hook on layer %i', (index) => {
    const model = layers(2).to(device);
    let seen = 0;
    model.at(index).registerForwardHook(() => {
      seen++;
    });
    expect(traced(model, x)).toEqual(APART);
    expect(seen).toBe(1);
  });

  it('not where a subclass or a forward of its own computes', () => {
    class Mine extends nn.ReLU {}
    expect(traced(new nn.Sequential(new nn.BatchNorm3d(2), new Mine()).to(device), x)).toEqual(
      APART,
    );
  });

  it('not where a strategy was asked for', () => {
    strategies.use({ batchNorm: 'composite' });
    expect(traced(layers(2).to(device), x)).toEqual([APART[0], 'batchNorm composite']);
  });

  it("not where ReLU's gradient has a strategy of the user's", () => {
    strategies.register({
      op: 'relu.backward',
      name: 'mine',
      kind: 'custom',
      supports: () => ({ ok: true, reasons: ['always'] }),
      cost: () => 0,
      run: (_call: unknown, tensors: { gradOutput: Tensor; output: Tensor }) =>
        tensors.gradOutput.mul(tensors.output.sign()),
    });
    try {
      expect(traced(layers(2).to(device), x)).toEqual([APART[0], 'relu.backward mine', APART[1]]);
    } finally {
      strategies.unregister('relu.backward', 'mine');
    }
  });

  it("not where ReLU has a strategy of the user's", () => {
    strategies.register({
      op: 'relu.forward',
      name: 'mine',
      kind: 'custom',
      supports: () => ({ ok: true, reasons: ['always'] }),
      cost: () => 0,
      run: (_call: unknown, { inputs: [t] }: { inputs: Tensor[] }) => t.maximum(0),
    });
    try {
      expect(traced(layers(2).to(device), x)).toContain('relu.forward mine');
    } finally {
      strategies.unregister('relu.forward', 'mine');
    }
  });
});

it.each([Number.NaN, Number.POSITIVE_INFINITY, 0, 1])(
  'a channel of %s is what the two make of it',
  (value) => {
    const [want, got] = [cpu, device].map((at) => {
      const input = full([1, 1, 2, 2, 4], value, { device: at });
      return [...layers(1).to(at).call(input).dataSync()].map(Number);
    });
    expect(got).toEqual(want);
  },
);
