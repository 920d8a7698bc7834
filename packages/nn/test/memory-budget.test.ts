// Training within a memory budget: parts of a model run again in backward. The numbers stay those of a
// run without one; what graphs hold becomes less.

import {
  checkpoint,
  cpu,
  manualSeed,
  strategies,
  type Tensor,
  type TraceEntry,
} from '@voxgrad/core';
import { describe, expect, it } from 'vitest';
import { heldBytes } from '../../core/src/autograd/node.js';
import { defined, filled, numbersOf, thrownBy } from '../../core/test/support/numbers.js';
import * as nn from '../src/index.js';

const f64 = { dtype: 'float64', device: cpu } as const;

const block = () => [
  new nn.Conv3d(2, 2, 3, { padding: 1, ...f64 }),
  new nn.BatchNorm3d(2, f64),
  new nn.ReLU(),
];
const deep = (blocks: number) =>
  new nn.Sequential(...Array.from({ length: blocks }, block).flat(), new nn.Dropout(0.3));

class Residual extends nn.Module {
  body = new nn.Sequential(...block(), ...block());
  forward(x: Tensor): Tensor {
    return x.add(this.body.call(x));
  }
}

class Net extends nn.Module {
  first = new nn.Conv3d(2, 2, 1, f64);
  blocks = new nn.ModuleList([new Residual(), new Residual(), new Residual()]);
  forward(x: Tensor): Tensor {
    let y = this.first.call(x);
    for (const each of this.blocks) y = each.call(y);
    return y;
  }
}

interface Outcome {
  readonly numbers: number[][];
  /** The most bytes that graphs held at the end of the forward, and while parts ran again. */
  readonly peak: number;
  readonly trace: readonly TraceEntry[];
  readonly left: number;
}

type TensorModule = nn.Module & { forward(x: Tensor): Tensor };

/** One training step from a seed: output, gradients and statistics. */
function step(make: () => TensorModule, budget: number | null): Outcome {
  manualSeed(3);
  const model = make();
  const x = filled([2, 2, 4, 4, 4]).requiresGrad_();
  const base = heldBytes();
  let peak = 0;
  const see = () => {
    peak = Math.max(peak, heldBytes() - base);
  };
  for (const layer of model.modules())
    if (layer.children().length === 0) layer.registerForwardHook(see);
  const numbers: number[][] = [];
  const run = () => {
    const y = model.call(x);
    numbers.push([...numbersOf(y)]);
    y.square().sum().backward();
  };
  const trace = strategies.trace(() =>
    budget === null ? run() : strategies.memoryBudget(budget, run),
  );
  for (const t of [x, ...model.parameters()]) numbers.push([...numbersOf(defined(t.grad))]);
  for (const t of model.buffers()) numbers.push([...numbersOf(t)]);
  return { numbers, peak, trace, left: heldBytes() - base };
}

const recomputed = ({ trace }: Outcome) => trace.filter((e) => e.op === 'checkpoint').length;

const MODELS: [string, () => TensorModule][] = [
  ['a Sequential', () => deep(6)],
  ['a module of modules', () => new Net()],
  ['a Sequential of Sequentials', () => new nn.Sequential(deep(2), deep(2), deep(2))],
];

describe.each(MODELS)('%s', (_, make) => {
  const whole = step(make, null);

  it.each([0, 0.3, 0.6])('holds less with a budget of %s of what it holds without', (part) => {
    const budget = part * whole.peak;
    const within = step(make, budget);
    expect(recomputed(within)).toBeGreaterThan(0);
    expect(within.peak).toBeLessThan(whole.peak);
    // Output, gradients, running statistics and batch counts are the same to the last bit.
    expect(within.numbers).toEqual(whole.numbers);
  });

  it('is left alone by a budget that it keeps', () => {
    const within = step(make, 10 * whole.peak);
    expect(recomputed(within)).toBe(0);
    expect(within).toMatchObject({ numbers: whole.numbers, peak: whole.peak });
  });

  it('lets go of everything after backward', () => {
    expect(whole.left).toBe(0);
    expect(step(make, 0).left).toBe(0);
  });
});

describe('a budget', () => {
  it('may cut what is no module', () => {
    const part = (t: Tensor) => t.sin().exp().cos();
    const held = (budget: number) =>
      strategies.memoryBudget(budget, () => {
        const x = filled([64]).requiresGrad_();
        const base = heldBytes();
        let y = x;
        for (let i = 0; i < 8; i++) y = strategies.recomputable(part, y);
        const bytes = heldBytes() - base;
        y.sum().backward();
        return { bytes, gradient: [...numbersOf(defined(x.grad))] };
      });
    const [free, tight] = [held(Number.POSITIVE_INFINITY), held(0)];
    expect(tight.gradient).toEqual(free.gradient);
    expect(tight.bytes).toBeLessThan(free.bytes / 2);
  });

  it('says in a trace what it does', () => {
    const [entry] = step(() => deep(3), 100).trace.filter((e) => e.op === 'checkpoint');
    expect(entry).toMatchObject({
      strategy: 'recompute',
      device: 'cpu',
      call: { inputs: [[2, 2, 4, 4, 4]], dtype: 'float64' },
    });
    expect(entry.reasons[0]).toMatch(/^graphs hold \d+ bytes of a budget of 100$/);
    expect(strategies.table([entry])).toContain('recompute');
    // The call is one that explain takes, with the numbers of that moment.
    expect(strategies.explain('checkpoint', entry.call as object)).toMatchObject({
      chosen: 'recompute',
      considered: [
        { name: 'keep', cost: Number.POSITIVE_INFINITY, reasons: [entry.reasons[0]] },
        { name: 'recompute', reasons: entry.reasons },
      ],
    });
  });

  it('explain says what a part would do now', () => {
    const call = { inputs: [[64]], dtype: 'float64' };
    const explained = () => strategies.explain('checkpoint', call);
    expect(explained()).toMatchObject({
      chosen: 'keep',
      considered: [{ reasons: ['there is no memory budget'] }, {}],
    });
    const seen = strategies.memoryBudget(2000, () => {
      let y = filled([64]).requiresGrad_().exp();
      const before = explained().chosen;
      for (let i = 0; i < 3; i++) y = y.exp(); // 512 bytes each
      return [before, explained().chosen];
    });
    expect(seen).toEqual(['keep', 'recompute']);
    expect(explained().chosen).toBe('keep');
    expect(() => strategies.explain('checkpoint', {})).toThrow(/shapes of the inputs/);
  });

  it('may be overruled: strategies.with', () => {
    const counted = (name: string | null) =>
      strategies
        .trace(() => {
          strategies.with({ checkpoint: name }, () =>
            strategies.memoryBudget(0, () =>
              strategies.recomputable((t: Tensor) => t.sin().exp(), filled([8]).requiresGrad_()),
            ),
          );
        })
        .map(({ op, strategy }) => `${op} ${strategy}`);
    expect(counted('keep')).toEqual(['checkpoint keep']);
    expect(counted(null)).toEqual(['checkpoint recompute']);
  });

  it('leaves modules alone that return something else than tensors', () => {
    class Odd extends nn.Module {
      inner = new nn.Conv3d(2, 2, 1, f64);
      forward(x: Tensor): { y: Tensor } {
        return { y: this.inner.call(x) };
      }
    }
    const odd = new Odd();
    const x = filled([1, 2, 2, 2, 2]).requiresGrad_();
    strategies.memoryBudget(0, () => odd.call(x).y.sum().backward());
    expect(defined(x.grad).shape).toEqual(x.shape);
  });

  it('keeps second derivatives', () => {
    const model = new nn.Sequential(
      new nn.Linear(3, 3, f64),
      new nn.Tanh(),
      new nn.Linear(3, 1, f64),
    );
    const penalty = (budget: number) =>
      strategies.memoryBudget(budget, () => {
        const x = filled([2, 3]).requiresGrad_();
        const y = model.call(x).sum();
        y.backward(null, { createGraph: true });
        defined(x.grad).square().sum().backward();
        const numbers = [...numbersOf(defined(model.parameters()[0].grad))];
        model.zeroGrad();
        return numbers;
      });
    expect(penalty(0)).toEqual(penalty(Number.POSITIVE_INFINITY));
  });

  it('goes with the function, and with its error', () => {
    expect(() =>
      strategies.memoryBudget(0, () => {
        throw new Error('inside');
      }),
    ).toThrow('inside');
    expect(
      strategies.trace(() => deep(2).call(filled([1, 2, 3, 3, 3]))).map((e) => e.op),
    ).not.toContain('checkpoint');
  });

  it.each<[string, () => unknown, string]>([
    ['a negative number', () => strategies.memoryBudget(-1, () => 0), 'bytes must be a number'],
    ['NaN', () => strategies.memoryBudget(Number.NaN, () => 0), 'bytes must be a number'],
    ['no function', () => strategies.memoryBudget(1, 3 as never), 'fn'],
    ['a promise', () => strategies.memoryBudget(1, async () => 0), 'returned a promise'],
  ])('refuses %s', (_, make, message) => {
    expect(thrownBy(make)).toMatchObject({ code: 'ARGUMENT' });
    expect(thrownBy(make).message).toContain(message);
  });
});

describe('checkpoint', () => {
  it('counts a batch once, although it normalises it twice', () => {
    const norm = new nn.BatchNorm3d(2, f64);
    const [a, b] = [norm, new nn.BatchNorm3d(2, f64)];
    const x = filled([2, 2, 3, 3, 3]).requiresGrad_();
    checkpoint((t: Tensor) => a.call(t), x)
      .sum()
      .backward();
    b.call(x).sum().backward();
    for (const name of ['runningMean', 'runningVar', 'numBatchesTracked'] as const)
      expect([...numbersOf(defined(a[name]))]).toEqual([...numbersOf(defined(b[name]))]);
  });

  it('frees what it saved, and says so to a second backward', () => {
    const x = filled([3]).requiresGrad_();
    const y = checkpoint((t: Tensor) => t.exp(), x).sum();
    y.backward();
    expect(thrownBy(() => y.backward()).message).toContain('a second time');
    const z = checkpoint((t: Tensor) => t.exp(), x).sum();
    z.backward(null, { retainGraph: true });
    z.backward();
  });
});
