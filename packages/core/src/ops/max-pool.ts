import type { PoolGeometry } from '../device/device.js';
import { argumentError, shapeError } from '../errors.js';
import { formatShape, numelOf, perAxis } from '../tensor/shape.js';
import { Tensor } from '../tensor/tensor.js';
import type { Triple } from './conv/geometry.js';
import { dilatedKernel, type SpatialRank } from './conv/geometry.js';
import { gather } from './indexing.js';
import { requireCompute } from './operands.js';
import { reshape } from './views.js';

export interface MaxPoolOptions {
  /** The kernel size when omitted. */
  stride?: number | readonly number[];
  padding?: number | readonly number[];
  dilation?: number | readonly number[];
  /** Also keep a last window that starts inside the input or its left padding but leaves it. */
  ceilMode?: boolean;
}

/** Output size along one axis, by PyTorch's rule for `ceilMode`. */
export function poolOutputSize(
  input: number,
  kernel: number,
  stride: number,
  padding: number,
  dilation: number,
  ceilMode: boolean,
): number {
  const span = input + 2 * padding - dilatedKernel(kernel, dilation);
  const size = Math.floor((span + (ceilMode ? stride - 1 : 0)) / stride) + 1;
  // A window that would start in the right padding is dropped.
  return ceilMode && (size - 1) * stride >= input + padding ? size - 1 : size;
}

/** Checked geometry of a pooling over the last `rank` axes of `x`, as three axes. */
function poolGeometry(
  operation: string,
  rank: SpatialRank,
  x: Tensor,
  kernelSize: number | readonly number[],
  options: MaxPoolOptions,
): PoolGeometry {
  if (x.ndim !== rank + 1 && x.ndim !== rank + 2)
    throw shapeError(
      `${operation}() Expected ${rank + 1}D or ${rank + 2}D input tensor, but got input of size: ${formatShape(x.shape)}`,
    );
  const kernel = perAxis(kernelSize, rank, 'kernel_size', operation);
  const stride = perAxis(options.stride ?? kernel, rank, 'stride', operation);
  const padding = perAxis(options.padding ?? 0, rank, 'padding', operation);
  const dilation = perAxis(options.dilation ?? 1, rank, 'dilation', operation);
  if (kernel.some((k) => k <= 0))
    throw argumentError(`kernel size should be greater than zero, but got ${formatShape(kernel)}`);
  if (stride.some((s) => s <= 0))
    throw argumentError(`stride should be greater than zero, but got ${formatShape(stride)}`);
  if (dilation.some((d) => d <= 0))
    throw argumentError(`dilation should be greater than zero, but got ${formatShape(dilation)}`);
  padding.forEach((p, axis) => {
    if (p < 0 || p * 2 > kernel[axis])
      throw argumentError(
        `pad should be at most half of kernel size, but got pad=${p} and kernel_size=${kernel[axis]}`,
      );
  });
  const input = x.shape.slice(-rank);
  if (x.shape.slice(-rank - 1).some((size) => size === 0))
    throw shapeError(
      `${operation}(): Expected input's non-batch dimensions to have positive length, but input has a shape of ${formatShape(x.shape)}`,
    );
  const output = input.map((size, axis) =>
    poolOutputSize(
      size,
      kernel[axis],
      stride[axis],
      padding[axis],
      dilation[axis],
      options.ceilMode ?? false,
    ),
  );
  if (output.some((size) => size < 1))
    throw shapeError(
      `Given input size: (${input.join('x')}). Calculated output size: (${output.join('x')}). Output size is too small`,
    );
  const full = (list: readonly number[], unit: number): Triple => {
    const [d, h, w] = [...new Array<number>(3 - rank).fill(unit), ...list];
    return [d, h, w];
  };
  return {
    input: full(input, 1),
    kernel: full(kernel, 1),
    stride: full(stride, 1),
    padding: full(padding, 0),
    dilation: full(dilation, 1),
    output: full(output, 1),
  };
}

function maxPoolNd(
  operation: string,
  rank: SpatialRank,
  x: Tensor,
  kernelSize: number | readonly number[],
  options: MaxPoolOptions,
): { output: Tensor; indices: Tensor } {
  const geometry = poolGeometry(operation, rank, x, kernelSize, options);
  requireCompute(operation, x.device, x.dtype);
  const outerShape = x.shape.slice(0, -rank);
  const outer = numelOf(outerShape);
  const size = numelOf(geometry.input);
  const positions = numelOf(geometry.output);
  const shape = [...outerShape, ...geometry.output.slice(3 - rank)];
  // Where the maximum stands is not differentiable; picking it up is, to every order.
  const windows = reshape(x.detach(), [outer, ...geometry.input]);
  const flatIndices = new Tensor({
    device: x.device,
    shape: [outer, positions],
    storage: x.device.kernels.maxPoolIndices(windows, geometry),
  });
  const output = gather(reshape(x, outer, size), 1, flatIndices);
  return { output: reshape(output, shape), indices: reshape(flatIndices, shape) };
}

type MaxPool = (
  x: Tensor,
  kernelSize: number | readonly number[],
  options?: MaxPoolOptions,
) => Tensor;
type MaxPoolWithIndices = (
  x: Tensor,
  kernelSize: number | readonly number[],
  options?: MaxPoolOptions,
) => { output: Tensor; indices: Tensor };

/** Largest element of each window. x `[N, C, L]` or `[C, L]`. */
export const maxPool1d: MaxPool = (x, kernel, options = {}) =>
  maxPoolNd('max_pool1d', 1, x, kernel, options).output;
/** Largest element of each window. x `[N, C, H, W]` or `[C, H, W]`. */
export const maxPool2d: MaxPool = (x, kernel, options = {}) =>
  maxPoolNd('max_pool2d', 2, x, kernel, options).output;
/** Largest element of each window. x `[N, C, D, H, W]` or `[C, D, H, W]`. */
export const maxPool3d: MaxPool = (x, kernel, options = {}) =>
  maxPoolNd('max_pool3d', 3, x, kernel, options).output;
/** {@link maxPool3d} with the flat D·H·W position of each maximum (int64). */
export const maxPool3dWithIndices: MaxPoolWithIndices = (x, kernel, options = {}) =>
  maxPoolNd('max_pool3d', 3, x, kernel, options);
