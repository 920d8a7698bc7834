// How variables vary together: every row is a variable, every column an observation.

import { checkCall } from '../arguments.js';
import { shapeError } from '../errors.js';
import type { OptionTable } from '../options.js';
import { Tensor } from '../tensor/tensor.js';
import { clamp } from './clamp.js';
import { diagonal } from './diagonal.js';
import { matmul } from './matmul.js';
import { toFloat } from './operands.js';
import { sum } from './reduce.js';
import { reshape, squeeze, transpose, unsqueeze } from './views.js';

/** Options of {@link cov}. */
export interface CovOptions {
  /** Subtracted from the number of observations: 1 by default, 0 for the plain mean. */
  correction?: number;
  /** How often each observation counts, whole numbers `[observations]`. */
  fweights?: Tensor | null;
  /** How much each observation weighs, `[observations]`. */
  aweights?: Tensor | null;
}

const COV_OPTIONS: OptionTable<CovOptions> = {
  correction: true,
  fweights: 'nullable',
  aweights: 'nullable',
};

/** Covariances of the rows of a matrix, `[rows, rows]`; of a vector, its variance, 0-d. */
export function cov(input: Tensor, options: CovOptions = {}): Tensor {
  checkCall('cov', { input }, options, COV_OPTIONS);
  if (input.ndim > 2)
    throw shapeError(
      `cov(): expected input to have two or fewer dimensions but got an input with ${input.ndim} dimensions`,
    );
  const { correction = 1, fweights, aweights } = options;
  const real = toFloat(input);
  const x = real.ndim < 2 ? reshape(real, [1, real.numel]) : real;
  for (const [name, weights] of Object.entries({ fweights, aweights }))
    if (weights && (weights.ndim !== 1 || weights.numel !== x.shape[1]))
      throw shapeError(
        `cov(): expected ${name} to have the same numel as there are observations in the input but got ` +
          `[${weights.shape.join(', ')}] != ${x.shape[1]}`,
      );
  const w = fweights && aweights ? fweights.mul(aweights) : (fweights ?? aweights);
  const weighted = w ? x.mul(w) : x;
  const total = w ? sum(w) : x.shape[1];
  const centred = x.sub(unsqueeze(sum(weighted, 1).div(total), 1));
  // Unequal weights count as fewer observations.
  const lost =
    w && aweights && correction !== 0
      ? sum(w.mul(aweights)).div(total).mul(correction)
      : correction;
  const observations =
    total instanceof Tensor ? clamp(total.sub(lost), { min: 0 }) : Math.max(total - correction, 0);
  const other = transpose(w ? centred.mul(w) : centred, 0, 1);
  return squeeze(matmul(centred, other).div(observations));
}

/** Correlations of the rows of a matrix: {@link cov} in units of their standard deviations. */
export function corrcoef(input: Tensor): Tensor {
  const c = cov(input);
  if (c.ndim === 0) return c.div(c);
  const deviation = diagonal(c).sqrt();
  return clamp(c.div(unsqueeze(deviation, 1)).div(deviation), { min: -1, max: 1 });
}
