// Optimizer states in PyTorch's layout: parameters are numbered across groups, options and state
// carry PyTorch's names.

import { Tensor, tensor } from '@voxgrad/core';
import { describe, expect, it } from 'vitest';
import { defined, thrownBy } from '../../core/test/support/numbers.js';
import { Adagrad, Adam, LBFGS, type Optimizer, RMSprop, SGD } from '../src/index.js';

const parameter = (values: number[] = [1, 2]) =>
  tensor(values, { dtype: 'float64', requiresGrad: true });

function stepOn(optimizer: Optimizer<object>, ...params: Tensor[]): void {
  optimizer.zeroGrad();
  for (const p of params) p.square().sum().backward();
  optimizer.step();
}

describe('stateDict', () => {
  it('of SGD: groups with numbered parameters, state of those that were updated', () => {
    const [a, b] = [parameter(), parameter()];
    const optimizer = new SGD([{ params: [a] }, { params: [b], lr: 1 }], {
      lr: 0.1,
      momentum: 0.9,
    });
    stepOn(optimizer, a);
    const { state, param_groups } = optimizer.stateDict();
    const options = {
      momentum: 0.9,
      dampening: 0,
      weight_decay: 0,
      nesterov: false,
      maximize: false,
    };
    expect(param_groups).toEqual([
      { lr: 0.1, ...options, params: [0] },
      { lr: 1, ...options, params: [1] },
    ]);
    expect([...state].map(([i, s]) => [i, Object.keys(s)])).toEqual([[0, ['momentum_buffer']]]);
  });

  it('of Adam: step, exp_avg, exp_avg_sq, and max_exp_avg_sq with amsgrad', () => {
    const p = parameter();
    const optimizer = new Adam([p], { amsgrad: true, weightDecay: 0.5 });
    stepOn(optimizer, p);
    const { state, param_groups } = optimizer.stateDict();
    expect(Object.keys(defined(state.get(0)))).toEqual([
      'step',
      'exp_avg',
      'exp_avg_sq',
      'max_exp_avg_sq',
    ]);
    // A float32 tensor, as PyTorch 1.13 writes it.
    const steps = state.get(0)?.step;
    expect(steps instanceof Tensor && [steps.dtype, steps.item()]).toEqual(['float32', 1]);
    expect(param_groups).toEqual([
      {
        lr: 1e-3,
        betas: [0.9, 0.999],
        eps: 1e-8,
        weight_decay: 0.5,
        amsgrad: true,
        maximize: false,
        params: [0],
      },
    ]);
  });
});

describe('stateDict of others', () => {
  it('of Adagrad before the first step: sums, and a step of 0', () => {
    const { state } = new Adagrad([parameter()], { initialAccumulatorValue: 0.5 }).stateDict();
    const { step, sum } = defined(state.get(0));
    expect(step instanceof Tensor && step.item()).toBe(0);
    expect(sum instanceof Tensor && sum.tolist()).toEqual([0.5, 0.5]);
  });

  it('of RMSprop: a step that is a number, as in PyTorch 1.13', () => {
    const p = parameter();
    const optimizer = new RMSprop([p], { momentum: 0.9, centered: true });
    stepOn(optimizer, p);
    const values = defined(optimizer.stateDict().state.get(0));
    expect(Object.keys(values)).toEqual(['step', 'square_avg', 'grad_avg', 'momentum_buffer']);
    expect(values.step).toBe(1);
  });

  it('of L-BFGS: everything under the first parameter, flat', () => {
    const [a, b] = [parameter([1, 2]), parameter([3])];
    const optimizer = new LBFGS([a, b], { lr: 0.1, maxIter: 3 });
    optimizer.step(() => {
      optimizer.zeroGrad();
      const loss = a.square().sum().add(b.pow(4).sum());
      loss.backward();
      return loss;
    });
    const { state } = optimizer.stateDict();
    expect([...state.keys()]).toEqual([0]);
    const { d, ro, n_iter } = defined(state.get(0));
    expect(d instanceof Tensor && d.shape).toEqual([3]);
    expect(Array.isArray(ro) && ro.every((x) => x instanceof Tensor && x.ndim === 0)).toBe(true);
    expect(n_iter).toBe(2); // maxEval, 1.25·3, allows no third
  });
});

describe('loadStateDict', () => {
  const makers = {
    SGD: (p: Tensor) => new SGD([p], { lr: 0.1, momentum: 0.9 }),
    Adam: (p: Tensor) => new Adam([p], { lr: 0.1, amsgrad: true }),
  };

  it.each(Object.entries(makers))('%s goes on as if nothing had happened', (_, make) => {
    const straight = parameter();
    const first = make(straight);
    stepOn(first, straight);
    const resumed = parameter(straight.tolist() as number[]);
    const second = make(resumed);
    second.loadStateDict(first.stateDict());
    for (let i = 0; i < 3; i++) {
      stepOn(first, straight);
      stepOn(second, resumed);
    }
    expect(resumed.tolist()).toEqual(straight.tolist());
  });

  it('takes options over, by their names in PyTorch', () => {
    const [from, to] = [new Adam([parameter()], { weightDecay: 0.5 }), new Adam([parameter()])];
    to.loadStateDict(from.stateDict());
    expect(to.paramGroups[0].weightDecay).toBe(0.5);
  });

  it('copies moments into the dtype of the parameter, and the step as a number', () => {
    const p = parameter();
    const optimizer = new Adam([p]);
    const moment = tensor([0.5, 0.25], { dtype: 'float32' });
    const group = new Map<string, unknown>([
      ['lr', 0.01],
      ['params', [7]], // the numbers of a file are its own
    ]);
    const state = new Map<string, unknown>([
      ['step', tensor(3)],
      ['exp_avg', moment],
      ['exp_avg_sq', moment],
    ]);
    optimizer.loadStateDict(
      new Map<unknown, unknown>([
        ['state', new Map([[7, state]])],
        ['param_groups', [group]],
      ]),
    );
    const loaded = defined(optimizer.state.get(p));
    expect(loaded.step).toBe(3);
    const average = loaded.exp_avg;
    expect(average instanceof Tensor && average.dtype).toBe('float64');
    expect(average).not.toBe(moment);
    expect(optimizer.paramGroups[0].lr).toBe(0.01);
    stepOn(optimizer, p);
    expect(moment.tolist()).toEqual([0.5, 0.25]);
  });

  it.each<[string, () => unknown, string]>([
    [
      'another number of groups',
      () =>
        new SGD([parameter()], { lr: 1 }).loadStateDict(
          new SGD([{ params: [parameter()] }, { params: [parameter()] }], { lr: 1 }).stateDict(),
        ),
      'loaded state dict has a different number of parameter groups',
    ],
    [
      'groups of another size',
      () =>
        new SGD([parameter()], { lr: 1 }).loadStateDict(
          new SGD([parameter(), parameter()], { lr: 1 }).stateDict(),
        ),
      "loaded state dict contains a parameter group that doesn't match the size of optimizer's group",
    ],
    [
      'no state dict',
      () => new SGD([parameter()], { lr: 1 }).loadStateDict(3 as never),
      "expected a state dict with the key 'param_groups', but got 3",
    ],
    [
      'a moment of another shape',
      () => {
        const from = parameter([1, 2, 3]);
        const saved = new Adam([from]);
        stepOn(saved, from);
        new Adam([parameter()]).loadStateDict(saved.stateDict());
      },
      'exp_avg of the state of parameter 0 has shape [3], expected [2]',
    ],
    [
      'the state of another optimizer',
      () => {
        const from = parameter();
        const saved = new SGD([from], { lr: 1, momentum: 0.9 });
        stepOn(saved, from);
        new Adam([parameter()]).loadStateDict(saved.stateDict());
      },
      "the state of parameter 0 has no 'step'",
    ],
    [
      'an option of another kind',
      () =>
        new Adam([parameter()]).loadStateDict({
          state: {},
          param_groups: [{ lr: 'fast', params: [0] }],
        }),
      "'lr' of a parameter group cannot be 'fast'",
    ],
    [
      'betas of another length',
      () =>
        new Adam([parameter()]).loadStateDict({
          state: {},
          param_groups: [{ betas: [0.9], params: [0] }],
        }),
      "'betas' of a parameter group cannot be [0.9]",
    ],
  ])('refuses %s', (_, load, text) => expect(thrownBy(load).message).toContain(text));

  it('takes plain objects, and learning rates in tensors, as newer versions of PyTorch keep them', () => {
    const p = parameter();
    const optimizer = new Adam([p]);
    const moment = tensor([0.5, 0.25], { dtype: 'float64' });
    optimizer.loadStateDict({
      state: { 0: { step: tensor([3]), exp_avg: moment, exp_avg_sq: moment } },
      param_groups: [{ lr: tensor(0.5), params: [0] }],
    });
    expect(optimizer.paramGroups[0].lr).toBe(0.5);
    expect(optimizer.state.get(p)?.step).toBe(3);
  });

  it('keeps what it does not know, and writes it back under the same names', () => {
    const optimizer = new SGD([parameter()], { lr: 1 });
    const group = {
      lr: 0.5,
      foreach: null,
      initial_lr: 1,
      myKey: 'a',
      swa_LR: 2,
      T_max: 3,
      x_2: 4,
    };
    optimizer.loadStateDict({ state: {}, param_groups: [{ ...group, params: [0] }] });
    expect(optimizer.stateDict().param_groups[0]).toMatchObject(group);
    expect(Object.keys(optimizer.stateDict().param_groups[0])).toHaveLength(6 + 7);
  });

  it('changes nothing where the state does not fit', () => {
    const p = parameter();
    const optimizer = new Adam([p], { lr: 0.5 });
    stepOn(optimizer, p);
    const before = optimizer.state.get(p);
    const other = new Adam([parameter(), parameter()], { lr: 0.1 }).stateDict();
    thrownBy(() => optimizer.loadStateDict(other));
    expect(optimizer.state.get(p)).toBe(before);
    expect(optimizer.paramGroups[0].lr).toBe(0.5);
  });
});
