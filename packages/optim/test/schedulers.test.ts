// Schedulers: what they refuse, remember and warn of. Their numbers are in pytorch.test.ts.

import { tensor } from '@voxgrad/core';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { thrownBy } from '../../core/test/support/numbers.js';
import { Adam, lrScheduler as lr, RMSprop, SGD } from '../src/index.js';

const sgd = (options: { lr?: number } = {}) =>
  new SGD([tensor([1], { requiresGrad: true })], { lr: 0.1, momentum: 0.9, ...options });
const rprop = () => new Adam([tensor([1], { requiresGrad: true })]);

afterEach(() => {
  vi.restoreAllMocks();
});

describe('order of steps', () => {
  it('warns once when the scheduler steps before the optimizer', () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const scheduler = new lr.StepLR(sgd(), 3);
    scheduler.step();
    scheduler.step();
    expect(warn).toHaveBeenCalledTimes(1);
    expect(warn.mock.calls[0][0]).toContain('Detected call of `lrScheduler.step()` before');
  });

  it('is silent otherwise', () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const optimizer = sgd();
    const scheduler = new lr.StepLR(optimizer, 3);
    optimizer.step();
    scheduler.step();
    expect(warn).not.toHaveBeenCalled();
  });
});

describe('state', () => {
  it("has PyTorch's names", () => {
    expect(new lr.StepLR(sgd(), 3).stateDict()).toEqual({
      base_lrs: [0.1],
      last_epoch: 0,
      _step_count: 1,
      _last_lr: [0.1],
      step_size: 3,
      gamma: 0.1,
    });
    const restarts = new lr.CosineAnnealingWarmRestarts(sgd(), 4, { TMult: 2 });
    expect(restarts.stateDict()).toMatchObject({ T_0: 4, T_i: 4, T_mult: 2, T_cur: 0, eta_min: 0 });
    const cosine = new lr.CosineAnnealingLR(sgd(), 9);
    expect(cosine.stateDict()).toMatchObject({ T_max: 9, eta_min: 0 });
    expect(new lr.LambdaLR(sgd(), () => 1).stateDict().lr_lambdas).toEqual([null]);
    expect(new lr.ReduceLROnPlateau(sgd()).stateDict()).toMatchObject({
      best: Number.POSITIVE_INFINITY,
      num_bad_epochs: 0,
      cooldown_counter: 0,
      min_lrs: [0],
      mode_worse: Number.POSITIVE_INFINITY,
      threshold_mode: 'rel',
    });
  });

  it('holds those of combined schedulers', () => {
    const optimizer = sgd();
    const parts = [new lr.ConstantLR(optimizer), new lr.ExponentialLR(optimizer, 0.9)];
    const { _schedulers, ...rest } = new lr.SequentialLR(optimizer, parts, [4]).stateDict();
    expect(rest).toMatchObject({ last_epoch: 0, _milestones: [4] });
    expect(_schedulers).toMatchObject([{ total_iters: 5 }, { gamma: 0.9, last_epoch: -1 }]);
  });

  it('is taken over as a whole or not at all', () => {
    const scheduler = new lr.StepLR(sgd(), 3);
    const before = scheduler.stateDict();
    const wrong = { last_epoch: 7, base_lrs: [1, 2] };
    expect(thrownBy(() => scheduler.loadStateDict(wrong)).message).toContain("'base_lrs' of a");
    expect(scheduler.stateDict()).toEqual(before);

    const optimizer = sgd();
    const parts = [new lr.ConstantLR(optimizer), new lr.ExponentialLR(optimizer, 0.9)];
    const chained = new lr.ChainedScheduler(parts);
    const good = parts[0].stateDict();
    const state = { _last_lr: [1], _schedulers: [{ ...good, last_epoch: 9 }, { gamma: 'x' }] };
    expect(thrownBy(() => chained.loadStateDict(state)).message).toContain("'gamma' of a");
    expect(parts[0].lastEpoch).toBe(0);
  });

  it('may hold what this scheduler does not know', () => {
    const scheduler = new lr.StepLR(sgd(), 3);
    scheduler.loadStateDict(
      new Map<string, unknown>([
        ['verbose', false],
        ['last_epoch', 5n],
      ]),
    );
    expect(scheduler.lastEpoch).toBe(5);
    expect(scheduler.stateDict()).not.toHaveProperty('verbose');
  });
});

describe('resuming with lastEpoch', () => {
  it('needs the initial learning rate', () => {
    const error = thrownBy(() => new lr.StepLR(sgd(), 3, { lastEpoch: 4 }));
    expect(error.message).toBe(
      "param 'initialLr' is not specified in paramGroups[0] when resuming an optimizer",
    );
  });

  it('goes on from there', () => {
    const optimizer = sgd();
    Object.assign(optimizer.paramGroups[0], { initialLr: 0.4 });
    const scheduler = new lr.CosineAnnealingLR(optimizer, 10, { lastEpoch: 4 });
    expect(scheduler.lastEpoch).toBe(5);
    expect(scheduler.getLastLr()[0]).toBeCloseTo(0.2, 15);
  });
});

it('a scheduler of one’s own needs only getLr', () => {
  class Halving extends lr.LRScheduler {
    constructor(optimizer: lr.Schedulable) {
      super(optimizer);
      this.begin();
    }
    protected override getLr() {
      return this.baseLrs.map((base) => base / 2 ** this.lastEpoch);
    }
  }
  const optimizer = sgd({ lr: 8 });
  const scheduler = new Halving(optimizer);
  optimizer.step();
  scheduler.step();
  expect(optimizer.paramGroups[0].lr).toBe(4);
});

describe('arguments are refused', () => {
  const other = sgd();
  it.each<[string, () => unknown, string]>([
    ['no optimizer', () => new lr.StepLR(3 as never, 3), '3 is not an Optimizer'],
    ['spelling', () => new lr.StepLR(sgd(), 3, { gama: 1 } as never), "unexpected option 'gama'"],
    ['step size', () => new lr.StepLR(sgd(), 0), 'Expected positive integer stepSize, but got 0'],
    [
      'factor',
      () => new lr.ConstantLR(sgd(), { factor: 2 }),
      'Constant multiplicative factor expected to be between 0 and 1.',
    ],
    [
      'start factor',
      () => new lr.LinearLR(sgd(), { startFactor: -1 }),
      'Starting multiplicative factor expected to be between 0 and 1.',
    ],
    [
      'T_0',
      () => new lr.CosineAnnealingWarmRestarts(sgd(), 1.5),
      'Expected positive integer T_0, but got 1.5',
    ],
    [
      'T_mult',
      () => new lr.CosineAnnealingWarmRestarts(sgd(), 1, { TMult: 0 }),
      'Expected integer T_mult >= 1, but got 0',
    ],
    [
      'a negative epoch',
      () => new lr.CosineAnnealingWarmRestarts(sgd(), 3).step(-1),
      'Expected non-negative epoch, but got -1',
    ],
    [
      'no steps',
      () => new lr.OneCycleLR(sgd(), 1, { epochs: 3 }),
      'You must define either total_steps OR (epochs AND steps_per_epoch)',
    ],
    [
      'part',
      () => new lr.OneCycleLR(sgd(), 1, { totalSteps: 9, pctStart: 2 }),
      'Expected float between 0 and 1 pct_start, but got 2',
    ],
    [
      'strategy',
      () => new lr.OneCycleLR(sgd(), 1, { totalSteps: 9, annealStrategy: 'log' as never }),
      "anneal_strategy must by one of 'cos' or 'linear', instead got 'log'",
    ],
    [
      'values per group',
      () => new lr.OneCycleLR(sgd(), [1, 2], { totalSteps: 9 }),
      'expected 1 values for max_lr, got 2',
    ],
    [
      'momentum',
      () => new lr.CyclicLR(rprop(), 0.1, 1),
      'optimizer must support momentum with `cycle_momentum` option enabled',
    ],
    [
      'mode',
      () => new lr.CyclicLR(sgd(), 0.1, 1, { mode: 'square' as never }),
      'mode is invalid and scale_fn is None',
    ],
    ['lambdas', () => new lr.LambdaLR(sgd(), []), 'Expected 1 lr_lambdas, but got 0'],
    [
      'plateau factor',
      () => new lr.ReduceLROnPlateau(sgd(), { factor: 1 }),
      'Factor should be < 1.0.',
    ],
    [
      'plateau mode',
      () => new lr.ReduceLROnPlateau(sgd(), { mode: 'mean' as never }),
      'mode mean is unknown!',
    ],
    [
      'minLr',
      () => new lr.ReduceLROnPlateau(sgd(), { minLr: [1, 2] }),
      'expected 1 min_lrs, got 2',
    ],
    ['no metric', () => new lr.ReduceLROnPlateau(sgd()).step(), 'needs the metric of the epoch'],
    [
      'another optimizer',
      () => new lr.SequentialLR(sgd(), [new lr.StepLR(other, 3)], []),
      'Sequential Schedulers expects all schedulers to belong to the same optimizer',
    ],
    [
      'milestones',
      () => new lr.SequentialLR(other, [new lr.StepLR(other, 3)], [3]),
      'expects number of schedulers provided to be one more than the number of milestone points',
    ],
    [
      'chained optimizers',
      () => new lr.ChainedScheduler([new lr.StepLR(sgd(), 3), new lr.StepLR(other, 3)]),
      'schedulers at index 0 and 1 to be different',
    ],
    ['no schedulers', () => new lr.ChainedScheduler([]), 'expects at least one scheduler'],
  ])('%s', (_, make, text) => expect(thrownBy(make).message).toContain(text));

  it('one cycle ends with its steps', () => {
    const optimizer = new RMSprop([tensor([1])]);
    const scheduler = new lr.OneCycleLR(optimizer, 1, { totalSteps: 2, pctStart: 0.9 });
    optimizer.step();
    scheduler.step();
    scheduler.step();
    expect(thrownBy(() => scheduler.step()).message).toBe(
      'Tried to step 4 times. The specified number of total steps is 2',
    );
  });
});

it('ReduceLROnPlateau takes a tensor', () => {
  const scheduler = new lr.ReduceLROnPlateau(sgd(), { patience: 0 });
  for (const metric of [1, 2]) scheduler.step(tensor(metric));
  expect(scheduler.getLastLr()[0]).toBeCloseTo(0.01, 15);
});

it('CyclicLR takes a height of one’s own', () => {
  const optimizer = sgd();
  const scheduler = new lr.CyclicLR(optimizer, 0, 1, {
    stepSizeUp: 2,
    scaleFn: (cycle) => 1 / cycle,
  });
  const lrs = Array.from({ length: 7 }, () => {
    const [now] = scheduler.getLastLr();
    optimizer.step();
    scheduler.step();
    return now;
  });
  expect(lrs).toEqual([0, 0.5, 1, 0.5, 0, 0.25, 0.5]);
});
