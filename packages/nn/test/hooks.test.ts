import { grad, ones, type Tensor, tensor } from '@voxgrad/core';
import { describe, expect, it } from 'vitest';
import { defined } from '../../core/test/support/numbers.js';
import * as nn from '../src/index.js';

const lists = (gradients: readonly (Tensor | null)[]) => gradients.map((g) => g?.tolist() ?? null);

/** y = 2·x₀ + 3·x₁ + bias */
function layer(): nn.Linear {
  const made = new nn.Linear(2, 1);
  made.loadStateDict(
    new Map([
      ['weight', tensor([[2, 3]])],
      ['bias', tensor([0])],
    ]),
  );
  return made;
}

/** Sum and difference of two inputs. */
class Butterfly extends nn.Module {
  forward(a: Tensor, b: Tensor, _label?: string): [Tensor, Tensor] {
    return [a.add(b), a.sub(b)];
  }
}

describe('full backward hooks', () => {
  it('see the gradients of inputs and outputs', () => {
    const seen: unknown[] = [];
    const net = layer();
    const handle = net.registerFullBackwardHook((module, gradInput, gradOutput) => {
      seen.push([module === net, lists(gradInput), lists(gradOutput)]);
    });
    const x = ones([1, 2], { requiresGrad: true });
    net.call(x).sum().backward();
    expect(seen).toEqual([[true, [[[2, 3]]], [[[1]]]]]);
    expect(x.grad?.tolist()).toEqual([[2, 3]]);
    handle.remove();
    net.call(x).sum().backward();
    expect(seen).toHaveLength(1);
  });

  it('may replace the gradients of the inputs, one after the other', () => {
    const net = layer();
    net.registerFullBackwardHook((_, [g]) => [g?.mul(10) ?? null]);
    net.registerFullBackwardHook((_, [g]) => [g?.add(1) ?? null]);
    const x = ones([1, 2], { requiresGrad: true });
    net.call(x).sum().backward();
    expect(x.grad?.tolist()).toEqual([[21, 31]]);
    expect(net.weight.grad?.tolist()).toEqual([[1, 1]]);
  });

  it('take several inputs and outputs, with null for what carries no gradient', () => {
    const seen: unknown[] = [];
    const net = new Butterfly();
    net.registerFullBackwardHook((_, gradInput, gradOutput) => {
      seen.push([lists(gradInput), lists(gradOutput)]);
    });
    const a = ones([1], { requiresGrad: true });
    const [sum] = net.call(a, ones([1]), 'label');
    sum.mul(5).backward();
    expect(seen).toEqual([
      [
        [[5], null, null],
        [[5], null],
      ],
    ]);
  });

  it('run without input gradients, which they then cannot replace', () => {
    const net = layer();
    const seen: unknown[] = [];
    net.registerFullBackwardHook((_, gradInput, gradOutput) => {
      seen.push([lists(gradInput), lists(gradOutput)]);
    });
    net
      .call(ones([1, 2]))
      .sum()
      .backward();
    expect(seen).toEqual([[[null], [[[1]]]]]);
    net.registerFullBackwardHook((_, __, gradOutput) => gradOutput);
    expect(() =>
      net
        .call(ones([1, 2]))
        .sum()
        .backward(),
    ).toThrow(
      'Backward hook for Modules where no input requires gradient should always return None',
    );
  });

  it('refuse a wrong number of gradients', () => {
    const net = layer();
    net.registerFullBackwardHook((_, [g]) => [g, g]);
    const x = ones([1, 2], { requiresGrad: true });
    expect(() => net.call(x).sum().backward()).toThrow(
      'Backward hook returned an invalid number of grad_input, got 2, but expected 1',
    );
  });

  it('let second derivatives through', () => {
    const net = new nn.Tanh();
    const seen: number[] = [];
    net.registerFullBackwardHook((_, __, [g]) => {
      seen.push(g?.item() ?? 0);
    });
    const x = tensor([0.5], { dtype: 'float64', requiresGrad: true });
    const [first] = grad(net.call(x), x, { createGraph: true });
    expect(seen).toEqual([1]);
    const [second] = grad(defined(first), x);
    const t = Math.tanh(0.5);
    expect(defined(second).item()).toBeCloseTo(-2 * t * (1 - t * t), 12);
  });

  it('come after forward hooks and see what those return', () => {
    const net = layer();
    net.registerForwardPreHook((_, [x]) => [(x as Tensor).mul(2)]);
    net.registerForwardHook((_, __, y) => (y as Tensor).mul(3));
    const seen: unknown[] = [];
    net.registerFullBackwardHook((_, gradInput, gradOutput) => {
      seen.push([lists(gradInput), lists(gradOutput)]);
    });
    const x = ones([1, 2], { requiresGrad: true });
    const y = net.call(x);
    expect(y.item()).toBe(30);
    y.backward();
    expect(seen).toEqual([[[[[6, 9]]], [[[1]]]]]);
    expect(x.grad?.tolist()).toEqual([[12, 18]]);
  });
});
