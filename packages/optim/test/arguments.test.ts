import { tensor, VoxgradError } from '@voxgrad/core';
import { describe, expect, it } from 'vitest';
import * as optim from '../src/index.js';

const parameters = () => [tensor([1], { requiresGrad: true })];
const sgd = () => new optim.SGD(parameters(), { lr: 1 });

describe('an unknown option is refused by name', () => {
  it.each<[string, () => unknown, string]>([
    [
      'Adam',
      () => new optim.Adam(parameters(), { weightDeacy: 1 } as never),
      "Adam() got an unexpected option 'weightDeacy'; did you mean 'weightDecay'? It takes lr, betas, eps, weightDecay, amsgrad, maximize",
    ],
    [
      'SGD, lr by position',
      () => new optim.SGD(parameters(), 0.1 as never),
      'SGD(): expected an options object { lr,',
    ],
    [
      'a group',
      () => new optim.Adam([{ params: parameters(), weight_decay: 1 } as never]),
      "parameter group got an unexpected option 'weight_decay'; did you mean 'weightDecay'?",
    ],
    [
      'zeroGrad',
      () => sgd().zeroGrad({ set_to_none: true } as never),
      "zeroGrad() got an unexpected option 'set_to_none'",
    ],
    [
      'clipGradNorm',
      () => optim.clipGradNorm(parameters(), 1, { norm_type: 1 } as never),
      "clipGradNorm() got an unexpected option 'norm_type'; did you mean 'normType'?",
    ],
    [
      'StepLR',
      () => new optim.lrScheduler.StepLR(sgd(), 1, 0.5 as never),
      'StepLR(): expected an options object { gamma, lastEpoch }, but got 0.5',
    ],
    [
      'SequentialLR',
      () => new optim.lrScheduler.SequentialLR(sgd(), [], [], { last_epoch: 1 } as never),
      "did you mean 'lastEpoch'?",
    ],
    [
      'CyclicLR',
      () => new optim.lrScheduler.CyclicLR(sgd(), 0, 1, { step_size_up: 1 } as never),
      "did you mean 'stepSizeUp'?",
    ],
  ])('%s', (_, call, message) => {
    expect(call).toThrow(VoxgradError);
    expect(call).toThrow(message);
  });

  it('but a group may hold names of its own', () => {
    const group = { params: parameters(), label: 'head' };
    expect(new optim.SGD([group], { lr: 1 }).paramGroups[0]).toMatchObject({
      label: 'head',
      lr: 1,
    });
  });
});

describe('types', () => {
  const { ConstantLR, ExponentialLR, ChainedScheduler, SequentialLR, LRScheduler } =
    optim.lrScheduler;

  it('an Optimizer needs no type argument', () => {
    const any: optim.Optimizer[] = [
      sgd(),
      new optim.Adam(parameters()),
      new optim.LBFGS(parameters()),
    ];
    expect(any.map(({ paramGroups }) => paramGroups[0].lr)).toEqual([1, 1e-3, 1]);
  });

  it('schedulers of schedulers are schedulers', () => {
    const optimizer = sgd();
    const parts = () => [new ConstantLR(optimizer), new ExponentialLR(optimizer, 0.5)];
    const all: optim.lrScheduler.LRScheduler[] = [
      new SequentialLR(optimizer, parts(), [2]),
      new ChainedScheduler(parts()),
    ];
    for (const scheduler of all) expect(scheduler).toBeInstanceOf(LRScheduler);
    expect(Object.keys(all[0].stateDict()).sort()).toEqual([
      '_last_lr',
      '_milestones',
      '_schedulers',
      'last_epoch',
    ]);
    expect(Object.keys(all[1].stateDict()).sort()).toEqual(['_last_lr', '_schedulers']);
  });
});
