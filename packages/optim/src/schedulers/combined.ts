// Schedulers of schedulers.

import { argumentError, checkOptions, describe } from '@voxgrad/core';
import { optionsOf } from '../groups.js';
import { field, listOf } from '../plain.js';
import { bisectRight } from './bisect.js';
import { LRScheduler, requireList, type Schedulable, type Scheduler } from './scheduler.js';
import { packFields, unpackFields } from './state.js';

/** What the combined schedulers have in common with others, but PyTorch's states do not hold. */
const INHERITED = ['base_lrs', '_step_count'];

abstract class Combined<S extends Scheduler> extends LRScheduler {
  protected readonly schedulers: readonly S[];

  constructor(optimizer: Schedulable, schedulers: readonly S[]) {
    super(optimizer);
    this.schedulers = schedulers;
  }

  /** Set by the schedulers below. */
  protected override getLr(): number[] {
    return this.currentLrs();
  }

  abstract override step(): void;

  override stateDict(): Record<string, unknown> {
    const own = Object.entries(packFields(this)).filter(([name]) => !this.inherited.includes(name));
    return {
      ...Object.fromEntries(own),
      _schedulers: this.schedulers.map((scheduler) => scheduler.stateDict()),
    };
  }

  protected get inherited(): readonly string[] {
    return INHERITED;
  }

  override loadStateDict(state: object): void {
    const fields = unpackFields(this, state);
    const states = listOf(field(state, '_schedulers'), 'a list of _schedulers');
    if (states.length !== this.schedulers.length)
      throw argumentError(
        `loadStateDict(): expected ${this.schedulers.length} _schedulers, but got ${states.length}`,
      );
    const before = this.schedulers.map((scheduler) => scheduler.stateDict());
    try {
      this.schedulers.forEach((scheduler, i) => {
        scheduler.loadStateDict(Object(states[i]));
      });
    } catch (error) {
      this.schedulers.forEach((scheduler, i) => {
        scheduler.loadStateDict(before[i]);
      });
      throw error;
    }
    Object.assign(this, fields);
  }
}

/** One scheduler after the other: the next one starts at each epoch of `milestones`. */
export class SequentialLR extends Combined<LRScheduler> {
  protected readonly _milestones: readonly number[];

  constructor(
    optimizer: Schedulable,
    schedulers: readonly LRScheduler[],
    milestones: readonly number[],
    options: { lastEpoch?: number } = {},
  ) {
    checkOptions('SequentialLR', options, ['lastEpoch']);
    requireList('SequentialLR', 'schedulers', schedulers);
    requireList('SequentialLR', 'milestones', milestones);
    schedulers.forEach((scheduler, i) => {
      if (!(scheduler instanceof LRScheduler) || scheduler instanceof Combined)
        throw argumentError(
          `Sequential Schedulers expects schedulers that count epochs, but got another kind at index ${i}`,
        );
      if (scheduler.optimizer !== optimizer)
        throw argumentError(
          'Sequential Schedulers expects all schedulers to belong to the same optimizer, but got ' +
            `schedulers at index ${i} to be different than the optimizer passed in.`,
        );
    });
    if (milestones.length !== schedulers.length - 1)
      throw argumentError(
        'Sequential Schedulers expects number of schedulers provided to be one more than the number ' +
          `of milestone points, but got number of schedulers ${schedulers.length} and the number of ` +
          `milestones to be equal to ${milestones.length}`,
      );
    super(optimizer, schedulers);
    this._milestones = [...milestones];
    this.lastEpoch = (options.lastEpoch ?? -1) + 1;
    // All of them have set the rates of their epoch 0 already; only the first one's should hold.
    for (const group of optimizer.paramGroups) group.lr = Number(optionsOf(group).initialLr);
    for (const scheduler of schedulers) scheduler.lastEpoch--;
    schedulers[0].begin();
    this._lastLr = schedulers[0].getLastLr();
  }

  override step(): void {
    this.lastEpoch++;
    const index = bisectRight(this._milestones, this.lastEpoch);
    const scheduler = this.schedulers[index];
    if (index > 0 && this._milestones[index - 1] === this.lastEpoch) scheduler.step(0);
    else scheduler.step();
    this._lastLr = scheduler.getLastLr();
  }
}

/** All schedulers at once: each changes what the one before it has set. */
export class ChainedScheduler extends Combined<Scheduler> {
  protected override get inherited(): readonly string[] {
    return [...INHERITED, 'last_epoch'];
  }

  constructor(schedulers: readonly Scheduler[]) {
    requireList('ChainedScheduler', 'schedulers', schedulers);
    schedulers.forEach((scheduler, i) => {
      if (typeof scheduler?.step !== 'function' || typeof scheduler.stateDict !== 'function')
        throw argumentError(
          `ChainedScheduler: expected schedulers, but got ${describe(scheduler)} at index ${i}`,
        );
    });
    if (schedulers.length === 0)
      throw argumentError('ChainedScheduler expects at least one scheduler');
    const [{ optimizer }] = schedulers;
    schedulers.forEach((scheduler, i) => {
      if (scheduler.optimizer !== optimizer)
        throw argumentError(
          'ChainedScheduler expects all schedulers to belong to the same optimizer, but got ' +
            `schedulers at index 0 and ${i} to be different`,
        );
    });
    super(optimizer, [...schedulers]);
    this._lastLr = this.optimizer.paramGroups.map((group) => group.lr);
  }

  override step(): void {
    for (const scheduler of this.schedulers) scheduler.step();
    this._lastLr = this.optimizer.paramGroups.map((group) => group.lr);
  }
}
