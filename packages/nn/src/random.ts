// Random tensors that torch.nn draws, from the default generator in PyTorch's order.

import { defaultGenerator, fromHost, numelOf, type Tensor, zeros } from '@voxgrad/core';

/** Numbers of the density e⁻ᵗ, one float64 draw each, in the shape of `x`. */
export function exponentialLike(x: Tensor): Tensor {
  const generator = defaultGenerator();
  const drawn = Float64Array.from(
    { length: numelOf(x.shape) },
    () => -Math.log(1 - generator.uniform64()),
  );
  return fromHost(drawn, 'float64', x.shape, { device: x.device }).to(x.dtype);
}

/** 1 with probability `p`, else 0, of the dtype and device of `like`. */
export function bernoulliMask(shape: readonly number[], p: number, like: Tensor): Tensor {
  return zeros(shape, { dtype: like.dtype, device: like.device }).bernoulli_(p);
}
