// Distinct values and their numbers.

import { checkCall } from '../arguments.js';
import { argumentError, dtypeError, shapeError, VoxgradError } from '../errors.js';
import type { OptionTable } from '../options.js';
import { arange, ones, zeros } from '../tensor/create.js';
import { isFloat, kindOf } from '../tensor/dtype.js';
import type { Tensor } from '../tensor/tensor.js';
import { cast } from './cast.js';
import { cummax, cumsum } from './cumulative.js';
import { cat } from './join.js';
import { flatNonzero } from './masked.js';
import { leading } from './operands.js';
import type { KeepDim } from './reduce.js';
import { scatter, scatterAdd } from './scatter.js';
import { sort } from './sort.js';
import { nanToNum } from './special.js';
import { narrow, reshape } from './views.js';

/** Options of {@link unique} and {@link uniqueConsecutive}. */
export interface UniqueOptions {
  /** Also the place of every element among the distinct ones. */
  returnInverse?: boolean;
  /** Also how often each distinct element occurs. */
  returnCounts?: boolean;
}

const UNIQUE_OPTIONS: OptionTable<UniqueOptions> = { returnInverse: true, returnCounts: true };

/** Runs of equal neighbours of a vector: where they start, and the run of each element. */
function runs(x: Tensor): { starts: Tensor; runOf: Tensor; counts: Tensor } {
  const n = x.numel;
  const first = ones([Math.min(n, 1)], { dtype: 'bool', device: x.device });
  const news = n < 2 ? first : cat([first, narrow(x, 0, 1, n - 1).ne(narrow(x, 0, 0, n - 1))]);
  const starts = flatNonzero(news);
  const end = arange(n, n + 1, { device: x.device });
  const bounds = cat([starts, end]);
  const counts = narrow(bounds, 0, 1, starts.numel).sub(starts);
  return { starts, runOf: cumsum(news, 0).sub(1), counts };
}

function answer(options: UniqueOptions, output: Tensor, inverse: () => Tensor, counts: Tensor) {
  if (!options.returnInverse && !options.returnCounts) return output;
  return [
    output,
    ...(options.returnInverse ? [inverse()] : []),
    ...(options.returnCounts ? [counts] : []),
  ];
}

function checkUnique(operation: string, x: Tensor, options: UniqueOptions): void {
  if (typeof options === 'object' && options !== null && 'dim' in options)
    throw new VoxgradError(
      'UNSUPPORTED',
      `${operation}(): distinct slices along a dim are not implemented, only distinct elements`,
    );
  checkCall(operation, { x }, options, UNIQUE_OPTIONS);
}

/** The distinct elements, sorted; with options, `[output, inverse?, counts?]`. NaNs are all distinct. */
export function unique(x: Tensor): Tensor;
export function unique(x: Tensor, options: UniqueOptions): Tensor[];
export function unique(x: Tensor, options: UniqueOptions = {}): Tensor | Tensor[] {
  checkUnique('unique', x, options);
  const { values, indices } = sort(reshape(x.detach(), x.numel));
  const { starts, runOf, counts } = runs(values);
  const inverse = () => reshape(scatter(runOf, 0, indices, runOf), x.shape);
  return answer(options, values.gather(0, starts), inverse, counts);
}

/** One element of each run of equal ones; with options, `[output, inverse?, counts?]`. */
export function uniqueConsecutive(x: Tensor): Tensor;
export function uniqueConsecutive(x: Tensor, options: UniqueOptions): Tensor[];
export function uniqueConsecutive(x: Tensor, options: UniqueOptions = {}): Tensor | Tensor[] {
  checkUnique('uniqueConsecutive', x, options);
  const flat = reshape(x.detach(), x.numel);
  const { starts, runOf, counts } = runs(flat);
  return answer(options, flat.gather(0, starts), () => reshape(runOf, x.shape), counts);
}

/** How often each of 0, 1, … occurs in a vector of integers; with `weights`, their sums. */
export function bincount(
  x: Tensor,
  options: { weights?: Tensor | null; minlength?: number } = {},
): Tensor {
  checkCall('bincount', { x }, options, { weights: 'nullable', minlength: true });
  const { weights, minlength = 0 } = options;
  if (x.ndim !== 1 || kindOf(x.dtype) !== 'integer' || x.lt(0).any().item())
    throw argumentError('bincount only supports 1-d non-negative integral inputs.');
  if (!(minlength >= 0)) throw argumentError('minlength should be >= 0');
  if (weights && (weights.ndim !== 1 || weights.numel !== x.numel))
    throw shapeError('weights should be 1-d and have the same length as input');
  const largest = x.numel === 0 ? -1 : Number(x.amax().item());
  const dtype = !weights ? 'int64' : weights.dtype === 'float32' ? 'float32' : 'float64';
  const bins = zeros([Math.max(largest + 1, minlength)], { dtype, device: x.device });
  return scatterAdd(bins, 0, cast(x, 'int64'), weights ? cast(weights.detach(), dtype) : 1);
}

/**
 * How many elements fall into each of `bins` equal bins from `min` to `max`, or over the range of
 * the elements where both are 0. Elements outside count nowhere.
 */
export function histc(x: Tensor, bins = 100, options: { min?: number; max?: number } = {}): Tensor {
  checkCall('histc', { x }, options, { min: true, max: true });
  if (!isFloat(x.dtype)) throw dtypeError(`"histogram_cpu" not implemented for '${x.dtype}'`);
  if (!(Number.isInteger(bins) && bins > 0)) throw argumentError('bins must be > 0');
  const flat = reshape(x.detach(), x.numel);
  let { min = 0, max = 0 } = options;
  if (min === max && flat.numel > 0)
    [min, max] = [Number(flat.amin().item()), Number(flat.amax().item())];
  if (min === max) [min, max] = [min - 1, max + 1];
  if (!(Number.isFinite(min) && Number.isFinite(max)))
    throw argumentError(`torch.histc: range of [${min}, ${max}] is not finite`);
  if (min > max) throw argumentError('torch.histc: max must be larger than min');
  // NaN is not outside: PyTorch counts it in the first bin when the range is given.
  const kept = flat.maskedSelect(flat.lt(min).add(flat.gt(max)).logicalNot());
  const inside = nanToNum(kept, { nan: min });
  const place = cast(inside.sub(min).mul(bins / (max - min)), 'int64').clamp(0, bins - 1);
  return scatterAdd(zeros([bins], { dtype: x.dtype, device: x.device }), 0, place, 1);
}

/**
 * The most frequent element along `dim`, the smallest of equally frequent ones, and the last
 * position where it stands.
 */
export function mode(
  x: Tensor,
  first?: number | KeepDim,
  more?: KeepDim,
): { values: Tensor; indices: Tensor } {
  const [dim = -1, options = {}] = leading('mode', x, { keepdim: true }, first, more);
  if (x.ndim === 0) return { values: x.clone(), indices: cast(x.mul(0), 'int64') };
  const { values, indices } = sort(x, dim);
  // Lengths of the runs of equal elements: h[t] = same·h[t − 1] + 1 is a running sum that restarts.
  const same = cat(
    [values.narrow(dim, 0, 1).ne(values.narrow(dim, 0, 1)), equalNeighbours(values, dim)],
    dim,
  );
  const position = cumsum(same.mul(0).add(1), dim);
  const start = cummax(position.where(same.logicalNot(), 0), dim).values;
  const longest = position.sub(start).argmax(dim, { keepdim: true });
  const at = indices.gather(dim, longest);
  const y = x.gather(dim, at);
  return options.keepdim
    ? { values: y, indices: at }
    : { values: y.squeeze(dim), indices: at.squeeze(dim) };
}

function equalNeighbours(x: Tensor, dim: number): Tensor {
  const rest = x.shape.at(dim) ?? 1;
  return x.narrow(dim, 1, rest - 1).eq(x.narrow(dim, 0, rest - 1));
}
