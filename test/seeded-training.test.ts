// Four training runs that start from a seed alone: weights, data and dropout masks are drawn here,
// and the losses, final weights and optimizer states must follow PyTorch's
// (test/fixtures/seeded_training.*, made by test/oracle/seeded_training.py).

import { type DType, manualSeed, randint, randn, setDefaultDtype, Tensor } from '@voxgrad/core';
import * as nn from '@voxgrad/nn';
import * as optim from '@voxgrad/optim';
import { afterEach, describe, expect, it } from 'vitest';
import { fixtureTensor, readJson, readSafetensors } from '../packages/core/test/fixtures.js';
import { fromFixture } from '../packages/core/test/support/convolution-fixtures.js';
import { expectClose } from '../packages/core/test/support/numbers.js';
import { build, type ModuleRow } from '../packages/nn/test/build.js';

interface Run {
  readonly name: string;
  readonly seed: number;
  readonly dtype: DType;
  readonly network: ModuleRow[];
  readonly input: number[];
  readonly target: { normal: number[] } | { classes: number; shape: number[] };
  readonly loss: 'MSELoss' | 'CrossEntropyLoss' | 'SmoothL1Loss';
  readonly optimizer: [name: string, options: object];
  readonly scheduler: [name: string, args: unknown[], options: object] | null;
  readonly maxNorm?: number;
  readonly losses: number[];
  readonly stateNorms: Record<string, number>;
}

const { runs } = readJson<{ runs: Run[] }>('seeded_training');
const tensors = readSafetensors('seeded_training');

/** Relative to the loss; float32 sums in another order than PyTorch's kernels. */
const TOLERANCE: Partial<Record<DType, number>> = { float64: 1e-9, float32: 2e-4 };

type Class<T> = new (...args: unknown[]) => T;
const classOf = <T>(home: object, name: string): Class<T> => {
  const found = (home as Record<string, Class<T> | undefined>)[name];
  if (!found) throw new Error(`there is no ${name}`);
  return found;
};

type Loss = nn.Module & { forward(input: Tensor, target: Tensor): Tensor };

function follow(run: Run) {
  setDefaultDtype(run.dtype);
  manualSeed(run.seed);
  const model = new nn.Sequential(...run.network.map((row) => build(row)));
  const input = randn(run.input);
  const target =
    'normal' in run.target
      ? randn(run.target.normal)
      : randint(0, run.target.classes, run.target.shape);
  const lossOf = new (classOf<Loss>(nn, run.loss))();
  const [name, options] = run.optimizer;
  const parameters = model.parameters();
  const optimizer = new (classOf<optim.Optimizer<object>>(optim, name))(parameters, options);
  const [schedule, args, more] = run.scheduler ?? [];
  const scheduler =
    schedule === undefined
      ? null
      : new (classOf<{ step(): void }>(optim.lrScheduler, schedule))(
          optimizer,
          ...(args ?? []),
          more,
        );
  const losses = run.losses.map(() => {
    optimizer.zeroGrad();
    const loss = lossOf.call(model.forward(input), target);
    loss.backward();
    if (run.maxNorm !== undefined) optim.clipGradNorm(parameters, run.maxNorm);
    optimizer.step();
    scheduler?.step();
    return loss.item();
  });
  return { losses, model, optimizer };
}

describe('20 epochs from a seed alone', () => {
  afterEach(() => setDefaultDtype('float32'));

  it.each(runs.map((run) => [run.name, run] as const))('%s', (_, run) => {
    const { losses, model, optimizer } = follow(run);
    const tolerance = TOLERANCE[run.dtype] ?? 0;
    losses.forEach((loss, epoch) => {
      const relative = Math.abs(loss - run.losses[epoch]) / Math.abs(run.losses[epoch]);
      expect(relative, `loss of epoch ${epoch}`).toBeLessThanOrEqual(tolerance);
    });
    for (const [key, value] of model.stateDict())
      expectClose(value, fromFixture(fixtureTensor(tensors, `${run.name}/${key}`)), tolerance, key);
    for (const [number, state] of optimizer.stateDict().state)
      for (const [key, value] of Object.entries(state)) {
        if (!(value instanceof Tensor) || key === 'step') continue;
        const norm = value.to('float64').norm().item();
        const expected = run.stateNorms[`${number}.${key}`];
        const error = Math.abs(norm - expected) / Math.max(1, expected);
        expect(error, `${key} of parameter ${number}`).toBeLessThanOrEqual(tolerance);
      }
  });
});
