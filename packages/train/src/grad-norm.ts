import { noGrad, norm, stack, type Tensor, tensor } from '@voxgrad/core';
import { clipGradNorm } from '@voxgrad/optim';

/** Norm of all gradients together, a 0-d tensor; with `maxNorm`, larger ones are scaled down to it. */
export function gradNorm(parameters: readonly Tensor[], maxNorm: number | undefined): Tensor {
  if (maxNorm !== undefined) return clipGradNorm(parameters, maxNorm);
  const gradients = parameters.map((p) => p.grad).filter((g) => g !== null);
  if (gradients.length === 0) return tensor(0);
  const { device, dtype } = gradients[0];
  return noGrad(() => norm(stack(gradients.map((g) => norm(g).to(device).to(dtype)))));
}
