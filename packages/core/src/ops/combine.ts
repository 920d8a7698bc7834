// Vectors combined element by element into rows.

import { checkCall, requireTensorList } from '../arguments.js';
import { argumentError, shapeError } from '../errors.js';
import { onesLike } from '../tensor/create.js';
import { formatShape } from '../tensor/shape.js';
import type { Tensor } from '../tensor/tensor.js';
import { cast } from './cast.js';
import { cumprod } from './cumulative.js';
import { indexSelect, indexTensor } from './indexing.js';
import { cat, meshgrid, stack } from './join.js';
import { expand, flip, reshape, unsqueeze } from './views.js';

/** All tuples of an element of each vector, `[n0·n1·…, k]`; a single vector itself. */
export function cartesianProd(...tensors: Tensor[] | [readonly Tensor[]]): Tensor {
  const vectors = tensors.flat();
  requireTensorList('cartesianProd', 'tensors', vectors);
  for (const x of vectors)
    if (x.ndim !== 1) throw shapeError(`Expect a 1D vector, but got shape ${formatShape(x.shape)}`);
  if (vectors.length === 0) throw argumentError('cartesianProd(): expected at least one Tensor');
  if (vectors.length === 1) return vectors[0];
  return stack(
    meshgrid(vectors).map((grid) => reshape(grid, grid.numel)),
    1,
  );
}

/** Increasing lists of `r` of the numbers below `n`; with `repeats`, ones that do not decrease. */
function choices(n: number, r: number, repeats: boolean, from = 0): number[][] {
  if (r === 0) return [[]];
  return Array.from({ length: Math.max(n - from, 0) }, (_, i) => from + i).flatMap((first) =>
    choices(n, r - 1, repeats, repeats ? first : first + 1).map((rest) => [first, ...rest]),
  );
}

/** A number that may be left out before the options. */
const countAndOptions = <O extends object>(
  first: number | O | undefined,
  options: O,
): [number | undefined, O] =>
  typeof first === 'object' && first !== null ? [undefined, first] : [first, options];

interface CombinationOptions {
  /** Whether an element may be chosen again. */
  withReplacement?: boolean;
}

/** All choices of `r` (2 by default) elements of a vector, in its order, `[count, r]`. */
export function combinations(
  x: Tensor,
  r?: number | CombinationOptions,
  more: CombinationOptions = {},
): Tensor {
  const [count = 2, options] = countAndOptions(r, more);
  checkCall('combinations', { x }, options, { withReplacement: true });
  if (x.ndim !== 1) throw shapeError(`Expect a 1D vector, but got shape ${formatShape(x.shape)}`);
  if (!(Number.isInteger(count) && count >= 0))
    throw argumentError(`Expect a non-negative number, but got ${String(count)}`);
  if (count === 0) return x.narrow(0, 0, 0);
  const chosen = choices(x.numel, count, options.withReplacement ?? false);
  return reshape(indexSelect(x, 0, indexTensor(chosen.flat(), x)), [chosen.length, count]);
}

interface VanderOptions {
  /** Whether the powers rise. */
  increasing?: boolean;
}

/**
 * The powers 0 to `n` − 1 (as many as elements by default) of a vector, `[size, n]`: from the
 * highest, or with `increasing` from the lowest.
 */
export function vander(x: Tensor, n?: number | VanderOptions, more: VanderOptions = {}): Tensor {
  const [given, options] = countAndOptions(n, more);
  checkCall('vander', { x }, options, { increasing: true });
  if (x.ndim !== 1) throw shapeError('x must be a one-dimensional tensor.');
  const count = given ?? x.numel;
  if (!(Number.isInteger(count) && count >= 0)) throw argumentError('N must be non-negative.');
  const column = unsqueeze(x.dtype === 'bool' ? cast(x, 'int64') : x, 1);
  const factors = cat([onesLike(column), expand(column, [x.numel, Math.max(count - 1, 0)])], 1);
  const powers = cumprod(factors, 1).narrow(1, 0, count);
  return options.increasing ? powers : flip(powers, 1);
}
