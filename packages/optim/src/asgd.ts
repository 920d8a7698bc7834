import type { Tensor } from '@voxgrad/core';
import type { Params } from './groups.js';
import { countStep, momentOf, numberOf, type ParamState } from './optimizer.js';
import { checkCommonOptions, withDefaults } from './options.js';
import { inDefaultDtype, PerParameterOptimizer, penalised } from './per-parameter.js';

/** Options of {@link ASGD}. */
export interface ASGDOptions {
  lr: number;
  /** Decay of the learning rate and of the parameters. */
  lambd: number;
  /** Power of the learning rate's decay. */
  alpha: number;
  /** The step from which on parameters are averaged. */
  t0: number;
  weightDecay: number;
  maximize: boolean;
}

/**
 * Averaged SGD (Polyak and Juditsky, SIAM J. Control Optim. 30, 1992). `state.get(p).ax` holds the
 * average of a parameter.
 */
export class ASGD extends PerParameterOptimizer<ASGDOptions> {
  protected override readonly stateRules = {
    tensorScalars: { step: 'default', eta: 'default', mu: 'default' },
    required: ['step', 'eta', 'mu', 'ax'],
  } as const;

  constructor(params: Params<ASGDOptions>, options?: Partial<ASGDOptions>) {
    super(
      params,
      withDefaults<ASGDOptions>(
        'ASGD',
        { lr: 1e-2, lambd: 1e-4, alpha: 0.75, t0: 1e6, weightDecay: 0, maximize: false },
        options,
      ),
    );
  }

  protected override checkOptions(o: ASGDOptions): void {
    checkCommonOptions(o);
  }

  protected override update(p: Tensor, gradient: Tensor, o: ASGDOptions, state: ParamState): void {
    const step = countStep(state);
    // PyTorch keeps both numbers in the default dtype.
    const eta = numberOf(state, 'eta', inDefaultDtype(o.lr));
    const mu = numberOf(state, 'mu', 1);
    const g = penalised(gradient, p, o);
    p.mul_(1 - o.lambd * eta);
    p.add_(g, { alpha: -eta });
    const average = momentOf(state, 'ax', p);
    if (mu === 1) average.copy_(p);
    else average.add_(p.sub(average).mul(mu));
    state.eta = inDefaultDtype(o.lr / (1 + o.lambd * o.lr * step) ** o.alpha);
    state.mu = inDefaultDtype(1 / Math.max(1, step - o.t0));
  }
}
