import { argumentError, describe } from '@voxgrad/core';
import { camelCase } from '../names.js';
import { withDefaults } from '../options.js';
import { field, listOf, plain } from '../plain.js';
import { annealingIn } from './anneal.js';
import { setMomentum } from './momentum.js';
import {
  checkOptimizer,
  checkWhole,
  LRScheduler,
  perGroup,
  type Schedulable,
  type SchedulerOptions,
} from './scheduler.js';

/** Options of {@link OneCycleLR}. */
export interface OneCycleOptions extends SchedulerOptions {
  /** Either the number of steps, or epochs and stepsPerEpoch. */
  totalSteps?: number;
  epochs?: number;
  stepsPerEpoch?: number;
  /** The part of the steps that the rise takes. */
  pctStart?: number;
  annealStrategy?: 'cos' | 'linear';
  /** Whether momentum, or Adam's β₁, falls while the learning rate rises. */
  cycleMomentum?: boolean;
  baseMomentum?: number | readonly number[];
  maxMomentum?: number | readonly number[];
  /** The first learning rate is maxLr / divFactor, the last one that / finalDivFactor. */
  divFactor?: number;
  finalDivFactor?: number;
  /** Rise, fall back as fast, and then to the last learning rate. */
  threePhase?: boolean;
}

interface Phase {
  readonly endStep: number;
  readonly lr: readonly [from: string, to: string];
  readonly momentum: readonly [from: string, to: string];
}

/**
 * The 1cycle policy (Smith and Topin, arXiv:1708.07120): up to `maxLr` and down again, once, with a
 * `step()` after every batch. The ends of the phases are options of the groups, as in PyTorch.
 */
export class OneCycleLR extends LRScheduler {
  readonly totalSteps: number;
  readonly cycleMomentum: boolean;
  #anneal: (start: number, end: number, part: number) => number;
  #phases: readonly Phase[];

  constructor(
    optimizer: Schedulable,
    maxLr: number | readonly number[],
    options: OneCycleOptions = {},
  ) {
    const o = withDefaults('OneCycleLR', DEFAULTS, options);
    const { annealStrategy, pctStart, divFactor, finalDivFactor } = o;
    const totalSteps = stepsOf(o);
    if (!(pctStart >= 0 && pctStart <= 1))
      throw argumentError(`Expected float between 0 and 1 pct_start, but got ${pctStart}`);
    if (!Object.hasOwn(ANNEAL, annealStrategy))
      throw argumentError(
        `anneal_strategy must by one of 'cos' or 'linear', instead got ${describe(annealStrategy)}`,
      );
    const startsAnew = o.lastEpoch === -1;
    const maxLrs = perGroup('max_lr', checkOptimizer(optimizer), maxLr);
    const momenta = momentaOf(optimizer, o);
    if (startsAnew)
      optimizer.paramGroups.forEach((group, i) => {
        const initialLr = maxLrs[i] / divFactor;
        const [base, most] = momenta?.[i] ?? [];
        if (most !== undefined) setMomentum(group, most);
        Object.assign(
          group,
          { initialLr, maxLr: maxLrs[i], minLr: initialLr / finalDivFactor },
          momenta && { maxMomentum: most, baseMomentum: base },
        );
      });
    super(optimizer, o);
    this.totalSteps = totalSteps;
    this.cycleMomentum = momenta !== undefined;
    this.#anneal = ANNEAL[annealStrategy];
    this.#phases = phasesOf(totalSteps, pctStart, o.threePhase);
    this.begin();
  }

  /** Goes on along the curve and phases of the state, where it has them. */
  override loadStateDict(state: object): void {
    const phases = savedPhases(state);
    super.loadStateDict(state);
    const strategy = annealingIn(state);
    if (strategy !== undefined) this.#anneal = ANNEAL[strategy];
    if (phases !== undefined) this.#phases = phases;
  }

  protected override getLr(): number[] {
    const step = this.lastEpoch;
    if (step > this.totalSteps)
      throw argumentError(
        `Tried to step ${step + 1} times. The specified number of total steps is ${this.totalSteps}`,
      );
    const found = this.#phases.findIndex((phase) => step <= phase.endStep);
    const index = found === -1 ? this.#phases.length - 1 : found;
    const phase = this.#phases[index];
    const start = index === 0 ? 0 : this.#phases[index - 1].endStep;
    const part = (step - start) / (phase.endStep - start);
    const along = (group: Record<string, unknown>, [from, to]: readonly [string, string]) =>
      this.#anneal(Number(group[from]), Number(group[to]), part);
    if (this.cycleMomentum)
      for (const group of this.groups) setMomentum(group, along(group, phase.momentum));
    return this.groups.map((group) => along(group, phase.lr));
  }
}

function savedPhases(state: object): Phase[] | undefined {
  const saved = field(state, '_schedule_phases');
  if (saved === undefined) return undefined;
  return listOf(saved, 'a list of _schedule_phases').map((phase) => {
    const endStep = plain(field(phase, 'end_step'));
    const name = (key: string) => camelCase(String(field(phase, key)));
    if (typeof endStep !== 'number')
      throw argumentError(`loadStateDict(): end_step of a phase is ${describe(endStep)}`);
    return {
      endStep,
      lr: [name('start_lr'), name('end_lr')],
      momentum: [name('start_momentum'), name('end_momentum')],
    };
  });
}

type Optional = 'totalSteps' | 'epochs' | 'stepsPerEpoch';

const DEFAULTS: Required<Omit<OneCycleOptions, Optional>> & {
  [K in Optional]: OneCycleOptions[K] | undefined;
} = {
  totalSteps: undefined,
  epochs: undefined,
  stepsPerEpoch: undefined,
  pctStart: 0.3,
  annealStrategy: 'cos',
  cycleMomentum: true,
  baseMomentum: 0.85,
  maxMomentum: 0.95,
  divFactor: 25,
  finalDivFactor: 1e4,
  threePhase: false,
  lastEpoch: -1,
};

const ANNEAL = {
  cos: (start: number, end: number, part: number) =>
    end + ((start - end) / 2) * (Math.cos(Math.PI * part) + 1),
  linear: (start: number, end: number, part: number) => (end - start) * part + start,
};

function phasesOf(totalSteps: number, pctStart: number, threePhase: boolean): Phase[] {
  const up: Phase = {
    endStep: pctStart * totalSteps - 1,
    lr: ['initialLr', 'maxLr'],
    momentum: ['maxMomentum', 'baseMomentum'],
  };
  const endStep = totalSteps - 1;
  if (!threePhase)
    return [up, { endStep, lr: ['maxLr', 'minLr'], momentum: ['baseMomentum', 'maxMomentum'] }];
  return [
    up,
    {
      endStep: 2 * pctStart * totalSteps - 2,
      lr: ['maxLr', 'initialLr'],
      momentum: ['baseMomentum', 'maxMomentum'],
    },
    { endStep, lr: ['initialLr', 'minLr'], momentum: ['maxMomentum', 'maxMomentum'] },
  ];
}

function stepsOf({ totalSteps, epochs, stepsPerEpoch }: typeof DEFAULTS): number {
  if (totalSteps !== undefined) {
    checkWhole('total_steps', totalSteps);
    return totalSteps;
  }
  if (epochs === undefined || stepsPerEpoch === undefined)
    throw argumentError('You must define either total_steps OR (epochs AND steps_per_epoch)');
  checkWhole('epochs', epochs);
  checkWhole('steps_per_epoch', stepsPerEpoch);
  return epochs * stepsPerEpoch;
}

/** Smallest and largest momentum of each group; undefined where momentum is left alone. */
function momentaOf(
  optimizer: Schedulable,
  { cycleMomentum, baseMomentum, maxMomentum }: typeof DEFAULTS,
): [base: number, most: number][] | undefined {
  if (!cycleMomentum) return undefined;
  if (!('momentum' in optimizer.defaults || 'betas' in optimizer.defaults))
    throw argumentError('optimizer must support momentum with `cycle_momentum` option enabled');
  const most = perGroup('max_momentum', optimizer, maxMomentum);
  return perGroup('base_momentum', optimizer, baseMomentum).map((base, i) => [base, most[i]]);
}
