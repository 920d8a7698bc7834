// A small network trains on every device as it does on the cpu in float64.

import { cpu, type Device, type DType, type StateDict, tensor, zeros } from '@voxgrad/core';
import * as nn from '@voxgrad/nn';
import { Adam, SGD } from '@voxgrad/optim';
import { describe, expect, it } from 'vitest';
import { defined, expectReadClose, filled } from '../../packages/core/test/support/numbers.js';
import { PLACES, tolerance } from './devices.js';

const network = () =>
  new nn.Sequential(
    new nn.Conv3d(2, 4, 3, { padding: 1, groups: 2, dtype: 'float64', device: cpu }),
    new nn.BatchNorm3d(4, { dtype: 'float64', device: cpu }),
    new nn.ReLU(),
    new nn.MaxPool3d(2),
    new nn.ConvTranspose3d(4, 2, 2, { stride: 2, dtype: 'float64', device: cpu }),
  );

/** Parameters without chance, the same for every device. */
function initialState(): StateDict {
  const state = network().stateDict();
  for (const [key, { dtype, shape }] of state)
    if (dtype === 'float64') state.set(key, filled(shape, -0.4, 0.6).abs());
  return state;
}

const STEPS = 4;
const ADAM_RATE = 0.01;

/**
 * A bias before batch norm has no gradient but the rounding of one, whose sign and size say nothing.
 * In float32 that is about Adam's eps: divided by its own size it may move the bias by the learning
 * rate at each step, and the running mean follows it. The loss and all else depend on neither.
 */
const FOLLOWS_NOISE = ['0.bias', '1.running_mean'];

async function train(optimizer: 'SGD' | 'Adam', device: Device, dtype: DType) {
  const model = network();
  model.loadStateDict(initialState());
  model.to(dtype).to(device);
  const x = filled([2, 2, 4, 4, 6]).to(dtype).to(device);
  const labels = tensor(filled([2, 4, 4, 6], 0, 2).floor().to('int64').tolist(), {
    dtype: 'int64',
    device,
  });
  const steps =
    optimizer === 'SGD'
      ? new SGD(model.parameters(), { lr: 0.1, momentum: 0.9, weightDecay: 0.01 })
      : new Adam(model.parameters(), { lr: ADAM_RATE });
  const losses: number[] = [];
  for (let step = 0; step < STEPS; step++) {
    steps.zeroGrad();
    const loss = nn.functional.crossEntropy(model.forward(x), labels);
    loss.backward();
    steps.step();
    losses.push(await loss.itemAsync());
  }
  return { losses, model };
}

describe.each(PLACES)('$name', ({ device, dtype }) => {
  it.each(['SGD', 'Adam'] as const)('%s reaches the same losses and state', async (optimizer) => {
    const got = await train(optimizer, device, dtype);
    const right = await train(optimizer, cpu, 'float64');
    // Adam divides by the gradient's size, which amplifies its rounding.
    const allowed = 10 * tolerance(dtype, 2);
    got.losses.forEach((loss, i) => {
      expect(Math.abs(loss - right.losses[i])).toBeLessThan(allowed);
    });
    expect(right.losses[STEPS - 1]).toBeLessThan(right.losses[0]);
    const expected = right.model.stateDict();
    for (const [key, value] of got.model.stateDict()) {
      expect(value.device).toBe(device);
      const noise = optimizer === 'Adam' && dtype !== 'float64' && FOLLOWS_NOISE.includes(key);
      const limit = noise ? STEPS * ADAM_RATE : allowed;
      await expectReadClose(value, defined(expected.get(key)), limit, key);
    }
    const [, bias] = got.model.parameters();
    const noGradient = zeros(defined(bias.grad).shape, { device: cpu });
    await expectReadClose(
      defined(bias.grad),
      noGradient,
      tolerance(dtype, 1),
      'gradient of 0.bias',
    );
  });

  it('gradients add up until zeroGrad forgets them', async () => {
    const layer = new nn.Conv3d(1, 1, 2, { device, dtype: 'float32' }).to(dtype);
    const x = filled([1, 1, 3, 3, 3]).to(dtype).to(device);
    const backward = () => layer.call(x).sum().backward();
    backward();
    const once = defined(layer.weight.grad).clone();
    backward();
    await expectReadClose(defined(layer.weight.grad), once.mul(2), tolerance(dtype, 1));
    layer.zeroGrad();
    expect(layer.weight.grad).toBeNull();
    backward();
    await expectReadClose(defined(layer.weight.grad), once, tolerance(dtype, 1));
  });
});
