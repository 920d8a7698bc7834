// Spectral normalisation (Miyato et al. 2018, "Spectral Normalization for Generative Adversarial
// Networks", arXiv:1802.05957).

import { argumentError, checkOptions, noGrad, type Tensor, zeros } from '@voxgrad/core';
import type { Module } from '../module.js';
import { ConvTranspose1d, ConvTranspose2d, ConvTranspose3d } from '../modules/conv-transpose.js';
import { normalize } from '../similarity.js';
import { parameterOf, reparametrize, restore } from './reparametrize.js';

/** Options of {@link spectralNorm}. */
export interface SpectralNormOptions {
  /** The parameter's property; 'weight'. */
  name?: string;
  /** Steps of the power iteration per call in training. */
  nPowerIterations?: number;
  eps?: number;
  /** The dim of the outputs: 0, or 1 for transposed convolutions. */
  dim?: number;
}

const TRANSPOSED = [ConvTranspose1d, ConvTranspose2d, ConvTranspose3d];

/**
 * Divides a weight by its largest singular value, which a power iteration follows through
 * training. State dicts then hold `weight_orig`, `weight_u` and `weight_v`. Returns the module.
 */
export function spectralNorm<M extends Module>(module: M, options: SpectralNormOptions = {}): M {
  checkOptions('spectralNorm', options, ['name', 'nPowerIterations', 'eps', 'dim']);
  const { name = 'weight', nPowerIterations = 1, eps = 1e-12 } = options;
  if (nPowerIterations <= 0)
    throw argumentError(
      `Expected n_power_iterations to be positive, but got n_power_iterations=${nPowerIterations}`,
    );
  const weight = parameterOf(module, name, 'spectral_norm');
  const dim = options.dim ?? (TRANSPOSED.some((kind) => module instanceof kind) ? 1 : 0);
  const key = module.stateName(name);
  const parts = [`${key}_orig`, `${key}_u`, `${key}_v`];
  const matrix = (w: Tensor) => {
    const rest = w.shape.flatMap((_, axis) => (axis === dim ? [] : [axis]));
    return w.permute(dim, ...rest).reshape(w.shape[dim], -1);
  };
  const unit = (x: Tensor) => normalize(x, { dim: 0, eps });
  const [rows, columns] = matrix(weight).shape;
  const { dtype, device } = weight;
  const start = (size: number) => unit(zeros([size], { dtype, device }).normal_());
  const u0 = start(rows);
  const v0 = start(columns);
  Reflect.deleteProperty(module, name);
  module.registerParameter(parts[0], weight);
  Object.assign(module, { [name]: weight.detach() });
  module.registerBuffer(parts[1], u0);
  module.registerBuffer(parts[2], v0);
  const compute = (training: boolean): Tensor => {
    const original = module.getParameter(parts[0]);
    const [u, v] = [module.getBuffer(parts[1]), module.getBuffer(parts[2])];
    const w = matrix(original);
    if (training)
      noGrad(() => {
        for (let i = 0; i < nPowerIterations; i++) {
          v.copy_(unit(w.t().matmul(u)));
          u.copy_(unit(w.matmul(v)));
        }
      });
    // Copies, so that a second call before backward does not change what the first one saved.
    const sigma = u.clone().mul(w.matmul(v.clone())).sum();
    return original.div(sigma);
  };
  reparametrize(module, name, 'spectral_norm', parts, compute);
  return module;
}

/** Undoes {@link spectralNorm}; the weight keeps its normalised value. */
export function removeSpectralNorm<M extends Module>(
  module: M,
  options: Pick<SpectralNormOptions, 'name'> = {},
): M {
  checkOptions('removeSpectralNorm', options, ['name']);
  restore(module, options.name ?? 'weight', 'spectral_norm');
  return module;
}
