// Order along a dim. Positions come from a kernel; picking up the values there is differentiable.

import { defineOp } from '../autograd/op.js';
import { argumentError } from '../errors.js';
import type { OptionTable } from '../options.js';
import { normalizeDim } from '../tensor/shape.js';
import { Tensor } from '../tensor/tensor.js';
import { gather } from './indexing.js';
import { leading } from './operands.js';
import { narrow, reshape, transpose } from './views.js';

/** What {@link sort} gives: values, and where each came from (int64). */
export interface Sorted {
  readonly values: Tensor;
  readonly indices: Tensor;
}

const argSortOp = defineOp<boolean>({
  name: 'sort',
  forward: ([x], descending) =>
    new Tensor({
      device: x.device,
      shape: x.shape,
      storage: x.device.kernels.argSort(x, descending),
    }),
  backward: 'none',
});

/** Options of {@link sort}. */
export interface SortOptions {
  descending?: boolean;
  /** Sorting is always stable here; the option is taken for the sake of PyTorch's signature. */
  stable?: boolean;
}

const SORT_OPTIONS: OptionTable<SortOptions> = { descending: true, stable: true };

/** The positions that sort `dim`; NaN counts as the largest, equal values keep their order. */
export function argsort(x: Tensor, first?: number | SortOptions, more?: SortOptions): Tensor {
  const [dim = -1, options = {}] = leading('argsort', x, SORT_OPTIONS, first, more);
  const axis = normalizeDim(dim, x.ndim);
  const descending = options.descending ?? false;
  if (x.ndim === 0) return reshape(argSortOp([reshape(x, 1)], descending), []);
  return transpose(argSortOp([transpose(x, axis, -1)], descending), axis, -1);
}

/** The elements in order along `dim`, and their positions; see {@link argsort}. */
export function sort(x: Tensor, first?: number | SortOptions, more?: SortOptions): Sorted {
  const [dim = -1, options = {}] = leading('sort', x, SORT_OPTIONS, first, more);
  const indices = argsort(x, dim, options);
  return { values: x.ndim === 0 ? x.clone() : gather(x, dim, indices), indices };
}

/** The slices in order along the first dim. */
export const msort = (x: Tensor): Tensor => sort(x, 0).values;

/** Options of {@link topk}. */
export interface TopkOptions {
  /** The smallest ones when false. */
  largest?: boolean;
  /** The result is always sorted here; the option is taken for the sake of PyTorch's signature. */
  sorted?: boolean;
}

const TOPK_OPTIONS: OptionTable<TopkOptions> = { largest: true, sorted: true };

/** The `k` largest elements along `dim` in order, and their positions; NaN counts as the largest. */
export function topk(
  x: Tensor,
  k: number,
  first?: number | TopkOptions,
  more?: TopkOptions,
): Sorted {
  const [dim = -1, options = {}] = leading('topk', x, TOPK_OPTIONS, first, more);
  const axis = normalizeDim(dim, x.ndim);
  if (!(Number.isInteger(k) && k >= 0 && k <= (x.ndim === 0 ? 1 : x.shape[axis])))
    throw argumentError(`selected index k out of range: ${k}`);
  const order = argsort(x, axis, { descending: options.largest ?? true });
  if (x.ndim === 0) return { values: x.clone(), indices: order };
  const indices = narrow(order, axis, 0, k);
  return { values: gather(x, axis, indices), indices };
}
