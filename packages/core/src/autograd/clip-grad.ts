// Limits on the gradients of parameters.

import { notTensor, requireTensorList } from '../arguments.js';
import { argumentError } from '../errors.js';
import { stack } from '../ops/join.js';
import { checkOptions, type OptionTable } from '../options.js';
import { tensor } from '../tensor/create.js';
import { Tensor } from '../tensor/tensor.js';
import { noGrad } from './mode.js';

/** Options of {@link clipGradNorm}. */
export interface ClipGradNormOptions {
  /** The order of the norm; Infinity is the largest magnitude. */
  normType?: number;
  /** Throws instead of scaling by a NaN or infinite norm; reads the norm from the device. */
  errorIfNonfinite?: boolean;
}

const OPTIONS: OptionTable<ClipGradNormOptions> = { normType: true, errorIfNonfinite: true };

/**
 * Scales all gradients together so that their norm, as of one vector, is at most `maxNorm`
 * (Pascanu et al., arXiv:1211.5063).
 *
 * @returns the norm before, a 0-d tensor
 */
export function clipGradNorm(
  parameters: Tensor | Iterable<Tensor>,
  maxNorm: number,
  options: ClipGradNormOptions = {},
): Tensor {
  checkOptions('clipGradNorm', options, OPTIONS);
  const { normType = 2, errorIfNonfinite = false } = options;
  const gradients = gradientsOf('clipGradNorm', parameters);
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
    for (const g of gradientsOf('clipGradValue', parameters))
      g.clamp_({ min: -clipValue, max: clipValue });
  });
}

function gradientsOf(operation: string, parameters: Tensor | Iterable<Tensor>): Tensor[] {
  const single = parameters instanceof Tensor;
  if (!single && !(typeof parameters === 'object' && parameters && Symbol.iterator in parameters))
    throw notTensor(operation, 'parameters', parameters);
  const list = single ? [parameters] : [...parameters];
  requireTensorList(operation, 'parameters', list);
  return list.map((p) => p.grad).filter((g) => g !== null);
}
