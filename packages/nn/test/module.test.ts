// Modules as containers: what they find, in which order, and how calls run.

import { cpu, cpuKernels, Device, ones, type Tensor, zeros } from '@voxgrad/core';
import { describe, expect, it } from 'vitest';
import { defined } from '../../core/test/support/numbers.js';
import * as nn from '../src/index.js';

/** The network of the PyTorch 1.13 run whose names are quoted below. */
export class Net extends nn.Module {
  conv = new nn.Conv3d(1, 2, 3);
  bn = new nn.BatchNorm3d(2);
  head = new nn.Sequential(new nn.Linear(2, 1), new nn.ReLU());
  scale = new nn.Parameter(zeros([]));
  alias = this.head;
  declare grid: Tensor;
  declare scratch: Tensor;

  constructor() {
    super();
    this.registerBuffer('grid', zeros([2]));
    this.registerBuffer('scratch', zeros([1]), { persistent: false });
  }

  forward(x: Tensor): Tensor {
    return this.bn.call(this.conv.call(x)).mul(this.scale);
  }
}

const names = (list: readonly (readonly [string, unknown])[]) => list.map(([name]) => name);

describe('what a module holds, as PyTorch lists it', () => {
  const net = new Net();

  it('parameters, each once, its own before those below', () => {
    expect(names(net.namedParameters())).toEqual([
      'scale',
      'conv.weight',
      'conv.bias',
      'bn.weight',
      'bn.bias',
      'head.0.weight',
      'head.0.bias',
    ]);
    expect(net.parameters().every((p) => p instanceof nn.Parameter && p.requiresGrad)).toBe(true);
  });

  it('buffers, persistent or not', () => {
    expect(names(net.namedBuffers())).toEqual([
      'grid',
      'scratch',
      'bn.running_mean',
      'bn.running_var',
      'bn.num_batches_tracked',
    ]);
  });

  it('modules, each once', () => {
    expect(names(net.namedModules())).toEqual(['', 'conv', 'bn', 'head', 'head.0', 'head.1']);
    expect(net.modules()[0]).toBe(net);
  });

  it('what is replaced is found in its place', () => {
    const other = new Net();
    other.conv = new nn.Conv3d(1, 2, 1);
    expect(defined(other.parameters()[1]).shape).toEqual([2, 1, 1, 1, 1]);
  });

  it('prints like PyTorch, in our spelling', () => {
    expect(String(new nn.Conv3d(2, 4, [1, 2, 3], { padding: 1, groups: 2, bias: false }))).toBe(
      'Conv3d(2, 4, kernelSize=[1, 2, 3], stride=[1, 1, 1], padding=[1, 1, 1], groups=2, bias=false)',
    );
    expect(String(new nn.Sequential(new nn.Conv3d(1, 1, 1), new nn.ReLU()))).toBe(
      'Sequential(\n  (0): Conv3d(1, 1, kernelSize=[1, 1, 1], stride=[1, 1, 1])\n  (1): ReLU()\n)',
    );
  });
});

describe('modes and gradients', () => {
  it('train and eval reach every module', () => {
    const net = new Net();
    expect(net.modules().every((m) => m.training)).toBe(true);
    expect(net.eval()).toBe(net);
    expect(net.modules().some((m) => m.training)).toBe(false);
    expect(net.train().head.training).toBe(true);
  });

  it('zeroGrad and requiresGrad_ reach every parameter', () => {
    const net = new Net();
    for (const p of net.parameters()) p.grad = ones(p.shape);
    net.zeroGrad();
    expect(net.parameters().every((p) => p.grad === null)).toBe(true);
    net.requiresGrad_(false);
    expect(net.call(ones([2, 1, 3, 3, 3])).requiresGrad).toBe(false);
  });

  it('apply goes from the inside out', () => {
    const seen: string[] = [];
    new nn.Sequential(new nn.ReLU(), new nn.Sequential(new nn.Tanh())).apply((m) => {
      seen.push(m.constructor.name);
    });
    expect(seen).toEqual(['ReLU', 'Tanh', 'Sequential', 'Sequential']);
  });
});

describe('to', () => {
  it('converts floats, keeps integers, sharing and requiresGrad', () => {
    const net = new Net();
    net.scale.requiresGrad = false;
    net.to('float64');
    expect(new Set(net.parameters().map((p) => p.dtype))).toEqual(new Set(['float64']));
    expect(net.bn.numBatchesTracked?.dtype).toBe('int64');
    expect(net.alias).toBe(net.head);
    expect(net.scale.requiresGrad).toBe(false);
    expect(net.conv.weight).toBeInstanceOf(nn.Parameter);
    expect(net.conv.weight.isLeaf).toBe(true);
  });

  it('moves everything', () => {
    const device = new Device('elsewhere', 'cpu', cpu.capabilities, cpuKernels);
    const net = new Net().to(device);
    for (const t of [...net.parameters(), ...net.buffers()]) expect(t.device).toBe(device);
    expect(net.call(ones([2, 1, 3, 3, 3], { device })).device).toBe(device);
  });

  it('keeps tied parameters tied', () => {
    const [a, b] = [new nn.Linear(2, 2), new nn.Linear(2, 2)];
    b.weight = a.weight;
    const both = new nn.Sequential(a, b).to('float64');
    expect(b.weight).toBe(a.weight);
    expect(both.parameters().length).toBe(3);
  });
});

describe('hooks', () => {
  const double = () => {
    const module = new nn.Identity();
    return { module, run: () => module.call(ones([1])).item() };
  };

  it('before: may replace the inputs', () => {
    const { module, run } = double();
    const handle = module.registerForwardPreHook((_, [x]) => [(x as Tensor).mul(3)]);
    expect(run()).toBe(3);
    handle.remove();
    expect(run()).toBe(1);
  });

  it('after: see inputs and output, and may replace the output', () => {
    const { module, run } = double();
    module.registerForwardHook((m, [x], y) => {
      expect(m).toBe(module);
      expect(y).toBe(x);
      return (y as Tensor).add(4);
    });
    module.registerForwardHook(() => undefined);
    expect(run()).toBe(5);
  });

  it('run in the order of registration, and in modules inside', () => {
    const order: string[] = [];
    const inside = new nn.ReLU();
    const net = new nn.Sequential(inside);
    net.registerForwardPreHook(() => void order.push('outer before'));
    inside.registerForwardPreHook(() => void order.push('inner before'));
    inside.registerForwardHook(() => void order.push('inner after'));
    net.registerForwardHook(() => void order.push('outer after'));
    net.call(ones([1]));
    expect(order).toEqual(['outer before', 'inner before', 'inner after', 'outer after']);
  });

  it('do not run in forward', () => {
    const { module } = double();
    module.registerForwardHook(() => 'replaced');
    expect(module.forward(ones([1])).item()).toBe(1);
  });
});

describe('Sequential', () => {
  it('indexes, appends and repeats modules', () => {
    const layer = new nn.Linear(1, 1);
    const net = new nn.Sequential(layer, new nn.ReLU());
    net.append(layer);
    expect(net.length).toBe(3);
    expect(net.at(-1)).toBe(layer);
    expect(() => net.at(3)).toThrow('index 3 is out of range for 3 modules');
    expect(net.parameters().length).toBe(2);
    layer.weight.detach().fill_(2);
    layer.bias?.detach().fill_(1);
    expect(net.forward(ones([1, 1])).item()).toBe(7);
  });
});
