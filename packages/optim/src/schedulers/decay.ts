// Learning rates that fall, or rise, by a rule of the epoch alone. `getLr` goes from one epoch to the
// next, as PyTorch's does, so that several schedulers can act on one optimizer; `closedFormLr` starts
// from the initial learning rate.

import { argumentError, describe } from '@voxgrad/core';
import { withDefaults } from '../options.js';
import { bisectRight } from './bisect.js';
import {
  checkWhole,
  LRScheduler,
  requireList,
  type Schedulable,
  type SchedulerOptions,
} from './scheduler.js';

/** Times `gamma` every `stepSize` epochs. */
export class StepLR extends LRScheduler {
  readonly stepSize: number;
  readonly gamma: number;

  constructor(
    optimizer: Schedulable,
    stepSize: number,
    options: SchedulerOptions & { gamma?: number } = {},
  ) {
    const o = withDefaults('StepLR', { gamma: 0.1, lastEpoch: -1 }, options);
    checkWhole('stepSize', stepSize);
    super(optimizer, o);
    this.stepSize = stepSize;
    this.gamma = o.gamma;
    this.begin();
  }

  protected override getLr(): number[] {
    const lrs = this.currentLrs();
    if (this.lastEpoch === 0 || this.lastEpoch % this.stepSize !== 0) return lrs;
    return lrs.map((lr) => lr * this.gamma);
  }

  protected override closedFormLr(): number[] {
    return this.baseLrs.map((lr) => lr * this.gamma ** Math.floor(this.lastEpoch / this.stepSize));
  }
}

/** Times `gamma` at every epoch of `milestones`. */
export class MultiStepLR extends LRScheduler {
  /** How often each milestone was given. */
  readonly milestones: ReadonlyMap<number, number>;
  readonly gamma: number;

  constructor(
    optimizer: Schedulable,
    milestones: readonly number[],
    options: SchedulerOptions & { gamma?: number } = {},
  ) {
    const o = withDefaults('MultiStepLR', { gamma: 0.1, lastEpoch: -1 }, options);
    requireList('MultiStepLR', 'milestones', milestones);
    super(optimizer, o);
    const counts = new Map<number, number>();
    for (const milestone of milestones) counts.set(milestone, (counts.get(milestone) ?? 0) + 1);
    this.milestones = counts;
    this.gamma = o.gamma;
    this.begin();
  }

  protected override getLr(): number[] {
    const count = this.milestones.get(this.lastEpoch);
    if (count === undefined) return this.currentLrs();
    return this.currentLrs().map((lr) => lr * this.gamma ** count);
  }

  protected override closedFormLr(): number[] {
    const sorted = [...this.milestones]
      .flatMap(([milestone, count]) => new Array<number>(count).fill(milestone))
      .sort((a, b) => a - b);
    return this.baseLrs.map((lr) => lr * this.gamma ** bisectRight(sorted, this.lastEpoch));
  }
}

/** Times `factor` for the first `totalIters` epochs. */
export class ConstantLR extends LRScheduler {
  readonly factor: number;
  readonly totalIters: number;

  constructor(
    optimizer: Schedulable,
    options: SchedulerOptions & { factor?: number; totalIters?: number } = {},
  ) {
    const o = withDefaults('ConstantLR', { factor: 1 / 3, totalIters: 5, lastEpoch: -1 }, options);
    checkFactor('Constant multiplicative', o.factor);
    super(optimizer, o);
    this.factor = o.factor;
    this.totalIters = o.totalIters;
    this.begin();
  }

  protected override getLr(): number[] {
    const lrs = this.currentLrs();
    if (this.lastEpoch === 0) return lrs.map((lr) => lr * this.factor);
    return this.lastEpoch === this.totalIters ? lrs.map((lr) => lr * (1 / this.factor)) : lrs;
  }

  protected override closedFormLr(): number[] {
    const rest = this.lastEpoch >= this.totalIters ? 1 - this.factor : 0;
    return this.baseLrs.map((lr) => lr * (this.factor + rest));
  }
}

/** From `startFactor` to `endFactor` of the learning rate in `totalIters` epochs: a warm-up. */
export class LinearLR extends LRScheduler {
  readonly startFactor: number;
  readonly endFactor: number;
  readonly totalIters: number;

  constructor(
    optimizer: Schedulable,
    options: SchedulerOptions & {
      startFactor?: number;
      endFactor?: number;
      totalIters?: number;
    } = {},
  ) {
    const o = withDefaults(
      'LinearLR',
      { startFactor: 1 / 3, endFactor: 1, totalIters: 5, lastEpoch: -1 },
      options,
    );
    checkFactor('Starting multiplicative', o.startFactor);
    checkFactor('Ending multiplicative', o.endFactor);
    checkWhole('totalIters', o.totalIters);
    super(optimizer, o);
    this.startFactor = o.startFactor;
    this.endFactor = o.endFactor;
    this.totalIters = o.totalIters;
    this.begin();
  }

  protected override getLr(): number[] {
    const lrs = this.currentLrs();
    if (this.lastEpoch === 0) return lrs.map((lr) => lr * this.startFactor);
    if (this.lastEpoch > this.totalIters) return lrs;
    const rise = this.endFactor - this.startFactor;
    const before = this.totalIters * this.startFactor + (this.lastEpoch - 1) * rise;
    return lrs.map((lr) => lr * (1 + rise / before));
  }

  protected override closedFormLr(): number[] {
    const rise = this.endFactor - this.startFactor;
    const part = (rise * Math.min(this.totalIters, this.lastEpoch)) / this.totalIters;
    return this.baseLrs.map((lr) => lr * (this.startFactor + part));
  }
}

/** Times `gamma` every epoch. */
export class ExponentialLR extends LRScheduler {
  readonly gamma: number;

  constructor(optimizer: Schedulable, gamma: number, options?: SchedulerOptions) {
    if (typeof gamma !== 'number')
      throw argumentError(`ExponentialLR: expected a number for gamma, but got ${describe(gamma)}`);
    super(optimizer, withDefaults('ExponentialLR', { lastEpoch: -1 }, options));
    this.gamma = gamma;
    this.begin();
  }

  protected override getLr(): number[] {
    const lrs = this.currentLrs();
    return this.lastEpoch === 0 ? lrs : lrs.map((lr) => lr * this.gamma);
  }

  protected override closedFormLr(): number[] {
    return this.baseLrs.map((lr) => lr * this.gamma ** this.lastEpoch);
  }
}

/** Down to 0 in `totalIters` epochs, as (1 − epoch / totalIters)^power. */
export class PolynomialLR extends LRScheduler {
  readonly totalIters: number;
  readonly power: number;

  constructor(
    optimizer: Schedulable,
    options: SchedulerOptions & { totalIters?: number; power?: number } = {},
  ) {
    const o = withDefaults('PolynomialLR', { totalIters: 5, power: 1, lastEpoch: -1 }, options);
    checkWhole('totalIters', o.totalIters);
    super(optimizer, o);
    this.totalIters = o.totalIters;
    this.power = o.power;
    this.begin();
  }

  protected override getLr(): number[] {
    const lrs = this.currentLrs();
    if (this.lastEpoch === 0 || this.lastEpoch > this.totalIters) return lrs;
    const left = (epoch: number) => 1 - epoch / this.totalIters;
    const factor = (left(this.lastEpoch) / left(this.lastEpoch - 1)) ** this.power;
    return lrs.map((lr) => lr * factor);
  }

  protected override closedFormLr(): number[] {
    const done = Math.min(this.totalIters, this.lastEpoch) / this.totalIters;
    return this.baseLrs.map((lr) => lr * (1 - done) ** this.power);
  }
}

function checkFactor(what: string, factor: number): void {
  if (!(factor >= 0 && factor <= 1))
    throw argumentError(`${what} factor expected to be between 0 and 1.`);
}
