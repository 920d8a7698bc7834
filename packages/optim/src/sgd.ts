import { argumentError, Tensor } from '@voxgrad/core';
import type { ParamGroupInput, Params } from './groups.js';
import type { ParamState } from './optimizer.js';
import { checkCommonOptions, checkOption, type Defaults, withDefaults } from './options.js';
import { PerParameterOptimizer, penalised } from './per-parameter.js';

/** Options of {@link SGD}. */
export interface SGDOptions {
  lr: number;
  momentum: number;
  dampening: number;
  weightDecay: number;
  nesterov: boolean;
  maximize: boolean;
}

/**
 * Stochastic gradient descent with momentum (Sutskever et al., ICML 2013, with the learning rate
 * outside the buffer). The buffer starts as the first gradient:
 * b ← momentum·b + (1 − dampening)·g, then p ← p − lr·b (Nesterov: g + momentum·b).
 */
export class SGD extends PerParameterOptimizer<SGDOptions> {
  constructor(params: Params<SGDOptions>, options: Partial<SGDOptions> & { lr: number });
  constructor(
    groups: Iterable<ParamGroupInput<SGDOptions> & { lr: number }>,
    options?: Partial<SGDOptions>,
  );
  constructor(params: Params<SGDOptions>, options: Partial<SGDOptions> = {}) {
    super(
      params,
      withDefaults<Defaults<SGDOptions>>(
        'SGD',
        {
          lr: undefined, // required, as in PyTorch
          momentum: 0,
          dampening: 0,
          weightDecay: 0,
          nesterov: false,
          maximize: false,
        },
        options,
      ),
    );
  }

  protected override checkOptions(o: SGDOptions): void {
    checkCommonOptions(o);
    checkOption('momentum value', o.momentum, o.momentum >= 0);
    if (o.nesterov && (o.momentum <= 0 || o.dampening !== 0))
      throw argumentError('Nesterov momentum requires a momentum and zero dampening');
  }

  protected override update(p: Tensor, gradient: Tensor, o: SGDOptions, state: ParamState): void {
    let d = penalised(gradient, p, o);
    if (o.momentum !== 0) {
      const known = state.momentum_buffer;
      const buffer =
        known instanceof Tensor
          ? known.mul_(o.momentum).add_(d, { alpha: 1 - o.dampening })
          : d.detach().clone();
      state.momentum_buffer = buffer;
      d = o.nesterov ? d.add(buffer, { alpha: o.momentum }) : buffer;
    }
    p.add_(d, { alpha: -o.lr });
  }
}
