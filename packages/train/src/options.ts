// What `fit` takes, and what it calls back.

import {
  argumentError,
  checkOptions,
  describe,
  type Generator,
  type OptionTable,
  requireFunction,
  type Tensor,
} from '@voxgrad/core';
import type { Module } from '@voxgrad/nn';
import type { AnyOptions, lrScheduler, Optimizer } from '@voxgrad/optim';
import type { Checkpointing } from './checkpoint.js';
import { checkCount, checkPositive } from './checks.js';
import type { EarlyStoppingOptions } from './early-stopping.js';
import type { EpochRecord, History, StepRecord } from './history.js';
import type { Batches } from './order.js';
import type { LayerProfile } from './profile.js';

/** Where a training run stands. */
export interface Position {
  /** Epochs completed before this one: 0 in the first. */
  readonly epoch: number;
  /** Updates of the parameters made so far: 0 in the first step. */
  readonly step: number;
}

/** What validation found: the loss, or several named numbers. */
export type Metrics = number | Readonly<Record<string, number>>;

/** Anything else with a state to keep: averaged weights, a gradient scaler. */
export interface Stateful {
  stateDict(): unknown;
  loadStateDict(state: object): unknown;
}

export interface Training {
  readonly model: Module;
  readonly optimizer: Optimizer<AnyOptions>;
  readonly epochs: number;
  /** Batches of an epoch, where the loader knows. */
  readonly batches: number | undefined;
  readonly history: History;
  /** Time, memory and strategies of each layer in the first step, with `profile: true`. */
  readonly profile: LayerProfile | undefined;
}

/** Functions that are told how a run goes on; a promise is waited for. */
export interface Callback {
  /** Before the first step, and after resuming. */
  onStart?(training: Training & Position): unknown;
  onStep?(record: StepRecord, training: Training): unknown;
  /** After validation. */
  onEpoch?(record: EpochRecord, training: Training): unknown;
  /** Also after an error. */
  onEnd?(training: Training & Position): unknown;
}

export interface FitOptions<B> {
  model: Module;
  optimizer: Optimizer<AnyOptions>;
  /** A `DataLoader`, or anything that gives the batches of an epoch every time it is looped over. */
  loader: Batches<B>;
  /** The loss of a batch, a scalar. Runs forward only: `fit` calls backward and the optimizer. */
  trainingStep: (batch: B, position: Position) => Tensor;
  epochs: number;
  /** Ends after so many updates, in the middle of an epoch too. */
  maxSteps?: number;
  scheduler?: lrScheduler.Scheduler;
  /** How often the scheduler steps: after every epoch (the default) or every update. */
  schedulerInterval?: 'epoch' | 'step';
  /** Runs after every epoch, with the model in eval mode and no gradients recorded. */
  validate?: (position: Position) => Metrics | Promise<Metrics>;
  earlyStopping?: EarlyStoppingOptions;
  /** Largest norm of all gradients together; larger ones are scaled down (`optim.clipGradNorm`). */
  clipGradNorm?: number;
  /** Batches whose gradients are averaged for one update; 1 by default. */
  accumulateGradBatches?: number;
  checkpoint?: Checkpointing;
  /** Sources of random numbers besides the default generator and the loader's: saved and resumed. */
  generators?: readonly Generator[];
  /** What else belongs to the run's state, by name. */
  stateful?: Readonly<Record<string, Stateful>>;
  /** Stops after the step that is under way, and saves. */
  signal?: AbortSignal;
  /**
   * Whether a loss or gradient norm that is NaN or infinite ends the run with a
   * {@link NonFiniteError}, which names where it began. True by default.
   */
  detectAnomaly?: boolean;
  /** Measures each layer in the first step. */
  profile?: boolean;
  callbacks?: readonly Callback[];
}

const OPTIONS: OptionTable<FitOptions<unknown>> = {
  model: true,
  optimizer: true,
  loader: true,
  trainingStep: true,
  epochs: true,
  maxSteps: true,
  scheduler: true,
  schedulerInterval: true,
  validate: true,
  earlyStopping: true,
  clipGradNorm: true,
  accumulateGradBatches: true,
  checkpoint: true,
  generators: true,
  stateful: true,
  signal: true,
  detectAnomaly: true,
  profile: true,
  callbacks: true,
};

/** Throws where options are missing, unknown or out of range. */
export function checkFitOptions<B>(options: FitOptions<B>): void {
  checkOptions('fit', options, OPTIONS);
  const { model, optimizer, loader, validate, schedulerInterval = 'epoch' } = options ?? {};
  if (typeof model?.namedParameters !== 'function')
    throw argumentError(`fit: model should be a Module, but got ${describe(model)}`);
  if (!Array.isArray(optimizer?.paramGroups))
    throw argumentError(`fit: optimizer should be an Optimizer, but got ${describe(optimizer)}`);
  if (!isIterable(loader))
    throw argumentError(
      `fit: loader should be a DataLoader or give batches in a loop, but got ${describe(loader)}`,
    );
  requireFunction('fit', 'trainingStep', options.trainingStep);
  if (validate !== undefined) requireFunction('fit', 'validate', validate);
  if (options.epochs === undefined)
    throw argumentError('fit: how many epochs? Pass { epochs: 10 }');
  checkCount('fit', 'epochs', options.epochs, 0);
  checkCount('fit', 'maxSteps', options.maxSteps, 0);
  checkCount('fit', 'accumulateGradBatches', options.accumulateGradBatches, 1);
  checkPositive('fit', 'clipGradNorm', options.clipGradNorm);
  if (schedulerInterval !== 'epoch' && schedulerInterval !== 'step')
    throw argumentError(
      `fit: schedulerInterval should be 'epoch' or 'step', but got ${describe(schedulerInterval)}`,
    );
  if (options.earlyStopping && !validate)
    throw argumentError(
      'fit: earlyStopping watches what validate returns; pass a validate function',
    );
}

const isIterable = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (Symbol.asyncIterator in value || Symbol.iterator in value);
