// Optimizers step by step. Expected: PyTorch 1.13 in float64, four steps on (i + 1)·Σ cᵢ·pᵢ² from
// p = [1, −2, 3], c = [1, 0.5, 0.25].

import { noGrad, type Tensor, tensor, VoxgradError } from '@voxgrad/core';
import { describe, expect, it } from 'vitest';
import { numbersOf, thrownBy } from '../../core/test/support/numbers.js';
import {
  Adadelta,
  Adagrad,
  Adam,
  Adamax,
  type AdamOptions,
  AdamW,
  ASGD,
  LBFGS,
  NAdam,
  type Optimizer,
  RAdam,
  RMSprop,
  Rprop,
  SGD,
  type SGDOptions,
} from '../src/index.js';

const start = () => tensor([1, -2, 3], { dtype: 'float64', requiresGrad: true });
const factors = tensor([1, 0.5, 0.25], { dtype: 'float64' });

function trajectory(make: (params: Tensor[]) => Optimizer<object>): number[] {
  const p = start();
  const optimizer = make([p]);
  for (let i = 0; i < 4; i++) {
    optimizer.zeroGrad();
    p.square()
      .mul(factors)
      .mul(i + 1)
      .sum()
      .backward();
    optimizer.step();
  }
  return [...numbersOf(p)];
}

const closeTo = (got: readonly number[], expected: readonly number[]) =>
  got.forEach((x, i) => {
    expect(x).toBeCloseTo(expected[i], 14);
  });

describe('SGD', () => {
  it.each<[string, Partial<SGDOptions> & { lr: number }, number[]]>([
    ['plain', { lr: 0.1 }, [0.03839999999999999, -0.6047999999999999, 1.7442]],
    ['momentum', { lr: 0.1, momentum: 0.9 }, [-0.6330000000000001, 0.54, 0.6817499999999999]],
    [
      'dampening',
      { lr: 0.1, momentum: 0.9, dampening: 0.3 },
      [-0.5358528, 0.11028960000000013, 1.1686175999999997],
    ],
    [
      'nesterov',
      { lr: 0.1, momentum: 0.9, nesterov: true },
      [-0.12628415999999992, 0.5831611200000001, 0.1681049699999999],
    ],
    [
      'weightDecay',
      { lr: 0.1, weightDecay: 0.05 },
      [0.036434750625, -0.5884667512499999, 1.704511501875],
    ],
    [
      'maximize',
      { lr: 0.01, maximize: true, momentum: 0.5 },
      [1.29810784, -2.28767648, 3.2119174200000002],
    ],
  ])('%s', (_, options, expected) => {
    closeTo(
      trajectory((params) => new SGD(params, options)),
      expected,
    );
  });
});

describe('Adam', () => {
  it.each<[string, Partial<AdamOptions>, number[]]>([
    ['plain', { lr: 0.1 }, [0.6065056015748846, -1.6091063889422361, 2.609964783448613]],
    [
      'betas and eps',
      { lr: 0.1, betas: [0.5, 0.7], eps: 1e-3 },
      [0.5920473191596627, -1.592110246651322, 2.5922688386365373],
    ],
    [
      'weightDecay',
      { lr: 0.1, weightDecay: 0.2 },
      [0.6052884387407377, -1.606640583933993, 2.60556899797401],
    ],
    [
      'amsgrad',
      { lr: 0.1, amsgrad: true, betas: [0.9, 0.5] },
      [0.6423287887819937, -1.648061450812584, 2.649724462626236],
    ],
    [
      'maximize',
      { lr: 0.1, maximize: true },
      [1.383774573396064, -2.38597845558275, 3.3867528309670374],
    ],
  ])('%s', (_, options, expected) => {
    closeTo(
      trajectory((params) => new Adam(params, options)),
      expected,
    );
  });
});

describe('step', () => {
  it('returns the loss of a closure, which runs with recording on', () => {
    const p = start();
    const optimizer = new SGD([p], { lr: 0.1 });
    expect(optimizer.step()).toBeNull();
    const loss = noGrad(() =>
      optimizer.step(() => {
        const value = p.square().sum();
        value.backward();
        return value;
      }),
    );
    expect(loss.item()).toBe(14);
    closeTo([...numbersOf(p)], [0.8, -1.6, 2.4]);
  });

  it('of L-BFGS gets as near to the minimum of the Rosenbrock function as PyTorch', () => {
    const p = tensor([-1.2, 1], { dtype: 'float64', requiresGrad: true });
    const optimizer = new LBFGS([p], { lineSearchFn: 'strong_wolfe', maxIter: 60 });
    optimizer.step(() => {
      optimizer.zeroGrad();
      const [x, y] = [p.select(0, 0), p.select(0, 1)];
      const loss = x.neg().add(1).square().add(y.sub(x.square()).square().mul(100));
      loss.backward();
      return loss;
    });
    closeTo(
      [...numbersOf(p)].map((x) => Math.round(x * 1e6) / 1e6),
      [0.999981, 0.999962],
    );
  });

  it('of L-BFGS does nothing where the gradient is zero, or missing', () => {
    const p = start();
    const loss = new LBFGS([p]).step(() => 5);
    expect([loss, p.tolist()]).toEqual([5, [1, -2, 3]]);
  });
});

describe('parameters', () => {
  it('may come from an iterator, and one by one in groups', () => {
    function* all() {
      yield start();
      yield start();
    }
    expect(new Adam(all()).paramGroups[0].params).toHaveLength(2);
    expect(new Adam([{ params: start() }]).paramGroups[0].params).toHaveLength(1);
  });

  it('may be added later, and gradients filled with zeros', () => {
    const [a, b] = [start(), start()];
    const optimizer = new SGD([a], { lr: 0.5 });
    optimizer.addParamGroup({ params: [b], lr: 1 });
    a.sum().add(b.sum()).backward();
    optimizer.step();
    expect([a.tolist(), b.tolist()]).toEqual([
      [0.5, -2.5, 2.5],
      [0, -3, 2],
    ]);
    optimizer.zeroGrad({ setToNull: false });
    expect(a.grad?.tolist()).toEqual([0, 0, 0]);
  });

  it('print with their options', () => {
    expect(String(new SGD([start()], { lr: 0.5 }))).toContain(
      'Parameter Group 0\n    dampening: 0',
    );
  });

  it('without a gradient stay, and get no state', () => {
    const [used, unused] = [start(), start()];
    const optimizer = new Adam([used, unused], { lr: 1 });
    used.sum().backward();
    optimizer.step();
    expect(unused.tolist()).toEqual([1, -2, 3]);
    expect([...optimizer.stateDict().state.keys()]).toEqual([0]);
  });

  it('keep their place on the tape: steps are not recorded', () => {
    const p = start();
    const optimizer = new SGD([p], { lr: 1 });
    p.sum().backward();
    optimizer.step();
    expect(p.isLeaf && p.requiresGrad).toBe(true);
    optimizer.zeroGrad();
    expect(p.grad).toBeNull();
  });

  it('groups have their own options; the learning rate may change between steps', () => {
    const [a, b] = [start(), start()];
    const optimizer = new SGD([{ params: [a] }, { params: [b], lr: 1 }], { lr: 0.5 });
    const step = () => {
      optimizer.zeroGrad();
      a.sum().add(b.sum()).backward();
      optimizer.step();
    };
    step();
    expect([a.tolist(), b.tolist()]).toEqual([
      [0.5, -2.5, 2.5],
      [0, -3, 2],
    ]);
    for (const group of optimizer.paramGroups) group.lr = 0;
    step();
    expect(b.tolist()).toEqual([0, -3, 2]);
  });
});

const NO_LR = "parameter group didn't specify a value of required optimization parameter lr";

describe('arguments are refused in the words of PyTorch', () => {
  const p = [start()];
  it.each<[string, () => unknown, string]>([
    ['lr', () => new SGD(p, { lr: -1 }), 'Invalid learning rate: -1'],
    ['lr NaN', () => new SGD(p, { lr: Number.NaN }), 'Invalid learning rate: NaN'],
    ['momentum', () => new SGD(p, { lr: 1, momentum: -1 }), 'Invalid momentum value: -1'],
    ['decay', () => new SGD(p, { lr: 1, weightDecay: -1 }), 'Invalid weight_decay value: -1'],
    [
      'nesterov',
      () => new SGD(p, { lr: 1, nesterov: true }),
      'Nesterov momentum requires a momentum and zero dampening',
    ],
    [
      'nesterov with dampening',
      () => new SGD(p, { lr: 1, nesterov: true, momentum: 0.9, dampening: 0.1 }),
      'Nesterov momentum requires a momentum and zero dampening',
    ],
    ['Adam lr', () => new Adam(p, { lr: -1 }), 'Invalid learning rate: -1'],
    ['eps', () => new Adam(p, { eps: -1 }), 'Invalid epsilon value: -1'],
    ['beta 0', () => new Adam(p, { betas: [1, 0.9] }), 'Invalid beta parameter at index 0: 1'],
    [
      'beta 1',
      () => new Adam(p, { betas: [0.9, -0.1] }),
      'Invalid beta parameter at index 1: -0.1',
    ],
    ['in a group', () => new SGD([{ params: p, lr: -2 }], { lr: 1 }), 'Invalid learning rate: -2'],
    ['no lr', () => new SGD(p, {} as never), NO_LR],
    ['no lr in one group', () => new SGD([{ params: p }] as never), NO_LR],
    ['beta count', () => new Adam(p, { betas: [0.9] as never }), 'Invalid betas: [0.9]'],
    [
      "PyTorch's spelling",
      () => new Adam(p, { weight_decay: 1 } as never),
      "Adam() got an unexpected option 'weight_decay'; did you mean 'weightDecay'?",
    ],
    ['unknown', () => new AdamW(p, { fused: true } as never), "got an unexpected option 'fused'"],
    ['alpha', () => new RMSprop(p, { alpha: -1 }), 'Invalid alpha value: -1'],
    ['lrDecay', () => new Adagrad(p, { lrDecay: -1 }), 'Invalid lr_decay value: -1'],
    [
      'accumulator',
      () => new Adagrad(p, { initialAccumulatorValue: -1 }),
      'Invalid initial_accumulator_value value: -1',
    ],
    ['rho', () => new Adadelta(p, { rho: 1.5 }), 'Invalid rho value: 1.5'],
    [
      'momentumDecay',
      () => new NAdam(p, { momentumDecay: -1 }),
      'Invalid momentum_decay value: -1',
    ],
    ['Adamax', () => new Adamax(p, { eps: -1 }), 'Invalid epsilon value: -1'],
    ['RAdam', () => new RAdam(p, { lr: -1 }), 'Invalid learning rate: -1'],
    ['ASGD', () => new ASGD(p, { weightDecay: -1 }), 'Invalid weight_decay value: -1'],
    ['etas', () => new Rprop(p, { etas: [1.5, 1.2] }), 'Invalid eta values: 1.5, 1.2'],
    [
      'two groups of L-BFGS',
      () => new LBFGS([{ params: [start()] }, { params: [start()] }]),
      "LBFGS doesn't support per-parameter options (parameter groups)",
    ],
    [
      'line search',
      () => new LBFGS(p, { lineSearchFn: 'armijo' as never }),
      "only 'strong_wolfe' is supported",
    ],
    ['L-BFGS without closure', () => new LBFGS(p).step(), 'LBFGS.step() needs a closure'],
    [
      'a closure without loss',
      () => new LBFGS(p).step(() => {}),
      'the closure must return the loss, but got undefined',
    ],
    [
      'a closure that is asynchronous',
      () => new SGD(p, { lr: 1 }).step(async () => {}),
      'the function returned a promise',
    ],
    [
      'a parameter twice in a group',
      () => new SGD([p[0], p[0]], { lr: 1 }),
      'optimizer contains a parameter group with duplicate parameters',
    ],
    [
      'a group added with a known parameter',
      () => new SGD(p, { lr: 1 }).addParamGroup({ params: p }),
      'some parameters appear in more than one parameter group',
    ],
    [
      'params that are none',
      () => new SGD([{ params: 3 as never }], { lr: 1 }),
      'params of a group must be a list of Tensors, but got 3',
    ],
    ['nothing', () => new SGD([], { lr: 1 }), 'optimizer got an empty parameter list'],
    ['a non-leaf', () => new SGD([p[0].mul(2)], { lr: 1 }), "can't optimize a non-leaf Tensor"],
    [
      'a number',
      () => new SGD([{ params: [3 as never] }], { lr: 1 }),
      'optimizer can only optimize Tensors, but one of the params is 3',
    ],
    [
      'one tensor',
      () => new SGD(p[0] as never, { lr: 1 }),
      'params argument given to the optimizer should be',
    ],
    [
      'a parameter in two groups',
      () => new SGD([{ params: p }, { params: p }], { lr: 1 }),
      'some parameters appear in more than one parameter group',
    ],
    [
      'tensors among groups',
      () => new SGD([p[0], { params: p }] as never, { lr: 1 }),
      'either tensors or groups',
    ],
  ])('%s', (_, make, text) => {
    const error = thrownBy(make);
    expect(error).toBeInstanceOf(VoxgradError);
    expect(error.message).toContain(text);
  });
});
