import { argumentError, describe, instanceOfBrand } from '@voxgrad/core';
import { optionsOf } from '../groups.js';
import { Optimizer } from '../optimizer.js';
import { packFields, unpackFields } from './state.js';

const BRAND = Symbol.for('voxgrad.LRScheduler');

/** What schedulers need of an optimizer: groups with a learning rate. */
export type Schedulable = Optimizer<{ lr: number }>;

/** Options of every scheduler. */
export interface SchedulerOptions {
  /** The epoch to go on from, in groups that have an `initialLr`; −1, the default, starts anew. */
  lastEpoch?: number;
}

const WRONG_ORDER =
  'Detected call of `lrScheduler.step()` before `optimizer.step()`. Call them in the opposite ' +
  'order: `optimizer.step()` before `lrScheduler.step()`. Otherwise the first value of the ' +
  'learning rate schedule is skipped.';

/** What every scheduler offers; those that combine others have no epochs of their own. */
export interface Scheduler {
  readonly optimizer: Schedulable;
  step(): void;
  /** The learning rates that are set now, one for each group. */
  getLastLr(): number[];
  stateDict(): Record<string, unknown>;
  loadStateDict(state: object): void;
}

/**
 * Sets the learning rates of an optimizer's groups, epoch by epoch. A subclass computes them in
 * `getLr`, from the groups as they are (so that schedulers can be chained) and `lastEpoch`, and calls
 * `begin()` at the end of its constructor, which sets those of epoch 0.
 */
export abstract class LRScheduler implements Scheduler {
  readonly [BRAND] = true;
  readonly optimizer: Schedulable;
  baseLrs: number[];
  lastEpoch: number;
  protected _stepCount = 0;
  protected _lastLr: number[];

  constructor(optimizer: Schedulable, options: SchedulerOptions = {}) {
    this.optimizer = checkOptimizer(optimizer);
    this.lastEpoch = options.lastEpoch ?? -1;
    this.baseLrs = this.groups.map((group, i) => {
      if (this.lastEpoch === -1) group.initialLr ??= group.lr;
      if (typeof group.initialLr === 'number') return group.initialLr;
      throw argumentError(
        `param 'initialLr' is not specified in paramGroups[${i}] when resuming an optimizer`,
      );
    });
    this._lastLr = this.currentLrs();
  }

  static [Symbol.hasInstance](value: unknown): boolean {
    return instanceOfBrand(this, LRScheduler, BRAND, value);
  }

  /** The learning rates of epoch `lastEpoch`, one for each group. */
  protected abstract getLr(): number[];

  /** The same without looking at the groups, where a formula exists. */
  protected closedFormLr?(): number[];

  /** Sets the first learning rates. Internal, but for subclasses and schedulers of schedulers. */
  begin(): void {
    this.optimizer.stepCount = 0;
    this._stepCount = 0;
    this.step();
  }

  /** On to the next epoch, or to epoch `epoch`. */
  step(epoch?: number): void {
    this.countStep();
    this.lastEpoch = epoch ?? this.lastEpoch + 1;
    const jumps = epoch !== undefined && this.closedFormLr !== undefined;
    this.setLrs(jumps ? (this.closedFormLr?.() ?? []) : this.getLr());
  }

  protected countStep(): void {
    if (this._stepCount === 1 && this.optimizer.stepCount < 1) console.warn(WRONG_ORDER);
    this._stepCount++;
  }

  protected setLrs(lrs: readonly number[]): void {
    this.groups.forEach((group, i) => {
      group.lr = lrs[i];
    });
    this._lastLr = this.currentLrs();
  }

  /** The options of the groups, under any name. */
  protected get groups(): (Record<string, unknown> & { lr: number })[] {
    return this.optimizer.paramGroups.map(
      (group) => optionsOf(group) as Record<string, unknown> & { lr: number },
    );
  }

  protected currentLrs(): number[] {
    return this.groups.map((group) => group.lr);
  }

  getLastLr(): number[] {
    return [...this._lastLr];
  }

  /** The scheduler's numbers under PyTorch's names (`last_epoch`, `_step_count`, …). */
  stateDict(): Record<string, unknown> {
    return packFields(this);
  }

  /** Takes over a state of `stateDict()` or of PyTorch; what it does not know, it ignores. */
  loadStateDict(state: object): void {
    Object.assign(this, unpackFields(this, state));
  }
}

export function checkOptimizer<T>(optimizer: T): T {
  if (optimizer instanceof Optimizer) return optimizer;
  throw argumentError(`${describe(optimizer)} is not an Optimizer`);
}

/** One value for each group, from a list of as many or one for all. */
export function perGroup<T>(name: string, optimizer: Schedulable, value: T | readonly T[]): T[] {
  const count = optimizer.paramGroups.length;
  if (!Array.isArray(value)) return new Array<T>(count).fill(value as T);
  if (value.length === count) return [...(value as readonly T[])];
  throw argumentError(`expected ${count} values for ${name}, got ${value.length}`);
}

/** Throws unless `value` is a list. */
export function requireList(owner: string, name: string, value: unknown): void {
  if (!Array.isArray(value))
    throw argumentError(`${owner}: expected a list for ${name}, but got ${describe(value)}`);
}

/** Refuses what is not a whole number of at least `least`. */
export function checkWhole(name: string, value: number, least = 1): void {
  const what = least === 0 ? 'non-negative' : 'positive';
  if (!(Number.isInteger(value) && value >= least))
    throw argumentError(`Expected ${what} integer ${name}, but got ${describe(value)}`);
}
