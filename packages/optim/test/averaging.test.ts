import { StateDict, tensor } from '@voxgrad/core';
import * as nn from '@voxgrad/nn';
import { describe, expect, it } from 'vitest';
import { defined, thrownBy } from '../../core/test/support/numbers.js';
import { ExponentialMovingAverage, StochasticWeightAverage } from '../src/index.js';

const weight = (value: number) => tensor([value], { dtype: 'float64', requiresGrad: true });

function set(p: ReturnType<typeof weight>, value: number): void {
  p.detach().fill_(value);
}

describe('averages of a list', () => {
  it('start as a copy at the first update; then decay, or the mean', () => {
    const p = weight(7);
    const ema = new ExponentialMovingAverage([p], { decay: 0.75 });
    const swa = new StochasticWeightAverage([p]);
    for (const value of [1, 5, 3]) {
      set(p, value);
      ema.update();
      swa.update();
    }
    expect(ema.averages.get('0')?.tolist()).toEqual([0.75 * 2 + 0.75]);
    expect(swa.averages.get('0')?.tolist()).toEqual([3]);
  });

  it('take the place of the weights and give it back', () => {
    const p = weight(1);
    const ema = new ExponentialMovingAverage([p]);
    set(p, 5);
    ema.apply();
    expect(p.tolist()).toEqual([1]);
    expect(thrownBy(() => ema.update()).message).toContain('call restore() first');
    expect(thrownBy(() => ema.apply()).message).toContain('applied already');
    ema.restore();
    expect(p.tolist()).toEqual([5]);
    expect(thrownBy(() => ema.restore()).message).toContain('not applied');
  });
});

describe('averages of a module', () => {
  const model = () => new nn.Sequential(new nn.Conv3d(1, 2, 1), new nn.BatchNorm3d(2));

  it("have the layout of PyTorch's AveragedModel", () => {
    const net = model();
    const ema = new ExponentialMovingAverage(net);
    ema.update();
    const keys = [...net.stateDict().keys()].map((key) => `module.${key}`);
    expect([...ema.stateDict().keys()]).toEqual(['n_averaged', ...keys]);
    const other = new ExponentialMovingAverage(model());
    other.loadStateDict(ema.stateDict());
    expect(other.nAveraged).toBe(1);
    expect(other.averages.get('0.weight')?.tolist()).toEqual(
      net.stateDict().get('0.weight')?.tolist(),
    );
  });

  it.each([
    [false, [4, 4]],
    [true, [2, 2]],
  ])('with useBuffers %s have running means %j', (useBuffers, expected) => {
    const net = model();
    const mean = defined(net.stateDict().get('1.running_mean'));
    const swa = new StochasticWeightAverage(net, { useBuffers });
    for (const value of [0, 4]) {
      mean.fill_(value);
      swa.update();
    }
    expect(swa.averages.get('1.running_mean')?.tolist()).toEqual(expected);
  });

  it('follow a module whose tensors were replaced', () => {
    const net = model();
    const ema = new ExponentialMovingAverage(net);
    net.double();
    ema.update();
    ema.apply();
    expect(net.stateDict().get('0.weight')?.dtype).toBe('float64');
  });
});

it.each<[string, () => unknown, string]>([
  ['decay', () => new ExponentialMovingAverage([], { decay: 2 }), 'Invalid decay value: 2'],
  [
    'no count',
    () => new ExponentialMovingAverage([]).loadStateDict(new Map()),
    'n_averaged is undefined',
  ],
  [
    'a missing weight',
    () =>
      new ExponentialMovingAverage([weight(1)]).loadStateDict(
        new StateDict([['n_averaged', tensor(1)]]),
      ),
    'Missing key(s) in state_dict: "module.0"',
  ],
  [
    'a weight of another shape',
    () =>
      new ExponentialMovingAverage([weight(1)]).loadStateDict(
        new ExponentialMovingAverage([tensor([1, 2])]).stateDict(),
      ),
    'size mismatch for module.0',
  ],
])('refuses %s', (_, make, text) => expect(thrownBy(make).message).toContain(text));
