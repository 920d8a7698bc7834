import { argumentError, Tensor } from '@voxgrad/core';
import { checkOption, Optimizer, type ParamGroupInput, type ParamState } from './optimizer.js';

export interface SGDOptions {
  lr: number;
  momentum: number;
  dampening: number;
  weightDecay: number;
  nesterov: boolean;
  maximize: boolean;
}

/**
 * Stochastic gradient descent with momentum. The buffer starts as the first gradient:
 * b ← momentum·b + (1 − dampening)·g, then p ← p − lr·b (Nesterov: g + momentum·b).
 */
export class SGD extends Optimizer<SGDOptions> {
  protected readonly optionNames = { weightDecay: 'weight_decay' };

  constructor(
    params: readonly Tensor[] | readonly ParamGroupInput<SGDOptions>[],
    options: Partial<SGDOptions> & { lr: number },
  ) {
    super(params, {
      momentum: 0,
      dampening: 0,
      weightDecay: 0,
      nesterov: false,
      maximize: false,
      ...options,
    });
  }

  protected checkOptions(o: SGDOptions): void {
    checkOption('learning rate', o.lr, o.lr >= 0);
    checkOption('momentum value', o.momentum, o.momentum >= 0);
    checkOption('weight_decay value', o.weightDecay, o.weightDecay >= 0);
    if (o.nesterov && (o.momentum <= 0 || o.dampening !== 0))
      throw argumentError('Nesterov momentum requires a momentum and zero dampening');
  }

  protected update(p: Tensor, gradient: Tensor, o: SGDOptions, state: ParamState): void {
    let d = o.maximize ? gradient.neg() : gradient;
    if (o.weightDecay !== 0) d = d.add(p, { alpha: o.weightDecay });
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
