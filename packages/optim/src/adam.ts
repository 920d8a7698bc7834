import { adamStep, type Tensor } from '@voxgrad/core';
import type { Params } from './groups.js';
import { countStep, momentOf, type ParamState } from './optimizer.js';
import { checkCommonOptions, withDefaults } from './options.js';
import { PerParameterOptimizer, penalised } from './per-parameter.js';

/** Options of {@link Adam}. */
export interface AdamOptions {
  lr: number;
  betas: readonly [number, number];
  eps: number;
  weightDecay: number;
  amsgrad: boolean;
  maximize: boolean;
}

const DEFAULTS: AdamOptions = {
  lr: 1e-3,
  betas: [0.9, 0.999],
  eps: 1e-8,
  weightDecay: 0,
  amsgrad: false,
  maximize: false,
};

/** m ← β₁·m + (1 − β₁)·g, v ← β₂·v + (1 − β₂)·g², p ← p − lr·m̂ / (√v̂ + eps). */
function adaptiveStep(p: Tensor, g: Tensor, o: AdamOptions, state: ParamState): void {
  const [beta1, beta2] = o.betas;
  const step = countStep(state);
  const mean = momentOf(state, 'exp_avg', p);
  const square = momentOf(state, 'exp_avg_sq', p);
  const largest = o.amsgrad ? momentOf(state, 'max_exp_avg_sq', p) : null;
  const size = o.lr / (1 - beta1 ** step);
  const root = Math.sqrt(1 - beta2 ** step);
  const tensors = { parameter: p, gradient: g, mean, square, largest };
  adamStep(tensors, { beta1, beta2, eps: o.eps, size, root });
}

const RULES = {
  tensorScalars: { step: 'default' },
  required: ['step', 'exp_avg', 'exp_avg_sq'],
} as const;

/**
 * Adam (Kingma and Ba, arXiv:1412.6980), with weight decay as a term of the gradient. With
 * `amsgrad` the largest v so far divides (Reddi et al., arXiv:1904.09237).
 */
export class Adam extends PerParameterOptimizer<AdamOptions> {
  protected override readonly stateRules = RULES;

  constructor(params: Params<AdamOptions>, options?: Partial<AdamOptions>) {
    super(params, withDefaults('Adam', DEFAULTS, options));
  }

  protected override checkOptions(o: AdamOptions): void {
    checkCommonOptions(o);
  }

  protected override update(p: Tensor, gradient: Tensor, o: AdamOptions, state: ParamState): void {
    adaptiveStep(p, penalised(gradient, p, o), o, state);
  }
}

/**
 * AdamW (Loshchilov and Hutter, arXiv:1711.05101): Adam, with a weight decay that shrinks the
 * parameter itself, p ← (1 − lr·weightDecay)·p, and so is not divided by √v̂.
 */
export class AdamW extends PerParameterOptimizer<AdamOptions> {
  protected override readonly stateRules = RULES;

  constructor(params: Params<AdamOptions>, options?: Partial<AdamOptions>) {
    super(params, withDefaults('AdamW', { ...DEFAULTS, weightDecay: 1e-2 }, options));
  }

  protected override checkOptions(o: AdamOptions): void {
    checkCommonOptions(o);
  }

  protected override update(p: Tensor, gradient: Tensor, o: AdamOptions, state: ParamState): void {
    const g = o.maximize ? gradient.neg() : gradient;
    p.mul_(1 - o.lr * o.weightDecay);
    adaptiveStep(p, g, o, state);
  }
}
