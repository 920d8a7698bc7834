import type { Tensor } from '@voxgrad/core';
import type { Params } from './groups.js';
import { countStep, momentOf, type ParamState } from './optimizer.js';
import { checkCommonOptions, withDefaults } from './options.js';
import { PerParameterOptimizer, penalised } from './per-parameter.js';

/** Options of {@link RAdam}. */
export interface RAdamOptions {
  lr: number;
  betas: readonly [number, number];
  eps: number;
  weightDecay: number;
}

/**
 * RAdam (Liu et al., arXiv:1908.03265): Adam whose adaptive rate starts only once its variance can
 * be estimated (ρₜ > 5), and is then rectified by that variance; before, momentum alone.
 */
export class RAdam extends PerParameterOptimizer<RAdamOptions> {
  protected override readonly stateRules = {
    tensorScalars: { step: 'default' },
    required: ['step', 'exp_avg', 'exp_avg_sq'],
  } as const;

  constructor(params: Params<RAdamOptions>, options?: Partial<RAdamOptions>) {
    super(
      params,
      withDefaults<RAdamOptions>(
        'RAdam',
        { lr: 1e-3, betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0 },
        options,
      ),
    );
  }

  protected override checkOptions(o: RAdamOptions): void {
    checkCommonOptions(o);
  }

  protected override update(p: Tensor, gradient: Tensor, o: RAdamOptions, state: ParamState): void {
    const [beta1, beta2] = o.betas;
    const step = countStep(state);
    const g = penalised(gradient, p, o);
    const m = momentOf(state, 'exp_avg', p)
      .mul_(beta1)
      .add_(g, { alpha: 1 - beta1 });
    const v = momentOf(state, 'exp_avg_sq', p)
      .mul_(beta2)
      .addcmul_(g, g, { value: 1 - beta2 });
    const correction2 = 1 - beta2 ** step;
    const update = m.div(1 - beta1 ** step).mul(o.lr);
    const rhoMax = 2 / (1 - beta2) - 1;
    const rho = rhoMax - (2 * step * beta2 ** step) / correction2;
    if (rho > 5) {
      const rectification = Math.sqrt(
        ((rho - 4) * (rho - 2) * rhoMax) / ((rhoMax - 4) * (rhoMax - 2) * rho),
      );
      const rate = v.sqrt().add_(o.eps).reciprocal().mul(Math.sqrt(correction2));
      p.sub_(update.mul(rate).mul(rectification));
    } else p.sub_(update);
  }
}
