// Composite and tiled against fused, in float64: every pattern scaled down, the same with edges of at
// most 16, and whole training runs.

import { conv3d, cpu, grad, manualSeed, randn, strategies, type Tensor } from '@voxgrad/core';
import * as nn from '@voxgrad/nn';
import { Adam } from '@voxgrad/optim';
import { createWasmDevice } from '@voxgrad/wasm';
import { describe, expect, it } from 'vitest';
import { limitedDevice, NO_LIMITS } from '../packages/core/test/support/limited-device.js';
import { defined, expectClose, filled } from '../packages/core/test/support/numbers.js';
import { PATTERNS, type Pattern, scaled } from '../packages/voxgrad/src/bench/patterns.js';

const DEVICES = [
  cpu,
  createWasmDevice({ threads: 1, smallBytes: 0 }),
  // Pieces of five positions along two axes, and of one group or a few channels.
  limitedDevice({
    ...NO_LIMITS,
    output: [Number.POSITIVE_INFINITY, 5, 5],
    groups: 1,
    outChannels: 12,
    evenPadding: true,
  }),
];
const OTHERS = ['composite', 'tiled'];

const forced = <T>(strategy: string, fn: () => T): T =>
  strategies.with({ conv3d: strategy, 'conv3d.forward': strategy }, fn);

/** Output and gradients of a pattern. */
function derive(p: Pattern, device: (typeof DEVICES)[number], strategy: string): Tensor[] {
  return forced(strategy, () => {
    const [x, w] = [filled(p.input, -1, 1), filled(p.weight, -1, 1)].map((t) =>
      t.to(device).requiresGrad_(),
    );
    const bias = filled([p.weight[0]], -1, 1).to(device).requiresGrad_();
    const { stride, padding, dilation, groups } = p;
    const y = conv3d(x, w, bias, { stride, padding, dilation, groups });
    const direction = filled(y.shape, -0.9, 1).to(device);
    const gradients = grad(y, [x, w, bias], { gradOutputs: direction });
    return [y, ...gradients.map((g) => defined(g))];
  });
}

const whole = DEVICES.slice(0, 2);

function compare(p: Pattern, device: (typeof DEVICES)[number], strategy: string, most: number) {
  // A device with limits refuses the fused kernels; what it should have computed is the cpu's.
  const right = derive(p, whole.includes(device) ? device : cpu, 'fused');
  derive(p, device, strategy).forEach((t, i) => {
    expectClose(t, right[i], most, ['output', 'input', 'weight', 'bias'][i]);
  });
}

/** No edge over 16; few channels, so that a sum has as many terms as its volume. */
const small = (p: Pattern): Pattern => {
  const [n, c, ...volume] = p.input;
  const [d, h, w] = volume.map((size) => Math.min(size, 16));
  return { ...p, input: [n, c, d, h, w] };
};

describe.each(DEVICES.map((device) => ({ name: device.name, device })))('$name', ({ device }) => {
  describe.each(OTHERS)('%s', (strategy) => {
    it.each(PATTERNS)('$name, volume scaled by 16: within 1e-12', (p) => {
      compare(scaled(p, 16), device, strategy, 1e-12);
    });
  });
});

describe.each(whole.map((device) => ({ name: device.name, device })))('$name', ({ device }) => {
  describe.each(OTHERS)('%s', (strategy) => {
    // The best figure published for this method.
    it.each(PATTERNS)('$name, edges up to 16: within 1.78e-14', (p) => {
      compare(small(p), device, strategy, 1.78e-14);
    });
  });
});

/** A strided, a dilated, a depthwise and a transposed convolution, 20 epochs of Adam. */
function losses(device: (typeof DEVICES)[number], strategy: string | null): number[] {
  const run = () => {
    manualSeed(3);
    const options = { dtype: 'float64', device } as const;
    const model = new nn.Sequential(
      new nn.Conv3d(1, 4, 3, { padding: 1, stride: 2, ...options }),
      new nn.Tanh(),
      new nn.Conv3d(4, 4, 5, { padding: 4, dilation: 2, groups: 4, ...options }),
      new nn.Tanh(),
      new nn.ConvTranspose3d(4, 1, 3, { stride: 2, padding: 1, outputPadding: 1, ...options }),
    );
    const [x, target] = [0, 1].map(() =>
      randn([2, 1, 6, 8, 10], { dtype: 'float64', device: cpu }).to(device),
    );
    const optimizer = new Adam(model.parameters(), { lr: 0.01 });
    return Array.from({ length: 20 }, () => {
      optimizer.zeroGrad();
      const loss = model.call(x).sub(target).square().mean();
      loss.backward();
      optimizer.step();
      return loss.item();
    });
  };
  if (strategy === null) return run();
  const all = { conv3d: strategy, 'conv3d.forward': strategy, 'convTranspose3d.forward': strategy };
  return strategies.with(all, run);
}

describe('20 epochs', () => {
  const right = losses(cpu, 'fused');

  it.each(
    DEVICES.flatMap((device) =>
      [...OTHERS, null].map((strategy) => ({
        name: `${device.name}, ${strategy ?? 'unforced'}`,
        ...{ device, strategy },
      })),
    ),
  )('$name: the losses of fused within 1e-10', ({ device, strategy }) => {
    const got = losses(device, strategy);
    expect(got[19]).toBeLessThan(got[0] * 0.95);
    got.forEach((loss, epoch) => {
      expect(Math.abs(loss - right[epoch]), `epoch ${epoch}`).toBeLessThan(1e-10);
    });
  });
});
