// Random tensors that torch.nn draws, from the default generator in PyTorch's order.

import { type Tensor, zeros } from '@voxgrad/core';

/** 1 with probability `p`, else 0, of the dtype and device of `like`. */
export function bernoulliMask(shape: readonly number[], p: number, like: Tensor): Tensor {
  return zeros(shape, { dtype: like.dtype, device: like.device }).bernoulli_(p);
}
