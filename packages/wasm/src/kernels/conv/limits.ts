import type { ConvGeometry, DType } from '@voxgrad/core';
import type { Precision } from '../../options.js';

/** Why no quicker algorithm than direct sums computes a convolution, whatever its kernel; null where one may. */
export function fastLimit(
  precision: Precision,
  dtype: DType,
  { stride, dilation }: ConvGeometry,
): string | null {
  if (precision === 'exact') return "precision 'exact' only sums";
  if (dtype !== 'float32') return `it computes float32, not ${dtype}`;
  if (stride.some((s) => s !== 1)) return 'it has no strides';
  return dilation.some((d) => d !== 1) ? 'it has no dilation' : null;
}
