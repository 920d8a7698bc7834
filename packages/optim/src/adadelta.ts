import type { Tensor } from '@voxgrad/core';
import type { Params } from './groups.js';
import { countStep, momentOf, type ParamState } from './optimizer.js';
import { checkCommonOptions, checkOption, withDefaults } from './options.js';
import { PerParameterOptimizer, penalised } from './per-parameter.js';

/** Options of {@link Adadelta}. */
export interface AdadeltaOptions {
  lr: number;
  rho: number;
  eps: number;
  weightDecay: number;
  maximize: boolean;
}

/**
 * Adadelta (Zeiler, arXiv:1212.5701): the running size of past updates over that of the gradients
 * takes the place of a learning rate, Δ = √(d + eps) / √(v + eps)·g, p ← p − lr·Δ.
 */
export class Adadelta extends PerParameterOptimizer<AdadeltaOptions> {
  protected override readonly stateRules = { required: ['square_avg', 'acc_delta'] };

  constructor(params: Params<AdadeltaOptions>, options?: Partial<AdadeltaOptions>) {
    super(
      params,
      withDefaults<AdadeltaOptions>(
        'Adadelta',
        { lr: 1, rho: 0.9, eps: 1e-6, weightDecay: 0, maximize: false },
        options,
      ),
    );
  }

  protected override checkOptions(o: AdadeltaOptions): void {
    checkCommonOptions(o);
    checkOption('rho value', o.rho, o.rho >= 0 && o.rho <= 1);
  }

  protected override update(
    p: Tensor,
    gradient: Tensor,
    o: AdadeltaOptions,
    state: ParamState,
  ): void {
    countStep(state);
    const g = penalised(gradient, p, o);
    const blend = { value: 1 - o.rho };
    const v = momentOf(state, 'square_avg', p).mul_(o.rho).addcmul_(g, g, blend);
    const past = momentOf(state, 'acc_delta', p);
    const delta = past.add(o.eps).sqrt_().div_(v.add(o.eps).sqrt_()).mul_(g);
    past.mul_(o.rho).addcmul_(delta, delta, blend);
    p.add_(delta, { alpha: -o.lr });
  }
}
