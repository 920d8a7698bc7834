import { argumentError } from '@voxgrad/core';
import { optionsOf } from '../groups.js';
import { withDefaults } from '../options.js';
import {
  checkOptimizer,
  LRScheduler,
  perGroup,
  type Schedulable,
  type SchedulerOptions,
} from './scheduler.js';

/** Options of {@link CyclicLR}. */
export interface CyclicOptions extends SchedulerOptions {
  stepSizeUp?: number;
  /** As many as up where omitted. */
  stepSizeDown?: number;
  mode?: 'triangular' | 'triangular2' | 'exp_range';
  /** Of `exp_range`: the height at a step is gamma^step. */
  gamma?: number;
  /** Height of a cycle (1, 2, …) or at a step (0, 1, …), instead of a mode. */
  scaleFn?: (x: number) => number;
  scaleMode?: 'cycle' | 'iterations';
  cycleMomentum?: boolean;
  baseMomentum?: number | readonly number[];
  maxMomentum?: number | readonly number[];
}

/**
 * Cyclical learning rates (Smith, arXiv:1506.01186): up and down between `baseLr` and `maxLr`, with
 * momentum the other way, with a `step()` after every batch.
 */
export class CyclicLR extends LRScheduler {
  readonly maxLrs: number[];
  readonly totalSize: number;
  readonly stepRatio: number;
  readonly mode: string;
  readonly gamma: number;
  readonly scaleMode: 'cycle' | 'iterations';
  readonly cycleMomentum: boolean;
  readonly baseMomentums: number[];
  readonly maxMomentums: number[];
  readonly #scaleFn: (x: number) => number;

  constructor(
    optimizer: Schedulable,
    baseLr: number | readonly number[],
    maxLr: number | readonly number[],
    options: CyclicOptions = {},
  ) {
    const { stepSizeUp, mode, gamma, cycleMomentum, scaleFn, ...o } = withDefaults(
      'CyclicLR',
      DEFAULTS,
      options,
    );
    const stepSizeDown = o.stepSizeDown ?? stepSizeUp;
    if (!Object.hasOwn(HEIGHTS, mode) && scaleFn === undefined)
      throw argumentError('mode is invalid and scale_fn is None');
    if (cycleMomentum && !('momentum' in checkOptimizer(optimizer).defaults))
      throw argumentError('optimizer must support momentum with `cycle_momentum` option enabled');
    const startsAnew = o.lastEpoch === -1;
    const baseLrs = perGroup('base_lr', checkOptimizer(optimizer), baseLr);
    const maxLrs = perGroup('max_lr', optimizer, maxLr);
    const maxMomentums = perGroup('max_momentum', optimizer, o.maxMomentum);
    const momentums = perGroup('base_momentum', optimizer, o.baseMomentum);
    const groups = optimizer.paramGroups.map(optionsOf);
    if (startsAnew)
      groups.forEach((group, i) => {
        group.lr = baseLrs[i];
        if (cycleMomentum) group.momentum = momentums[i];
      });
    super(optimizer, o);
    this.maxLrs = maxLrs;
    this.totalSize = stepSizeUp + stepSizeDown;
    this.stepRatio = stepSizeUp / this.totalSize;
    this.mode = mode;
    this.gamma = gamma;
    const builtIn = mode === 'exp_range' ? 'iterations' : 'cycle';
    this.scaleMode = scaleFn ? o.scaleMode : builtIn;
    this.#scaleFn = scaleFn ?? ((x) => HEIGHTS[mode](x, this.gamma));
    this.cycleMomentum = cycleMomentum;
    this.baseMomentums = cycleMomentum ? groups.map((group) => Number(group.momentum)) : [];
    this.maxMomentums = cycleMomentum ? maxMomentums : [];
    // The first epoch starts from `initialLr`, as in PyTorch; it differs where a scheduler was before.
    this.baseLrs = this.groups.map((group) => Number(group.initialLr));
    this.begin();
    this.baseLrs = baseLrs;
  }

  protected override getLr(): number[] {
    const { lastEpoch: epoch, totalSize, stepRatio } = this;
    const cycle = Math.floor(1 + epoch / totalSize);
    const x = 1 + epoch / totalSize - cycle;
    const part = x <= stepRatio ? x / stepRatio : (x - 1) / (stepRatio - 1);
    const height = this.#scaleFn(this.scaleMode === 'cycle' ? cycle : epoch);
    if (this.cycleMomentum)
      this.groups.forEach((group, i) => {
        const most = this.maxMomentums[i];
        group.momentum = most - (most - this.baseMomentums[i]) * part * height;
      });
    return this.baseLrs.map((base, i) => base + (this.maxLrs[i] - base) * part * height);
  }
}

type Optional = 'stepSizeDown' | 'scaleFn';

const DEFAULTS: Required<Omit<CyclicOptions, Optional>> & {
  [K in Optional]: CyclicOptions[K] | undefined;
} = {
  stepSizeUp: 2000,
  stepSizeDown: undefined,
  mode: 'triangular',
  gamma: 1,
  scaleFn: undefined,
  scaleMode: 'cycle',
  cycleMomentum: true,
  baseMomentum: 0.8,
  maxMomentum: 0.9,
  lastEpoch: -1,
};

const HEIGHTS: Record<string, (x: number, gamma: number) => number> = {
  triangular: () => 1,
  triangular2: (cycle) => 1 / 2 ** (cycle - 1),
  exp_range: (step, gamma) => gamma ** step,
};
