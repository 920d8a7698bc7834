// What a scope gives back and what it lets out; temporaries of operations and backward walks.

import { describe, expect, it } from 'vitest';
import {
  defineFunction,
  grad,
  manualSeed,
  noGrad,
  randn,
  scope,
  type Tensor,
  tensor,
} from '../src/index.js';
import { thrownBy } from './support/numbers.js';

const values = (t: Tensor) => Array.from(t.dataSync(), Number);

describe('scope', () => {
  it('lets out what it returns, however it is wrapped', () => {
    const made = scope(() => {
      const a = tensor([1, 2]).mul(2);
      return { list: [a], map: new Map([['b', a.add(1)]]), view: a.narrow(0, 1, 1) };
    });
    expect(values(made.list[0])).toEqual([2, 4]);
    expect(made.map.get('b')?.tolist()).toEqual([3, 5]);
    expect(values(made.view)).toEqual([4]);
  });

  it('takes back what leaves by another way, and says so', () => {
    let escaped: Tensor | undefined;
    scope(() => {
      escaped = tensor([1, 2]).mul(2);
    });
    const error = thrownBy(() => escaped?.dataSync());
    expect(error).toMatchObject({ code: 'MEMORY' });
    expect(error.message).toMatch(/inside a scope that has ended/);
  });

  it('keeps gradients of leaves', () => {
    const x = tensor([1, 2, 3], { requiresGrad: true });
    scope(() => x.mul(x).sum().backward());
    expect(x.grad?.tolist()).toEqual([2, 4, 6]);
  });

  it('is synchronous', () => {
    expect(thrownBy(() => scope(async () => 1)).message).toMatch(/returned a promise/);
  });

  it('may be nested: the outer one still knows what the inner one lets out', () => {
    let inner: Tensor | undefined;
    const sum = scope(() => {
      inner = scope(() => tensor([1]).add(1));
      return inner.add(1);
    });
    expect(sum.tolist()).toEqual([3]);
    expect(thrownBy(() => inner?.dataSync()).message).toMatch(/given back/);
  });
});

describe('memory that goes back early is never under a user’s hands', () => {
  it('gradients that a hook saw', () => {
    const seen: Tensor[] = [];
    const x = tensor([1, 2], { requiresGrad: true });
    const y = x.mul(3);
    y.registerHook((g) => {
      seen.push(g);
    });
    y.mul(y).sum().backward();
    expect(seen[0].tolist()).toEqual([6, 12]);
  });

  it('gradients that grad() returns, for one tensor on several paths', () => {
    const x = tensor([1, 2], { requiresGrad: true });
    const y = x.add(x);
    const [gx, gy] = grad(y.mul(y).sum(), [x, y]);
    expect([gx?.tolist(), gy?.tolist()]).toEqual([
      [8, 16],
      [4, 8],
    ]);
  });

  it('tensors that a custom function keeps', () => {
    const kept: Tensor[] = [];
    const double = defineFunction({
      forward: (_, x: Tensor) => {
        const y = x.mul(2);
        kept.push(y.add(0));
        return y;
      },
      backward: (_, g) => {
        if (g) kept.push(g, g.mul(2));
        return g?.mul(2);
      },
    });
    const x = tensor([1, 2], { requiresGrad: true });
    double(x.mul(1)).sum().backward();
    expect(kept.map((t) => t.tolist())).toEqual([
      [2, 4],
      [1, 1],
      [2, 2],
    ]);
  });

  it('results of in-place operations, with and without recording', () => {
    manualSeed(0);
    const x = randn([3]);
    const before = values(x);
    noGrad(() => x.mul_(2).add_(x));
    expect(values(x)).toEqual(before.map((v) => Math.fround(v * 4)));
  });
});
