import { argumentError, noGrad, stack, Tensor, tensor } from '@voxgrad/core';

export interface ClipGradNormOptions {
  /** The order of the norm; Infinity is the largest magnitude. */
  normType?: number;
  /** Throws instead of scaling by a NaN or infinite norm; reads the norm from the device. */
  errorIfNonfinite?: boolean;
}

/**
 * Scales all gradients together so that their norm, as of one vector, is at most `maxNorm`
 * (Pascanu et al., arXiv:1211.5063).
 *
 * @returns the norm before, a 0-d tensor
 */
export function clipGradNorm(
  parameters: Tensor | Iterable<Tensor>,
  maxNorm: number,
  { normType = 2, errorIfNonfinite = false }: ClipGradNormOptions = {},
): Tensor {
  const gradients = gradientsOf(parameters);
  if (gradients.length === 0) return tensor(0);
  return noGrad(() => {
    const normOf = (x: Tensor) =>
      normType === Number.POSITIVE_INFINITY ? x.abs().amax() : x.norm(normType);
    const { device, dtype } = gradients[0];
    const total = normOf(stack(gradients.map((g) => normOf(g).to(device).to(dtype))));
    if (errorIfNonfinite && !Number.isFinite(total.item()))
      throw argumentError(
        `The total norm of order ${normType} for gradients from \`parameters\` is non-finite, so it ` +
          'cannot be clipped. To disable this error and scale the gradients by the non-finite norm ' +
          'anyway, set errorIfNonfinite: false',
      );
    const factor = total.add(1e-6).reciprocal().mul(maxNorm).clamp({ max: 1 });
    for (const g of gradients) g.mul_(factor.to(g.device));
    return total;
  });
}

/** Clamps every element of every gradient to [−clipValue, clipValue]. */
export function clipGradValue(parameters: Tensor | Iterable<Tensor>, clipValue: number): void {
  noGrad(() => {
    for (const g of gradientsOf(parameters)) g.clamp_({ min: -clipValue, max: clipValue });
  });
}

const gradientsOf = (parameters: Tensor | Iterable<Tensor>): Tensor[] =>
  (parameters instanceof Tensor ? [parameters] : [...parameters])
    .map((p) => p.grad)
    .filter((g) => g !== null);
