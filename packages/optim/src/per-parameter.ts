import { enableGrad, getDefaultDtype, noGrad, type Tensor } from '@voxgrad/core';
import { keepState, Optimizer, type ParamState } from './optimizer.js';

/** An optimizer that updates each parameter from its own gradient alone. */
export abstract class PerParameterOptimizer<O extends object> extends Optimizer<O> {
  /** Updates one parameter from its gradient; runs without recording. */
  protected abstract update(
    parameter: Tensor,
    gradient: Tensor,
    options: O,
    state: ParamState,
  ): void;

  /** One update of every parameter that has a gradient. */
  override step(closure?: undefined): null;
  override step<T>(closure: () => T): T;
  override step<T>(closure?: () => T): T | null {
    const loss = closure === undefined ? null : enableGrad(closure);
    noGrad(() => {
      for (const group of this.paramGroups)
        for (const parameter of group.params) {
          if (parameter.grad === null) continue;
          const state = this.state.get(parameter) ?? {};
          this.state.set(parameter, state);
          this.update(parameter, parameter.grad, group, state);
          keepState(state);
        }
    });
    this.stepCount++;
    return loss;
  }
}

/** `value` as a tensor of the default dtype holds it, in which PyTorch keeps such numbers. */
export const inDefaultDtype = (value: number): number =>
  getDefaultDtype() === 'float64' ? value : Math.fround(value);

/** The gradient of what is minimised: negated to maximise, with the L2 penalty's term. */
export function penalised(
  gradient: Tensor,
  parameter: Tensor,
  { maximize = false, weightDecay = 0 }: { maximize?: boolean; weightDecay?: number },
): Tensor {
  const g = maximize ? gradient.neg() : gradient;
  return weightDecay === 0 ? g : g.add(parameter, { alpha: weightDecay });
}
