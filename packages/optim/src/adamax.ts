import type { Tensor } from '@voxgrad/core';
import type { Params } from './groups.js';
import { countStep, momentOf, type ParamState } from './optimizer.js';
import { checkCommonOptions, withDefaults } from './options.js';
import { PerParameterOptimizer, penalised } from './per-parameter.js';

/** Options of {@link Adamax}. */
export interface AdamaxOptions {
  lr: number;
  betas: readonly [number, number];
  eps: number;
  weightDecay: number;
  maximize: boolean;
}

/**
 * Adamax (Kingma and Ba, arXiv:1412.6980, section 7.1): Adam under the infinity norm,
 * u ← max(β₂·u, |g| + eps), p ← p − lr / (1 − β₁ᵗ)·m / u.
 */
export class Adamax extends PerParameterOptimizer<AdamaxOptions> {
  protected override readonly stateRules = {
    tensorScalars: { step: 'default' },
    required: ['step', 'exp_avg', 'exp_inf'],
  } as const;

  constructor(params: Params<AdamaxOptions>, options?: Partial<AdamaxOptions>) {
    super(
      params,
      withDefaults<AdamaxOptions>(
        'Adamax',
        { lr: 2e-3, betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0, maximize: false },
        options,
      ),
    );
  }

  protected override checkOptions(o: AdamaxOptions): void {
    checkCommonOptions(o);
  }

  protected override update(
    p: Tensor,
    gradient: Tensor,
    o: AdamaxOptions,
    state: ParamState,
  ): void {
    const [beta1, beta2] = o.betas;
    const step = countStep(state);
    const g = penalised(gradient, p, o);
    const m = momentOf(state, 'exp_avg', p)
      .mul_(beta1)
      .add_(g, { alpha: 1 - beta1 });
    const u = momentOf(state, 'exp_inf', p);
    u.copy_(u.mul(beta2).maximum(g.abs().add(o.eps)));
    p.addcdiv_(m, u, { value: -(o.lr / (1 - beta1 ** step)) });
  }
}
