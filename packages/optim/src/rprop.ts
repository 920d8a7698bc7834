import { argumentError, onesLike, type Tensor } from '@voxgrad/core';
import type { Params } from './groups.js';
import { countStep, momentOf, type ParamState } from './optimizer.js';
import { checkCommonOptions, withDefaults } from './options.js';
import { PerParameterOptimizer, penalised } from './per-parameter.js';

/** Options of {@link Rprop}. */
export interface RpropOptions {
  /** The first step size of every element. */
  lr: number;
  /** Factors of a step size when its gradient changed sign, and when it did not. */
  etas: readonly [number, number];
  /** Smallest and largest step size. */
  stepSizes: readonly [number, number];
  maximize: boolean;
}

/**
 * Resilient backpropagation (Riedmiller and Braun, ICNN 1993), for full batches: only signs of
 * gradients count. Where a sign changed, the element stays put for one step.
 */
export class Rprop extends PerParameterOptimizer<RpropOptions> {
  protected override readonly stateRules = { required: ['prev', 'step_size'] };

  constructor(params: Params<RpropOptions>, options?: Partial<RpropOptions>) {
    super(
      params,
      withDefaults<RpropOptions>(
        'Rprop',
        { lr: 1e-2, etas: [0.5, 1.2], stepSizes: [1e-6, 50], maximize: false },
        options,
      ),
    );
  }

  protected override checkOptions(o: RpropOptions): void {
    checkCommonOptions(o);
    const [minus, plus] = o.etas;
    if (!(minus > 0 && minus < 1 && plus > 1))
      throw argumentError(`Invalid eta values: ${minus}, ${plus}`);
  }

  protected override update(p: Tensor, gradient: Tensor, o: RpropOptions, state: ParamState): void {
    countStep(state);
    const [minus, plus] = o.etas;
    const [min, max] = o.stepSizes;
    const g = penalised(gradient, p, o);
    const previous = momentOf(state, 'prev', p);
    const agreement = g.mul(previous);
    const turned = agreement.lt(0);
    const factor = onesLike(g).maskedFill(agreement.gt(0), plus).maskedFill(turned, minus);
    const stepSize = momentOf(state, 'step_size', p, o.lr).mul_(factor).clamp_({ min, max });
    const kept = g.maskedFill(turned, 0);
    p.addcmul_(kept.sign(), stepSize, { value: -1 });
    previous.copy_(kept);
  }
}
