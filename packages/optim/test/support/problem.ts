// The regression, optimizers and schedulers of test/oracle/optimizers*.py.

import { type DType, type NestedList, type Tensor, tensor } from '@voxgrad/core';
import { readJson } from '../../../core/test/fixtures.js';
import * as optim from '../../src/index.js';
import { lrScheduler, type Optimizer } from '../../src/index.js';

export type Options = Record<string, unknown>;
export type SchedulerSpec = [name: string, args: unknown[], options: Options];

export interface Run {
  readonly name: string;
  readonly optimizer: string;
  readonly options: Options;
  /** More options for the second layer, which then is a group of its own. */
  readonly second: Options | null;
}

export interface Fixture {
  readonly input: NestedList;
  readonly target: NestedList;
  readonly initial: NestedList[];
  readonly runs: (Run & { losses: number[]; parameters: NestedList[] })[];
  readonly float32Runs: { name: string; losses: number[] }[];
  readonly resumed: (Run & { scheduler: SchedulerSpec; before: number[]; after: number[] })[];
  readonly clipped: {
    normType: number | 'inf';
    maxNorm: number;
    total: number;
    gradients: NestedList[];
  }[];
  readonly schedules: {
    name: string;
    optimizer: 'SGD' | 'Adam';
    scheduler: SchedulerSpec;
    metrics?: number[];
    epochs?: number[];
    lrs: number[][];
    momenta: number[][] | null;
  }[];
}

export const fixture = readJson<Fixture>('optimizers');

export const leaves = (values: readonly NestedList[], dtype: DType = 'float64'): Tensor[] =>
  values.map((value) => tensor(value, { dtype, requiresGrad: true }));

/** 3 → 4 → 1 with tanh between, and the mean squared error. */
export function lossOf(parameters: readonly Tensor[], dtype: DType = 'float64'): Tensor {
  const [weight1, bias1, weight2, bias2] = parameters;
  const [input, target] = [fixture.input, fixture.target].map((data) => tensor(data, { dtype }));
  const hidden = input.matmul(weight1.transpose(0, 1)).add(bias1).tanh();
  return hidden.matmul(weight2.transpose(0, 1)).add(bias2).sub(target).square().mean();
}

/** Losses before each step. */
export function run(
  optimizer: Optimizer<object>,
  parameters: readonly Tensor[],
  steps: number,
  afterStep: () => void = () => {},
  dtype: DType = 'float64',
): number[] {
  return Array.from({ length: steps }, () => {
    const loss = optimizer.step(() => {
      optimizer.zeroGrad();
      const value = lossOf(parameters, dtype);
      value.backward();
      return value;
    });
    afterStep();
    return loss.item();
  });
}

type Constructor<T> = new (...args: unknown[]) => T;

/** A class by its name, for tables of cases. */
function classOf<T>(home: object, name: string): Constructor<T> {
  const found: unknown = Reflect.get(home, name);
  if (typeof found !== 'function') throw new Error(`there is no ${name}`);
  return found as Constructor<T>;
}

export type AnyOptimizer = Optimizer<{ lr: number }>;

export function makeOptimizer(row: Omit<Run, 'name'>, parameters: readonly Tensor[]): AnyOptimizer {
  const groups =
    row.second === null
      ? parameters
      : [{ params: parameters.slice(0, 2) }, { ...row.second, params: parameters.slice(2) }];
  return new (classOf<AnyOptimizer>(optim, row.optimizer))(groups, row.options);
}

const FUNCTIONS: Record<string, (epoch: number) => number> = {
  inverse: (epoch) => 1 / (1 + epoch),
  slow: (epoch) => 0.95 ** epoch,
  constant: () => 0.9,
};

const withFunctions = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withFunctions);
  return typeof value === 'string' ? FUNCTIONS[value] : value;
};

export function makeScheduler(
  [name, args, options]: SchedulerSpec,
  optimizer: AnyOptimizer,
): lrScheduler.Scheduler {
  const make = classOf<lrScheduler.Scheduler>(lrScheduler, name);
  if (name === 'SequentialLR' || name === 'ChainedScheduler') {
    const [inner, ...rest] = args;
    const schedulers = (inner as SchedulerSpec[]).map((spec) => makeScheduler(spec, optimizer));
    return name === 'ChainedScheduler'
      ? new make(schedulers)
      : new make(optimizer, schedulers, ...rest);
  }
  return new make(optimizer, ...args.map(withFunctions), options);
}
