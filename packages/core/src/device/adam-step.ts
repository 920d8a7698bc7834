import { noGrad } from '../autograd/mode.js';
import type { AdamStepStrategy } from '../strategies/adam-step.js';
import { select } from '../strategies/registry.js';
import { runStrategy } from '../strategies/run.js';
import type { Tensor } from '../tensor/tensor.js';
import type { AdamNumbers, AdamViews } from './device.js';

/** One step of Adam in place, off the tape, by a strategy of `adam.step`. */
export function adamStep(tensors: AdamViews<Tensor>, numbers: AdamNumbers): void {
  const { parameter, gradient, mean, square, largest } = tensors;
  const { device, dtype, shape } = parameter;
  const all = [parameter, gradient, mean, square, ...(largest ? [largest] : [])];
  const plain = all.every((t) => t.dtype === dtype && t.device === device && t.isContiguous);
  const call = { parameter: shape, dtype, amsgrad: largest !== null, plain };
  const strategy = select<AdamStepStrategy>('adam.step', call, device);
  noGrad(() => runStrategy(strategy, call, { tensors, numbers }, [true, true, true]));
}
