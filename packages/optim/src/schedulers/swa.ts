import { argumentError, describe } from '@voxgrad/core';
import { withDefaults } from '../options.js';
import { annealingIn } from './anneal.js';
import {
  checkOptimizer,
  checkWhole,
  LRScheduler,
  perGroup,
  type Schedulable,
  type SchedulerOptions,
} from './scheduler.js';

const ANNEAL = {
  cos: (t: number) => (1 - Math.cos(Math.PI * t)) / 2,
  linear: (t: number) => t,
};

/**
 * From the learning rate as it is to the constant `swaLr` of stochastic weight averaging (Izmailov
 * et al., arXiv:1803.05407), in `annealEpochs`.
 */
export class SWALR extends LRScheduler {
  readonly annealEpochs: number;
  #anneal: (t: number) => number;

  constructor(
    optimizer: Schedulable,
    swaLr: number | readonly number[],
    options: SchedulerOptions & { annealEpochs?: number; annealStrategy?: 'cos' | 'linear' } = {},
  ) {
    const { annealEpochs, annealStrategy, lastEpoch } = withDefaults<{
      annealEpochs: number;
      annealStrategy: 'cos' | 'linear';
      lastEpoch: number;
    }>('SWALR', { annealEpochs: 10, annealStrategy: 'cos', lastEpoch: -1 }, options);
    if (!Object.hasOwn(ANNEAL, annealStrategy))
      throw argumentError(
        `anneal_strategy must by one of 'cos' or 'linear', instead got ${describe(annealStrategy)}`,
      );
    checkWhole('annealEpochs', annealEpochs, 0);
    const swaLrs = perGroup('swa_lr', checkOptimizer(optimizer), swaLr);
    optimizer.paramGroups.forEach((group, i) => {
      Object.assign(group, { swaLr: swaLrs[i] });
    });
    super(optimizer, { lastEpoch });
    this.annealEpochs = annealEpochs;
    this.#anneal = ANNEAL[annealStrategy];
    this.begin();
  }

  /** Goes on along the curve of the state, where it names one. */
  override loadStateDict(state: object): void {
    super.loadStateDict(state);
    const strategy = annealingIn(state);
    if (strategy !== undefined) this.#anneal = ANNEAL[strategy];
  }

  protected override getLr(): number[] {
    const step = Math.max(this._stepCount - 1, this.annealEpochs === 0 ? 1 : 0);
    const alphaAt = (at: number) =>
      this.#anneal(Math.max(0, Math.min(1, at / Math.max(1, this.annealEpochs))));
    const [before, now] = [alphaAt(step - 1), alphaAt(step)];
    return this.groups.map((group) => {
      const swaLr = Number(group.swaLr);
      // The rate that the last step came from, so that another scheduler may have acted in between.
      const from = before === 1 ? swaLr : (group.lr - before * swaLr) / (1 - before);
      return swaLr * now + from * (1 - now);
    });
  }
}
