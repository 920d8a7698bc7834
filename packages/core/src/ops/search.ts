// Positions in sorted sequences.

import { checkCall } from '../arguments.js';
import { defineOp } from '../autograd/op.js';
import { shapeError } from '../errors.js';
import type { OptionTable } from '../options.js';
import { resultType } from '../tensor/dtype.js';
import { formatShape, numelOf, sameShape } from '../tensor/shape.js';
import { Tensor } from '../tensor/tensor.js';
import { cast } from './cast.js';
import { commonDevice, type Scalar, scalarTensor } from './operands.js';
import { reshape } from './views.js';

const searchOp = defineOp<boolean>({
  name: 'searchsorted',
  forward: ([sorted, values], right) =>
    new Tensor({
      device: values.device,
      shape: values.shape,
      storage: values.device.kernels.searchSorted(sorted, values, right),
    }),
  backward: 'none',
});

/** Options of {@link searchsorted} and {@link bucketize}. */
export interface SearchOptions {
  /** Count the elements that are equal too. */
  right?: boolean;
}

const SEARCH_OPTIONS: OptionTable<SearchOptions> = { right: true };

/**
 * Where each of `values` would be inserted into the last dim of `sorted` (int64): how many of its
 * elements are below it. Other dims must agree, unless `sorted` has only one.
 */
export function searchsorted(
  sorted: Tensor,
  values: Tensor | Scalar,
  options: SearchOptions = {},
): Tensor {
  checkCall('searchsorted', { sorted }, options, SEARCH_OPTIONS);
  const wanted =
    values instanceof Tensor ? values : scalarTensor(values, resultType(values), sorted.device);
  commonDevice('searchsorted', [sorted, wanted]);
  const lead = sorted.shape.slice(0, -1);
  if (sorted.ndim === 0 || (lead.length > 0 && !sameShape(lead, wanted.shape.slice(0, -1))))
    throw shapeError(
      'torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions of ' +
        `boundaries tensor and input value tensor must match, but we got boundaries tensor ` +
        `${formatShape(sorted.shape)} and input value tensor ${formatShape(wanted.shape)}`,
    );
  const rows = numelOf(lead);
  const dtype = resultType(sorted, wanted);
  const flat = (x: Tensor, size: number) => cast(reshape(x, rows, size), dtype);
  const perRow = lead.length > 0 ? wanted.shape[wanted.ndim - 1] : wanted.numel;
  const positions = searchOp(
    [flat(sorted, sorted.shape[sorted.ndim - 1]), flat(wanted, perRow)],
    options.right ?? false,
  );
  return reshape(positions, wanted.shape);
}

/** The bucket of each element between the sorted `boundaries`; see {@link searchsorted}. */
export const bucketize = (x: Tensor, boundaries: Tensor, options?: SearchOptions): Tensor => {
  checkCall('bucketize', { x, boundaries }, options, SEARCH_OPTIONS);
  return searchsorted(boundaries, x, options);
};
