import { argumentError, checkOptions, describe, noGrad, StateDict } from '@voxgrad/core';
import type { Module } from '@voxgrad/nn';
import { checkCount } from './checks.js';
import { countOf, fieldsOf, numberOf, tensorOf } from './read.js';

export interface EarlyStoppingOptions {
  /** The metric to watch: `'loss'` by default, which is also what a plain number is called. */
  monitor?: string;
  /** Epochs in a row without improvement after which the run ends; 3 by default. */
  patience?: number;
  /** Whether the metric should fall (the default) or rise. */
  mode?: 'min' | 'max';
  /** How much better counts as an improvement: more than this; 0 by default. */
  minDelta?: number;
  /** Whether the model ends with the weights of its best epoch; true by default. */
  restoreBest?: boolean;
}

/** Ends a run when a metric has stopped improving, and keeps the weights of the best epoch. */
export class EarlyStopping {
  readonly monitor: string;
  readonly patience: number;
  readonly mode: 'min' | 'max';
  readonly minDelta: number;
  readonly restoreBest: boolean;
  best: number;
  bestEpoch = -1;
  badEpochs = 0;
  #weights: StateDict | undefined;

  constructor(options: EarlyStoppingOptions) {
    checkOptions('earlyStopping', options, [
      'monitor',
      'patience',
      'mode',
      'minDelta',
      'restoreBest',
    ]);
    this.monitor = options.monitor ?? 'loss';
    this.patience = options.patience ?? 3;
    this.mode = options.mode ?? 'min';
    this.minDelta = options.minDelta ?? 0;
    this.restoreBest = options.restoreBest ?? true;
    checkCount('earlyStopping', 'patience', this.patience, 0);
    if (this.mode !== 'min' && this.mode !== 'max')
      throw argumentError(
        `earlyStopping: mode should be 'min' or 'max', but got ${describe(this.mode)}`,
      );
    if (!(this.minDelta >= 0))
      throw argumentError(
        `earlyStopping: minDelta should be 0 or more, but got ${describe(this.minDelta)}`,
      );
    this.best = this.mode === 'min' ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
  }

  /** Whether patience is at its end. */
  get stops(): boolean {
    return this.badEpochs >= Math.max(this.patience, 1);
  }

  /** Takes the metrics of an epoch. */
  update(epoch: number, metrics: Readonly<Record<string, number>>, model: Module): void {
    const value = metrics[this.monitor];
    if (value === undefined)
      throw argumentError(
        `earlyStopping watches '${this.monitor}', which validation did not return; there are ` +
          Object.keys(metrics).join(', '),
      );
    const better = this.mode === 'min' ? this.best - value : value - this.best;
    if (better > this.minDelta) {
      this.best = value;
      this.bestEpoch = epoch;
      this.badEpochs = 0;
      if (this.restoreBest) this.#weights = copyOf(model);
    } else this.badEpochs++;
  }

  /** Gives the model the weights of its best epoch. */
  restore(model: Module): void {
    if (this.#weights) model.loadStateDict(this.#weights);
  }

  pack(): object {
    const { best, bestEpoch: best_epoch, badEpochs: bad_epochs } = this;
    return { best, best_epoch, bad_epochs, ...(this.#weights && { best_model: this.#weights }) };
  }

  unpack(packed: unknown): void {
    const fields = fieldsOf('early_stopping', packed);
    const best = numberOf('early_stopping.best', fields.get('best'));
    const bestEpoch = numberOf('early_stopping.best_epoch', fields.get('best_epoch'));
    const badEpochs = countOf('early_stopping.bad_epochs', fields.get('bad_epochs'));
    const weights = fields.get('best_model');
    if (weights !== undefined)
      this.#weights = new StateDict(
        [...fieldsOf('early_stopping.best_model', weights)].map(([name, value]) => [
          name,
          tensorOf(`early_stopping.best_model.${name}`, value),
        ]),
      );
    Object.assign(this, { best, bestEpoch, badEpochs });
  }
}

/** A state dict of its own memory. */
const copyOf = (model: Module): StateDict =>
  noGrad(
    () =>
      new StateDict([...model.stateDict()].map(([name, value]) => [name, value.clone().keep()])),
  );
