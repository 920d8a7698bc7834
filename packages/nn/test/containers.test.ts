// Containers, and the lookup of what a module holds by path.

import { ones, type Tensor, zeros } from '@voxgrad/core';
import { describe, expect, it } from 'vitest';
import * as nn from '../src/index.js';

const names = (module: nn.Module) => module.namedChildren().map(([name]) => name);

describe('Sequential', () => {
  it('takes names from a map', () => {
    const net = new nn.Sequential(
      new Map<string, nn.Module>([
        ['lift', new nn.Linear(1, 2)],
        ['act', new nn.ReLU()],
      ]),
    );
    expect(names(net)).toEqual(['lift', 'act']);
    expect([...net.stateDict().keys()]).toEqual(['lift.weight', 'lift.bias']);
    expect((net.call(ones([3, 1])) as Tensor).shape).toEqual([3, 2]);
  });

  it('runs what a subclass assigns after its own', () => {
    class Net extends nn.Sequential {
      readonly last = new nn.Flatten(0);
    }
    const net = new Net(new nn.ReLU());
    expect(names(net)).toEqual(['0', 'last']);
    expect((net.call(ones([2, 3])) as Tensor).shape).toEqual([6]);
  });
});

describe('ModuleList', () => {
  it('numbers its modules anew after an insertion', () => {
    const [a, b, c] = [new nn.ReLU(), new nn.Tanh(), new nn.Sigmoid()];
    const list = new nn.ModuleList([a, c]).insert(1, b);
    expect([...list]).toEqual([a, b, c]);
    expect(names(list)).toEqual(['0', '1', '2']);
    expect(list.at(-1)).toBe(c);
    expect(list.set(0, b).at(0)).toBe(b);
    expect(list.extend([a]).length).toBe(4);
    expect(() => list.at(4)).toThrow('index 4 is out of range for 4 modules');
  });

  it('cannot be called', () => {
    const list = new nn.ModuleList() as unknown as { call(x: Tensor): void };
    expect(() => list.call(ones([1]))).toThrow(
      'Module [ModuleList] is missing the required "forward" function',
    );
  });
});

describe('ModuleDict', () => {
  it('takes every name, those of methods too', () => {
    const dict = new nn.ModuleDict({ forward: new nn.ReLU(), keys: new nn.Tanh() });
    expect(dict.keys()).toEqual(['forward', 'keys']);
    expect(dict.get('forward')).toBeInstanceOf(nn.ReLU);
    expect(dict.has('keys')).toBe(true);
    expect(dict.pop('keys')).toBeInstanceOf(nn.Tanh);
    expect(dict.length).toBe(1);
    expect(() => dict.get('keys')).toThrow();
    dict.clear();
    expect(dict.entries()).toEqual([]);
  });

  it('refuses names that would break a path', () => {
    const dict = new nn.ModuleDict();
    expect(() => dict.set('a.b', new nn.ReLU())).toThrow('module name can\'t contain "."');
    expect(() => dict.set('', new nn.ReLU())).toThrow('module name can\'t be empty string ""');
  });
});

describe('ParameterList and ParameterDict', () => {
  it('make parameters of plain tensors and move with their module', () => {
    const kept = new nn.Parameter(ones([2]));
    const list = new nn.ParameterList([kept, zeros([1])]);
    expect(list.at(0)).toBe(kept);
    expect([...list].every((p) => p instanceof nn.Parameter && p.requiresGrad)).toBe(true);
    expect(list.double().at(-1).dtype).toBe('float64');
    const dict = new nn.ParameterDict({ w: ones([2]) }).half();
    expect(dict.get('w').dtype).toBe('float16');
    expect(dict.has('v')).toBe(false);
    expect(() => dict.get('v')).toThrow("ParameterDict has no parameter 'v'");
  });

  it('print their entries', () => {
    expect(String(new nn.ParameterList([ones([2, 3]), ones([])]))).toBe(
      'ParameterList(\n  (0): Parameter containing: [torch.FloatTensor of size [2, 3]]\n' +
        '  (1): Parameter containing: [torch.FloatTensor of size []]\n)',
    );
  });
});

describe('paths', () => {
  const net = new nn.Sequential(new nn.MultiheadAttention(2, 1), new nn.BatchNorm1d(2));

  it('find modules, parameters and buffers by the names of the state dict', () => {
    expect(net.getSubmodule('')).toBe(net);
    expect(net.getSubmodule('0.out_proj')).toBeInstanceOf(nn.Linear);
    expect(net.getParameter('0.in_proj_bias').shape).toEqual([6]);
    expect(net.getBuffer('1.running_var').tolist()).toEqual([1, 1]);
  });

  it('say in the words of PyTorch what is not there', () => {
    const layer = new nn.Linear(1, 1);
    expect(() => layer.getSubmodule('x')).toThrow('Linear has no attribute `x`');
    expect(() => layer.getSubmodule('weight')).toThrow('`weight` is not an nn.Module');
    expect(() => layer.getParameter('nope')).toThrow('Linear has no attribute `nope`');
    expect(() => layer.getParameter('inFeatures')).toThrow('`inFeatures` is not an nn.Parameter');
    expect(() => layer.getBuffer('weight')).toThrow('`weight` is not a buffer');
  });

  it('name parameters with a prefix, or those of one module alone', () => {
    const options = { prefix: 'net', recurse: true };
    expect(net.namedParameters(options)[0][0]).toBe('net.0.in_proj_weight');
    expect(net.parameters({ recurse: false })).toEqual([]);
    expect(net.getSubmodule('1').namedBuffers({ recurse: false })).toHaveLength(3);
  });
});

describe('registration under computed names', () => {
  const layer = () => new nn.Linear(1, 1);

  it('adds and replaces parameters and modules', () => {
    const net = layer();
    net.registerParameter('gain', new nn.Parameter(ones([1])));
    net.addModule('act', new nn.ReLU());
    net.registerModule('act', new nn.Tanh());
    net.registerParameter('weight', null);
    expect([...net.stateDict().keys()]).toEqual(['bias', 'gain']);
    expect(names(net)).toEqual(['act']);
  });

  it.each<[string, (net: nn.Module) => void]>([
    ['parameter name can\'t contain "."', (net) => net.registerParameter('a.b', null)],
    ['parameter name can\'t be empty string ""', (net) => net.registerParameter('', null)],
    ["attribute 'weight' already exists", (net) => net.addModule('weight', null)],
    ["attribute 'forward' already exists", (net) => net.registerParameter('forward', null)],
    [
      "object to parameter 'q' (torch.nn.Parameter or None required)",
      (net) => net.registerParameter('q', ones([1]) as nn.Parameter),
    ],
    ['is not a Module subclass', (net) => net.addModule('x', 3 as never)],
  ])('refuses: %s', (message, act) => {
    expect(() => act(layer())).toThrow(message);
  });
});

it('shared parameters stay shared when a module moves', () => {
  const [a, b] = [new nn.Linear(2, 2), new nn.Linear(2, 2)];
  b.weight = a.weight;
  const net = new nn.Sequential(a, b).double();
  expect(b.weight).toBe(a.weight);
  expect(a.weight.dtype).toBe('float64');
  expect(net.parameters()).toHaveLength(3);
  expect([...net.stateDict().keys()]).toHaveLength(4);
  expect(net.float().bfloat16().parameters()[0].dtype).toBe('bfloat16');
});
