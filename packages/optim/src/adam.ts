import type { Tensor } from '@voxgrad/core';
import {
  checkOption,
  countStep,
  momentOf,
  Optimizer,
  type ParamGroupInput,
  type ParamState,
} from './optimizer.js';

export interface AdamOptions {
  lr: number;
  betas: readonly [number, number];
  eps: number;
  weightDecay: number;
  amsgrad: boolean;
  maximize: boolean;
}

/**
 * Adam (Kingma and Ba, arXiv:1412.6980), with weight decay as a term of the gradient:
 * m ← β₁·m + (1 − β₁)·g, v ← β₂·v + (1 − β₂)·g², p ← p − lr·m̂ / (√v̂ + eps). With `amsgrad` the
 * largest v̂ so far divides.
 */
export class Adam extends Optimizer<AdamOptions> {
  protected readonly optionNames = { weightDecay: 'weight_decay' };

  constructor(
    params: readonly Tensor[] | readonly ParamGroupInput<AdamOptions>[],
    options: Partial<AdamOptions> = {},
  ) {
    super(params, {
      lr: 1e-3,
      betas: [0.9, 0.999],
      eps: 1e-8,
      weightDecay: 0,
      amsgrad: false,
      maximize: false,
      ...options,
    });
  }

  protected checkOptions(o: AdamOptions): void {
    checkOption('learning rate', o.lr, o.lr >= 0);
    checkOption('epsilon value', o.eps, o.eps >= 0);
    o.betas.forEach((beta, i) => {
      checkOption(`beta parameter at index ${i}`, beta, beta >= 0 && beta < 1);
    });
    checkOption('weight_decay value', o.weightDecay, o.weightDecay >= 0);
  }

  protected update(p: Tensor, gradient: Tensor, o: AdamOptions, state: ParamState): void {
    const [beta1, beta2] = o.betas;
    const step = countStep(state);
    let g = o.maximize ? gradient.neg() : gradient;
    if (o.weightDecay !== 0) g = g.add(p, { alpha: o.weightDecay });
    const m = momentOf(state, 'exp_avg', p)
      .mul_(beta1)
      .add_(g, { alpha: 1 - beta1 });
    let v = momentOf(state, 'exp_avg_sq', p)
      .mul_(beta2)
      .add_(g.mul(g), { alpha: 1 - beta2 });
    if (o.amsgrad) {
      const most = momentOf(state, 'max_exp_avg_sq', p);
      v = most.copy_(most.maximum(v));
    }
    const rate = o.lr / (1 - beta1 ** step);
    const denominator = v
      .sqrt()
      .div(Math.sqrt(1 - beta2 ** step))
      .add(o.eps);
    p.add_(m.div(denominator), { alpha: -rate });
  }
}
