// Against real PyTorch 1.13: test/fixtures/optimizers.json, made by test/oracle/optimizers.py.

import { type Tensor, tensor } from '@voxgrad/core';
import { describe, expect, it } from 'vitest';
import { defined, expectClose } from '../../core/test/support/numbers.js';
import { clipGradNorm } from '../src/index.js';
import {
  type AnyOptimizer,
  fixture,
  leaves,
  lossOf,
  makeOptimizer,
  makeScheduler,
  run,
} from './support/problem.js';

const expectAll = (got: readonly number[], expected: readonly number[], tolerance: number) => {
  expect(got.length).toBe(expected.length);
  got.forEach((x, i) => {
    const allowed = tolerance * Math.max(1, Math.abs(expected[i]));
    expect(Math.abs(x - expected[i]), `number ${i}: ${x}`).toBeLessThanOrEqual(allowed);
  });
};

/**
 * Runs that multiply rounding: with the initial parameters moved by one unit in the last place,
 * PyTorch's own losses differ by up to 7e-9.
 */
const SENSITIVE = new Set(['lbfgs history', 'lbfgs wolfe history']);

describe('50 losses, and the parameters after them', () => {
  it.each(fixture.runs)('$name', (row) => {
    const parameters = leaves(fixture.initial);
    const losses = run(makeOptimizer(row, parameters), parameters, row.losses.length);
    const sensitive = SENSITIVE.has(row.name);
    expectAll(losses.slice(0, 25), row.losses.slice(0, 25), 1e-12);
    expectAll(losses, row.losses, sensitive ? 1e-7 : 1e-12);
    parameters.forEach((p, i) => {
      const expected = tensor(row.parameters[i], { dtype: 'float64' });
      expectClose(p, expected, sensitive ? 1e-2 : 1e-12);
    });
  });
});

describe('50 losses in float32', () => {
  it.each(fixture.float32Runs)('$name', ({ name, losses }) => {
    const row = defined(fixture.runs.find((other) => other.name === name));
    const parameters = leaves(fixture.initial, 'float32');
    const optimizer = makeOptimizer(row, parameters);
    expectAll(
      run(optimizer, parameters, losses.length, undefined, 'float32'),
      losses,
      // Decisions of a line search turn on the last digits.
      row.optimizer === 'LBFGS' ? 1e-3 : 2e-5,
    );
  });
});

describe('schedules', () => {
  const twoGroups = (kind: string): AnyOptimizer => {
    const [a, b] = leaves([[0], [0]]);
    const options = kind === 'SGD' ? { lr: 0.1, momentum: 0.9 } : { lr: 0.1 };
    const optimizer = makeOptimizer({ optimizer: kind, options, second: null }, [a]);
    optimizer.addParamGroup({ params: [b], lr: 0.05 });
    return optimizer;
  };
  const momentumOf = (group: object): number => {
    if ('betas' in group && Array.isArray(group.betas)) return group.betas[0];
    return 'momentum' in group ? Number(group.momentum) : Number.NaN;
  };

  it.each(fixture.schedules)('$name ($optimizer)', (row) => {
    const optimizer = twoGroups(row.optimizer);
    const scheduler = makeScheduler(row.scheduler, optimizer);
    const rows: { lrs: number[]; momenta: number[] }[] = [];
    const note = () =>
      rows.push({
        lrs: optimizer.paramGroups.map((group) => group.lr),
        momenta: optimizer.paramGroups.map(momentumOf),
      });
    note();
    for (let i = 1; i < row.lrs.length; i++) {
      optimizer.step();
      const argument = row.metrics?.[i - 1] ?? row.epochs?.[i - 1];
      (scheduler.step as (argument?: number) => void).call(scheduler, argument);
      expect(scheduler.getLastLr()).toEqual(optimizer.paramGroups.map((group) => group.lr));
      note();
    }
    expectAll(
      rows.flatMap((r) => r.lrs),
      row.lrs.flat(),
      1e-15,
    );
    if (row.momenta)
      expectAll(
        rows.flatMap((r) => r.momenta),
        row.momenta.flat(),
        1e-15,
      );
    else for (const r of rows) expect(r.momenta).toEqual(rows[0].momenta);
  });
});

describe('clipGradNorm', () => {
  it.each(fixture.clipped)('of order $normType to $maxNorm', (row) => {
    const parameters = leaves(fixture.initial);
    lossOf(parameters).backward();
    const normType = row.normType === 'inf' ? Number.POSITIVE_INFINITY : row.normType;
    const total = clipGradNorm(parameters, row.maxNorm, { normType });
    expect(total.item()).toBeCloseTo(row.total, 13);
    parameters.forEach((p, i) => {
      const gradient: Tensor = defined(p.grad);
      expectClose(gradient, tensor(row.gradients[i], { dtype: 'float64' }), 1e-14);
    });
  });
});
