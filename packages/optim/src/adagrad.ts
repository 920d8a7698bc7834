import type { Tensor } from '@voxgrad/core';
import type { ParamGroupInput, Params } from './groups.js';
import { countStep, momentOf, type ParamState } from './optimizer.js';
import { checkCommonOptions, checkOption, withDefaults } from './options.js';
import { PerParameterOptimizer, penalised } from './per-parameter.js';

/** Options of {@link Adagrad}. */
export interface AdagradOptions {
  lr: number;
  lrDecay: number;
  eps: number;
  weightDecay: number;
  initialAccumulatorValue: number;
  maximize: boolean;
}

/**
 * Adagrad (Duchi et al., JMLR 12, 2011): s ← s + g², p ← p − lrₜ·g / (√s + eps) with
 * lrₜ = lr / (1 + (t − 1)·lrDecay).
 */
export class Adagrad extends PerParameterOptimizer<AdagradOptions> {
  protected override readonly stateRules = {
    tensorScalars: { step: 'default' },
    required: ['step', 'sum'],
  } as const;

  constructor(params: Params<AdagradOptions>, options?: Partial<AdagradOptions>) {
    super(
      params,
      withDefaults<AdagradOptions>(
        'Adagrad',
        {
          lr: 1e-2,
          lrDecay: 0,
          eps: 1e-10,
          weightDecay: 0,
          initialAccumulatorValue: 0,
          maximize: false,
        },
        options,
      ),
    );
  }

  protected override checkOptions(o: AdagradOptions): void {
    checkCommonOptions(o);
    checkOption('lr_decay value', o.lrDecay, o.lrDecay >= 0);
    const initial = o.initialAccumulatorValue;
    checkOption('initial_accumulator_value value', initial, initial >= 0);
  }

  /** The sums exist before the first step, as in PyTorch, so that its states have them too. */
  override addParamGroup(input: ParamGroupInput<AdagradOptions>): void {
    super.addParamGroup(input);
    const group = this.paramGroups[this.paramGroups.length - 1];
    for (const p of group.params) {
      const state: ParamState = { step: 0 };
      momentOf(state, 'sum', p, group.initialAccumulatorValue);
      this.state.set(p, state);
    }
  }

  protected override update(
    p: Tensor,
    gradient: Tensor,
    o: AdagradOptions,
    state: ParamState,
  ): void {
    const step = countStep(state);
    const g = penalised(gradient, p, o);
    const sum = momentOf(state, 'sum', p, o.initialAccumulatorValue).addcmul_(g, g);
    const rate = o.lr / (1 + (step - 1) * o.lrDecay);
    p.addcdiv_(g, sum.sqrt().add_(o.eps), { value: -rate });
  }
}
