import { checkCall } from '../arguments.js';
import type { OptionTable } from '../options.js';
import type { Tensor } from '../tensor/tensor.js';
import { avgPool1d, avgPool2d } from './avg-pool.js';
import type { PerAxis, WindowOptions } from './pool-geometry.js';

/** Options of {@link lpPool1d} and {@link lpPool2d}. */
export type LPPoolOptions = Pick<WindowOptions, 'stride' | 'ceilMode'>;

const LPPOOL_OPTIONS: OptionTable<LPPoolOptions> = { stride: true, ceilMode: true };

/**
 * The root of sums, from the means of a window of `size` elements. A mean of 0 has no gradient to
 * pass and a negative one no root, as in PyTorch (torch/nn/functional.py, lp_pool2d).
 */
const rootOfSum = (mean: Tensor, size: number, p: number): Tensor =>
  mean
    .sign()
    .mul(mean.abs().relu())
    .mul(size)
    .pow(1 / p);

/** p-norm of each window: the p-th root of the sum of p-th powers. x `[N, C, L]` or `[C, L]`. */
export function lpPool1d(
  x: Tensor,
  normType: number,
  kernelSize: PerAxis,
  options?: LPPoolOptions,
): Tensor {
  checkCall('lpPool1d', { x }, options, LPPOOL_OPTIONS);
  const [k] = [kernelSize].flat();
  return rootOfSum(avgPool1d(x.pow(normType), kernelSize, options), k, normType);
}

/** p-norm of each window. x `[N, C, H, W]` or `[C, H, W]`. */
export function lpPool2d(
  x: Tensor,
  normType: number,
  kernelSize: PerAxis,
  options?: LPPoolOptions,
): Tensor {
  checkCall('lpPool2d', { x }, options, LPPOOL_OPTIONS);
  const [kH, kW = kH] = [kernelSize].flat();
  return rootOfSum(avgPool2d(x.pow(normType), kernelSize, options), kH * kW, normType);
}
