import { argumentError, requireFunction } from '@voxgrad/core';
import { withDefaults } from '../options.js';
import { LRScheduler, type Schedulable, type SchedulerOptions } from './scheduler.js';

/** A factor of the learning rate at an epoch. */
export type LRFactor = (epoch: number) => number;

abstract class FactorLR extends LRScheduler {
  readonly lrLambdas: readonly LRFactor[];

  constructor(
    optimizer: Schedulable,
    lrLambda: LRFactor | readonly LRFactor[],
    options?: SchedulerOptions,
  ) {
    super(optimizer, withDefaults(new.target.name, { lastEpoch: -1 }, options));
    const listed: readonly unknown[] = Array.isArray(lrLambda) ? lrLambda : [lrLambda];
    for (const entry of listed) requireFunction(new.target.name, 'lrLambda', entry);
    const count = optimizer.paramGroups.length;
    if (typeof lrLambda !== 'function' && lrLambda.length !== count)
      throw argumentError(`Expected ${count} lr_lambdas, but got ${lrLambda.length}`);
    this.lrLambdas =
      typeof lrLambda === 'function' ? new Array<LRFactor>(count).fill(lrLambda) : [...lrLambda];
    this.begin();
  }

  /** Functions are not saved; PyTorch writes None for them. */
  override stateDict(): Record<string, unknown> {
    return { ...super.stateDict(), lr_lambdas: this.lrLambdas.map(() => null) };
  }
}

/** The initial learning rate times a function of the epoch; one function, or one for each group. */
export class LambdaLR extends FactorLR {
  protected override getLr(): number[] {
    return this.baseLrs.map((lr, i) => lr * this.lrLambdas[i](this.lastEpoch));
  }
}

/** The last learning rate times a function of the epoch. */
export class MultiplicativeLR extends FactorLR {
  protected override getLr(): number[] {
    const lrs = this.currentLrs();
    if (this.lastEpoch <= 0) return lrs;
    return lrs.map((lr, i) => lr * this.lrLambdas[i](this.lastEpoch));
  }
}
