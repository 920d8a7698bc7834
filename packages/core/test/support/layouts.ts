// The same elements in other places of memory: operations must not care.

import { stack, type Tensor } from '../../src/index.js';

type Layout = (x: Tensor) => Tensor;

const reversedAxes = (x: Tensor) => x.shape.map((_, axis) => x.ndim - 1 - axis);

/** Each gives a tensor equal to its argument, off the tape. */
export const LAYOUTS: Readonly<Record<'contiguous' | 'permuted' | 'strided', Layout>> = {
  contiguous: (x) => x.detach(),
  /** The last axis is the slowest in memory. */
  permuted: (x) => x.detach().permute(reversedAxes(x)).clone().permute(reversedAxes(x)),
  /** Every second element of a larger storage, from an offset. */
  strided: (x) => stack([x.detach().neg(), x.detach()], -1).select(-1, 1),
};
