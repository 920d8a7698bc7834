import type { Tensor } from '@voxgrad/core';
import type { Params } from './groups.js';
import { countStep, momentOf, numberOf, type ParamState } from './optimizer.js';
import { checkCommonOptions, checkOption, withDefaults } from './options.js';
import { inDefaultDtype, PerParameterOptimizer, penalised } from './per-parameter.js';

/** Options of {@link NAdam}. */
export interface NAdamOptions {
  lr: number;
  betas: readonly [number, number];
  eps: number;
  weightDecay: number;
  momentumDecay: number;
}

/**
 * NAdam (Dozat, ICLR workshop 2016): Adam with Nesterov momentum, whose weight follows a schedule,
 * μₜ = β₁·(1 − ½·0.96^(t·momentumDecay)).
 */
export class NAdam extends PerParameterOptimizer<NAdamOptions> {
  protected override readonly stateRules = {
    tensorScalars: { step: 'default', mu_product: 'default' },
    required: ['step', 'mu_product', 'exp_avg', 'exp_avg_sq'],
  } as const;

  constructor(params: Params<NAdamOptions>, options?: Partial<NAdamOptions>) {
    super(
      params,
      withDefaults<NAdamOptions>(
        'NAdam',
        { lr: 2e-3, betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0, momentumDecay: 4e-3 },
        options,
      ),
    );
  }

  protected override checkOptions(o: NAdamOptions): void {
    checkCommonOptions(o);
    checkOption('momentum_decay value', o.momentumDecay, o.momentumDecay >= 0);
  }

  protected override update(p: Tensor, gradient: Tensor, o: NAdamOptions, state: ParamState): void {
    const [beta1, beta2] = o.betas;
    const step = countStep(state);
    const g = penalised(gradient, p, o);
    const weight = (t: number) => beta1 * (1 - 0.5 * 0.96 ** (t * o.momentumDecay));
    const [mu, next] = [weight(step), weight(step + 1)];
    // PyTorch keeps the product of all μ in the default dtype; rounding as it does keeps the runs
    // together.
    const product = times(numberOf(state, 'mu_product', 1), mu);
    state.mu_product = product;
    const nextProduct = times(times(product, mu), next);
    const m = momentOf(state, 'exp_avg', p)
      .mul_(beta1)
      .add_(g, { alpha: 1 - beta1 });
    const v = momentOf(state, 'exp_avg_sq', p)
      .mul_(beta2)
      .addcmul_(g, g, { value: 1 - beta2 });
    const denominator = v
      .div(1 - beta2 ** step)
      .sqrt()
      .add(o.eps);
    p.addcdiv_(g, denominator, { value: (-o.lr * (1 - mu)) / (1 - product) });
    // PyTorch 1.13 has the current μ twice in this product: part of being equal to it.
    p.addcdiv_(m, denominator, { value: (-o.lr * next) / (1 - nextProduct) });
  }
}

const times = (a: number, b: number): number => inDefaultDtype(a * inDefaultDtype(b));
