import type { Tensor } from '@voxgrad/core';
import type { Params } from './groups.js';
import { countStep, momentOf, type ParamState } from './optimizer.js';
import { checkCommonOptions, checkOption, withDefaults } from './options.js';
import { PerParameterOptimizer, penalised } from './per-parameter.js';

/** Options of {@link RMSprop}. */
export interface RMSpropOptions {
  lr: number;
  momentum: number;
  /** Smoothing of the squared gradients. */
  alpha: number;
  eps: number;
  centered: boolean;
  weightDecay: number;
  maximize: boolean;
}

/**
 * RMSprop (Hinton's lecture 6e): v ← α·v + (1 − α)·g², p ← p − lr·g / (√v + eps). `centered`
 * subtracts the squared mean gradient from v (Graves, arXiv:1308.0850).
 */
export class RMSprop extends PerParameterOptimizer<RMSpropOptions> {
  protected override readonly stateRules = { required: ['square_avg'] };

  constructor(params: Params<RMSpropOptions>, options?: Partial<RMSpropOptions>) {
    super(
      params,
      withDefaults<RMSpropOptions>(
        'RMSprop',
        {
          lr: 1e-2,
          momentum: 0,
          alpha: 0.99,
          eps: 1e-8,
          centered: false,
          weightDecay: 0,
          maximize: false,
        },
        options,
      ),
    );
  }

  protected override checkOptions(o: RMSpropOptions): void {
    checkCommonOptions(o);
    checkOption('momentum value', o.momentum, o.momentum >= 0);
    checkOption('alpha value', o.alpha, o.alpha >= 0);
  }

  protected override update(
    p: Tensor,
    gradient: Tensor,
    o: RMSpropOptions,
    state: ParamState,
  ): void {
    countStep(state);
    const g = penalised(gradient, p, o);
    let v = momentOf(state, 'square_avg', p)
      .mul_(o.alpha)
      .addcmul_(g, g, { value: 1 - o.alpha });
    if (o.centered) {
      const mean = momentOf(state, 'grad_avg', p)
        .mul_(o.alpha)
        .add_(g, { alpha: 1 - o.alpha });
      v = v.addcmul(mean, mean, { value: -1 });
    }
    const denominator = v.sqrt().add_(o.eps);
    if (o.momentum > 0) {
      const buffer = momentOf(state, 'momentum_buffer', p)
        .mul_(o.momentum)
        .addcdiv_(g, denominator);
      p.add_(buffer, { alpha: -o.lr });
    } else p.addcdiv_(g, denominator, { value: -o.lr });
  }
}
