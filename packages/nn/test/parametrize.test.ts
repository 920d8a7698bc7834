// torch.nn.utils.parametrize and the other small helpers of nn.utils.

import { getRngState, grad, manualSeed, type Tensor, tensor } from '@voxgrad/core';
import { describe, expect, it } from 'vitest';
import * as nn from '../src/index.js';

const { parametrize } = nn.utils;

class Symmetric extends nn.Module {
  forward(x: Tensor): Tensor {
    return x.triu().add(x.triu(1).mT);
  }
}

class Scaled extends nn.Module {
  scale = new nn.Parameter(tensor(2));
  forward(x: Tensor): Tensor {
    return x.mul(this.scale);
  }
  rightInverse(x: Tensor): Tensor {
    return x.div(this.scale);
  }
}

class FirstRow extends nn.Module {
  forward(x: Tensor): Tensor {
    return x.narrow(0, 0, 1);
  }
}

describe('parametrize', () => {
  it('computes the parameter, under the keys of PyTorch', () => {
    const layer = new nn.Linear(3, 3);
    parametrize.registerParametrization(layer, 'weight', new Symmetric());
    parametrize.registerParametrization(layer, 'weight', new Scaled());
    expect([...layer.stateDict().keys()]).toEqual([
      'bias',
      'parametrizations.weight.original',
      'parametrizations.weight.1.scale',
    ]);
    expect(layer.weight.tolist()).toEqual(layer.weight.t().tolist());
    const names = layer.namedParameters().map(([name]) => name);
    expect(names).toContain('parametrizations.weight.original');
    expect(names).not.toContain('weight');
  });

  it('passes gradients to the original', () => {
    const layer = new nn.Linear(2, 2, { bias: false });
    parametrize.registerParametrization(layer, 'weight', new Symmetric());
    const original = layer.getParameter('parametrizations.weight.original');
    const [g] = grad([layer.call(tensor([[1, 2]])).sum()], [original]);
    expect(g?.tolist()).toEqual([
      [1, 3],
      [0, 2],
    ]);
  });

  it('keeps the value through rightInverse, and takes assignments', () => {
    const layer = new nn.Linear(2, 2);
    const { weight } = layer;
    const before = weight.tolist();
    parametrize.registerParametrization(layer, 'weight', new Scaled());
    expect(layer.weight.tolist()).toEqual(before);
    expect(layer.getParameter('parametrizations.weight.original')).toBe(weight);
    Object.assign(layer, {
      weight: tensor([
        [2, 4],
        [6, 8],
      ]),
    });
    expect(weight.tolist()).toEqual([
      [1, 2],
      [3, 4],
    ]);
    expect(parametrize.isParametrized(layer, 'weight')).toBe(true);
    expect(parametrize.isParametrized(layer, 'bias')).toBe(false);
  });

  it.each([true, false])('is removed, leaveParametrized: %s', (leaveParametrized) => {
    const layer = new nn.Linear(2, 2);
    const { weight } = layer;
    parametrize.registerParametrization(layer, 'weight', new Symmetric());
    const value = (leaveParametrized ? layer.weight : weight).tolist();
    parametrize.removeParametrizations(layer, 'weight', { leaveParametrized });
    expect(layer.weight).toBe(weight);
    expect(layer.weight.tolist()).toEqual(value);
    expect([...layer.stateDict().keys()].sort()).toEqual(['bias', 'weight']);
    expect(parametrize.isParametrized(layer)).toBe(false);
  });

  it('refuses what PyTorch refuses', () => {
    const layer = new nn.Linear(2, 2);
    const register = (name: string, options = {}) =>
      parametrize.registerParametrization(layer, name, new FirstRow(), options);
    expect(() => register('weight')).toThrow('may not change the shape of the tensor');
    expect(() => register('wight')).toThrow("a parametrized element with name 'wight'");
    expect(() => parametrize.removeParametrizations(layer, 'weight')).toThrow(
      'does not have a parametrization on weight',
    );
    expect(register('weight', { unsafe: true }).weight.shape).toEqual([1, 2]);
  });
});

it('skipInit leaves the random numbers as they were', () => {
  manualSeed(5);
  const before = getRngState().tolist();
  expect(nn.utils.skipInit(nn.Linear, 2, 3).weight.shape).toEqual([3, 2]);
  expect(getRngState().tolist()).toEqual(before);
});

it('clips gradients in place under the names of nn.utils', () => {
  const p = new nn.Parameter(tensor([3, 4]));
  p.grad = tensor([3, 4]);
  expect(nn.utils.clipGradNorm_([p], 1).item()).toBe(5);
  expect(p.grad.norm().item()).toBeCloseTo(1, 5);
  nn.utils.clipGradValue_(p, 0.5);
  expect(p.grad.amax().item()).toBe(0.5);
});

describe('registerLoadStateDictPostHook', () => {
  const small = () => new nn.Sequential(new nn.Linear(2, 2));

  it('may excuse keys from a strict load', () => {
    const [module, state] = [small(), small().stateDict()];
    state.delete('0.bias');
    const seen: unknown[] = [];
    const handle = module.registerLoadStateDictPostHook((at, keys) => {
      seen.push(at, [...keys.missingKeys]);
      keys.missingKeys.length = 0;
    });
    expect(module.loadStateDict(state).missingKeys).toEqual([]);
    expect(seen).toEqual([module, ['0.bias']]);
    handle.remove();
    expect(() => module.loadStateDict(state)).toThrow('Missing key(s) in state_dict: "0.bias"');
  });

  it('does not hide what it does not excuse', () => {
    const [module, state] = [small(), small().stateDict()];
    state.delete('0.bias');
    module.registerLoadStateDictPostHook(() => {});
    expect(() => module.loadStateDict(state)).toThrow('Missing key(s)');
  });
});
