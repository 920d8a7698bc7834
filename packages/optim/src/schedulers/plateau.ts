import { argumentError, describe, Tensor } from '@voxgrad/core';
import { withDefaults } from '../options.js';
import { checkOptimizer, type Schedulable, type Scheduler } from './scheduler.js';
import { packFields, unpackFields } from './state.js';

/** Options of {@link ReduceLROnPlateau}. */
export interface PlateauOptions {
  /** Whether the metric should fall or rise. */
  mode?: 'min' | 'max';
  factor?: number;
  /** Epochs without improvement that are let pass. */
  patience?: number;
  /** What counts as an improvement: a part of the best value, or a difference. */
  threshold?: number;
  thresholdMode?: 'rel' | 'abs';
  /** Epochs after a reduction in which nothing is counted. */
  cooldown?: number;
  minLr?: number | readonly number[];
  /** Smaller changes of the learning rate are not made. */
  eps?: number;
}

/** Times `factor` when a metric has not improved for `patience` epochs. */
export class ReduceLROnPlateau implements Scheduler {
  readonly optimizer: Schedulable;
  readonly factor: number;
  readonly minLrs: number[];
  readonly patience: number;
  readonly cooldown: number;
  cooldownCounter = 0;
  readonly mode: 'min' | 'max';
  readonly threshold: number;
  readonly thresholdMode: 'rel' | 'abs';
  best: number;
  numBadEpochs = 0;
  protected modeWorse: number;
  readonly eps: number;
  lastEpoch = 0;
  protected _lastLr: number[];

  constructor(optimizer: Schedulable, options: PlateauOptions = {}) {
    const o = withDefaults<Required<PlateauOptions>>(
      'ReduceLROnPlateau',
      {
        mode: 'min',
        factor: 0.1,
        patience: 10,
        threshold: 1e-4,
        thresholdMode: 'rel',
        cooldown: 0,
        minLr: 0,
        eps: 1e-8,
      },
      options,
    );
    if (!(o.factor < 1)) throw argumentError('Factor should be < 1.0.');
    if (!['min', 'max'].includes(o.mode)) throw argumentError(`mode ${o.mode} is unknown!`);
    if (!['rel', 'abs'].includes(o.thresholdMode))
      throw argumentError(`threshold mode ${o.thresholdMode} is unknown!`);
    this.optimizer = checkOptimizer(optimizer);
    const count = optimizer.paramGroups.length;
    const minLrs = typeof o.minLr === 'number' ? new Array<number>(count).fill(o.minLr) : o.minLr;
    if (minLrs.length !== count)
      throw argumentError(`expected ${count} min_lrs, got ${minLrs.length}`);
    this.factor = o.factor;
    this.minLrs = [...minLrs];
    this.patience = o.patience;
    this.cooldown = o.cooldown;
    this.mode = o.mode;
    this.threshold = o.threshold;
    this.thresholdMode = o.thresholdMode;
    this.eps = o.eps;
    this.modeWorse = o.mode === 'min' ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
    this.best = this.modeWorse;
    this._lastLr = this.#currentLrs();
  }

  get inCooldown(): boolean {
    return this.cooldownCounter > 0;
  }

  /** Takes the metric of an epoch. */
  step(metric?: number | Tensor, epoch?: number): void {
    const current = metric instanceof Tensor ? Number(metric.item()) : metric;
    if (typeof current !== 'number')
      throw argumentError(
        `ReduceLROnPlateau.step() needs the metric of the epoch, but got ${describe(metric)}`,
      );
    this.lastEpoch = epoch ?? this.lastEpoch + 1;
    if (this.#isBetter(current)) {
      this.best = current;
      this.numBadEpochs = 0;
    } else this.numBadEpochs++;
    if (this.inCooldown) {
      this.cooldownCounter--;
      this.numBadEpochs = 0;
    }
    if (this.numBadEpochs > this.patience) {
      this.#reduce();
      this.cooldownCounter = this.cooldown;
      this.numBadEpochs = 0;
    }
    this._lastLr = this.#currentLrs();
  }

  #isBetter(value: number): boolean {
    const { best, threshold } = this;
    const relative = this.thresholdMode === 'rel';
    if (this.mode === 'min') return value < (relative ? best * (1 - threshold) : best - threshold);
    return value > (relative ? best * (threshold + 1) : best + threshold);
  }

  #reduce(): void {
    this.optimizer.paramGroups.forEach((group, i) => {
      const lr = Math.max(group.lr * this.factor, this.minLrs[i]);
      if (group.lr - lr > this.eps) group.lr = lr;
    });
  }

  #currentLrs(): number[] {
    return this.optimizer.paramGroups.map((group) => group.lr);
  }

  getLastLr(): number[] {
    return [...this._lastLr];
  }

  stateDict(): Record<string, unknown> {
    return packFields(this);
  }

  loadStateDict(state: object): void {
    Object.assign(this, unpackFields(this, state));
  }
}
