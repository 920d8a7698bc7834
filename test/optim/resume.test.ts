// Runs that are saved in one library and continued in the other, optimizer and scheduler.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { load, save } from '@voxgrad/checkpoint';
import { Tensor } from '@voxgrad/core';
import { ExponentialMovingAverage, SGD, StochasticWeightAverage } from '@voxgrad/optim';
import { afterAll, describe, expect, it } from 'vitest';
import { python } from '../../packages/checkpoint/test/support.js';
import { readBytes } from '../../packages/core/test/fixtures.js';
import { defined, expectClose } from '../../packages/core/test/support/numbers.js';
import {
  fixture,
  leaves,
  makeOptimizer,
  makeScheduler,
  run,
} from '../../packages/optim/test/support/problem.js';

const saved = await load(readBytes('optimizers.pt'), { device: 'cpu' });

function mapOf(value: unknown): Map<unknown, unknown> {
  if (value instanceof Map) return value;
  throw new Error('expected a Map');
}

const tensorsOf = (value: unknown): Tensor[] =>
  Array.isArray(value) ? value.filter((item): item is Tensor => item instanceof Tensor) : [];

/** Where rounding is multiplied (see packages/optim/test/pytorch.test.ts), less agrees. */
const tolerance = (name: string) => (name === 'lbfgs wolfe history' ? 1e-7 : 1e-12);

function expectLosses(name: string, got: readonly number[], expected: readonly number[]): void {
  expect(got.length).toBe(expected.length);
  got.forEach((loss, i) => {
    expect(Math.abs(loss - expected[i]), `${name}, step ${i}`).toBeLessThan(tolerance(name));
  });
}

/** The row's options without what the state brings. */
const bare = (row: (typeof fixture.resumed)[0]) => ({
  ...row,
  options: row.optimizer === 'SGD' ? { lr: 1, momentum: 0.5 } : {},
  second: row.second && {},
});

describe('a state of PyTorch', () => {
  it.each(fixture.resumed)('$name goes on to the same losses', (row) => {
    const state = mapOf(mapOf(saved).get(row.name));
    const parameters = tensorsOf(state.get('parameters')).map((p) => p.clone().requiresGrad_());
    const optimizer = makeOptimizer(bare(row), parameters);
    const scheduler = makeScheduler(row.scheduler, optimizer);
    optimizer.loadStateDict(mapOf(state.get('optimizer')));
    scheduler.loadStateDict(mapOf(state.get('scheduler')));
    const losses = run(optimizer, parameters, row.after.length, () => scheduler.step());
    expectLosses(row.name, losses, row.after);
  });

  it.each(fixture.resumed)('$name is written back as it was', (row) => {
    const state = mapOf(mapOf(saved).get(row.name));
    const optimizer = makeOptimizer(bare(row), leaves(fixture.initial));
    const theirs = mapOf(state.get('optimizer'));
    optimizer.loadStateDict(theirs);
    const ours = optimizer.stateDict();
    const groups = theirs.get('param_groups');
    expect(ours.param_groups).toEqual(
      Array.isArray(groups) ? groups.map((group) => Object.fromEntries(mapOf(group))) : [],
    );
    for (const [number, values] of mapOf(theirs.get('state')))
      for (const [key, value] of mapOf(values)) {
        const own = defined(ours.state.get(Number(number)), `state ${number}`)[String(key)];
        if (!(value instanceof Tensor)) continue;
        if (typeof own === 'number') expect(own).toBe(value.item());
        else expectSame(own, value);
      }
  });

  function expectSame(own: unknown, value: Tensor): void {
    if (!(own instanceof Tensor)) throw new Error('expected a tensor');
    expect(own.dtype).toBe(value.dtype);
    expectClose(own, value, 0);
  }
});

describe('averages of PyTorch', () => {
  it.each([
    ['ema', (p: Tensor[]) => new ExponentialMovingAverage(p, { decay: 0.8 })],
    ['swa', (p: Tensor[]) => new StochasticWeightAverage(p)],
  ] as const)('%s after ten steps', (name, make) => {
    const parameters = leaves(fixture.initial);
    const average = make(parameters);
    const optimizer = new SGD(parameters, { lr: 0.05, momentum: 0.9 });
    run(optimizer, parameters, 10, () => average.update());
    const state = mapOf(mapOf(mapOf(saved).get('averages')).get(name));
    expect(state.get('n_averaged')).toBeInstanceOf(Tensor);
    expect(average.nAveraged).toBe(10);
    [...average.averages.values()].forEach((value, i) => {
      const theirs = state.get(`module.weights.${i}`);
      if (!(theirs instanceof Tensor)) throw new Error(`weight ${i} is missing`);
      expectClose(value, theirs, 1e-14);
    });
  });
});

describe('a state of ours', () => {
  const folder = mkdtempSync(join(tmpdir(), 'voxgrad-optim-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const STEPS = 25;

  /** A run saved half-way, and the losses of its second half. */
  const halves = fixture.resumed.map((row) => {
    const parameters = leaves(fixture.initial);
    const optimizer = makeOptimizer(row, parameters);
    const scheduler = makeScheduler(row.scheduler, optimizer);
    const before = run(optimizer, parameters, STEPS, () => scheduler.step());
    return { row, parameters, optimizer, scheduler, before };
  });
  const path = join(folder, 'states.pt');
  const written = save(
    new Map(
      halves.map(({ row, parameters, optimizer, scheduler }) => [
        row.name,
        {
          optimizer: optimizer.stateDict(),
          scheduler: scheduler.stateDict(),
          parameters: parameters.map((p) => p.detach().clone()),
        },
      ]),
    ),
    path,
  );

  const goOn = async () => {
    await written;
    return halves.map(({ row, parameters, optimizer, scheduler, before }) => ({
      row,
      before,
      after: run(optimizer, parameters, STEPS, () => scheduler.step()),
    }));
  };
  const finished = goOn();

  it('has the losses of PyTorch up to there', async () => {
    for (const { row, before } of await finished) expectLosses(row.name, before, row.before);
  });

  it('goes on here, through a file', async () => {
    const file = mapOf(await written.then(() => load(path, { device: 'cpu' })));
    for (const { row, after } of await finished) {
      const state = mapOf(file.get(row.name));
      const parameters = tensorsOf(state.get('parameters')).map((p) => p.clone().requiresGrad_());
      const optimizer = makeOptimizer(bare(row), parameters);
      const scheduler = makeScheduler(row.scheduler, optimizer);
      optimizer.loadStateDict(mapOf(state.get('optimizer')));
      scheduler.loadStateDict(mapOf(state.get('scheduler')));
      const losses = run(optimizer, parameters, STEPS, () => scheduler.step());
      expect(losses, row.name).toEqual(after);
    }
  });

  it.skipIf(python === undefined)('goes on in PyTorch', async () => {
    await written;
    const cases = fixture.resumed.map((row) => ({
      name: row.name,
      optimizer: row.optimizer,
      scheduler: row.scheduler,
      groups: row.second === null ? 1 : 2,
      steps: STEPS,
    }));
    const script = fileURLToPath(new URL('../oracle/optimizers_continue.py', import.meta.url));
    const done = spawnSync(defined(python), [script, path], { input: JSON.stringify(cases) });
    expect(done.stderr.toString()).toBe('');
    const losses: Record<string, number[]> = JSON.parse(done.stdout.toString());
    for (const { row, after } of await finished) expectLosses(row.name, losses[row.name], after);
  });
});
