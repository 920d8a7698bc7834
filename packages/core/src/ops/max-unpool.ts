// The partial inverse of max pooling: every value at its index, zeros elsewhere. Of values with one
// index the last stays, and each of them gets the gradient of that place.
// Source: PyTorch torch/nn/functional.py and aten/src/ATen/native/MaxUnpooling.cpp

import { checkCall } from '../arguments.js';
import { argumentError, dtypeError, shapeError } from '../errors.js';
import type { OptionTable } from '../options.js';
import { torchName } from '../tensor/dtype.js';
import { formatShape, numelOf, perAxis, sameShape } from '../tensor/shape.js';
import { Tensor } from '../tensor/tensor.js';
import type { SpatialRank } from './conv/geometry.js';
import { requireCompute } from './operands.js';
import type { PerAxis } from './pool-geometry.js';
import { scatter } from './scatter.js';
import { reshape } from './views.js';

/** Options of {@link maxUnpool1d} and {@link maxUnpool2d} and {@link maxUnpool3d}. */
export interface MaxUnpoolOptions {
  /** The kernel size when omitted. */
  stride?: PerAxis | null;
  padding?: PerAxis;
  /** The size to restore, with or without batch and channels; several sizes pool to the same. */
  outputSize?: readonly number[] | null;
}

const MAX_UNPOOL_OPTIONS: OptionTable<MaxUnpoolOptions> = {
  stride: 'nullable',
  padding: true,
  outputSize: 'nullable',
};

function unpooledSize(
  operation: string,
  rank: SpatialRank,
  x: Tensor,
  kernelSize: PerAxis,
  { stride, padding, outputSize }: MaxUnpoolOptions,
): readonly number[] {
  const kernel = perAxis(kernelSize, rank, 'kernel_size', operation);
  const step = perAxis(stride ?? kernel, rank, 'stride', operation);
  const cut = perAxis(padding ?? 0, rank, 'padding', operation);
  if (step.some((s) => s <= 0))
    throw argumentError(
      `strides should be greater than zero, but got stride: ${formatShape(step)}`,
    );
  const usual = x.shape
    .slice(-rank)
    .map((size, axis) => (size - 1) * step[axis] + kernel[axis] - 2 * cut[axis]);
  if (outputSize === undefined || outputSize === null) return usual;
  if (outputSize.length !== rank && outputSize.length !== rank + 2)
    throw argumentError(
      `output_size should be a sequence containing ${rank} or ${rank + 2} elements, but it has a length ` +
        `of '${outputSize.length}'`,
    );
  const wanted = outputSize.slice(-rank);
  wanted.forEach((size, axis) => {
    const [least, most] = [usual[axis] - step[axis], usual[axis] + step[axis]];
    if (!(least < size && size < most))
      throw shapeError(
        `invalid output_size "(${wanted.join(', ')})" (dim ${axis} must be between ${least} and ${most})`,
      );
  });
  return wanted;
}

/** Where a device can only be read later, its kernel checks in its own words. */
function checkIndices(indices: Tensor, size: readonly number[]): void {
  if (indices.numel === 0 || !indices.device.capabilities.synchronous) return;
  for (const extreme of [indices.amin().item<bigint>(), indices.amax().item<bigint>()])
    if (extreme < 0n || extreme >= BigInt(numelOf(size)))
      throw argumentError(
        `Found an invalid max index: ${extreme} (output volumes are of size ${(size.length === 1 ? [...size, 1] : size).join('x')}`,
      );
}

function maxUnpoolNd(
  operation: string,
  rank: SpatialRank,
  x: Tensor,
  indices: Tensor,
  kernelSize: PerAxis,
  options: MaxUnpoolOptions = {},
): Tensor {
  checkCall(operation, { input: x, indices }, options, MAX_UNPOOL_OPTIONS);
  if (indices.dtype !== 'int64')
    throw dtypeError(
      `elements in indices should be type int64 but got: ${torchName(indices.dtype)}`,
    );
  if (x.ndim !== rank + 1 && x.ndim !== rank + 2)
    throw shapeError(
      `Input to ${operation} should be a ${rank + 1}d or ${rank + 2}d Tensor, but got a tensor with ` +
        `${x.ndim} dimensions.`,
    );
  if (!sameShape(x.shape, indices.shape))
    throw shapeError(
      `Expected shape of indices to be same as that of the input tensor (${formatShape(x.shape)}) but got ` +
        `indices tensor with shape: ${formatShape(indices.shape)}`,
    );
  const empty = x.shape.indexOf(0, x.ndim - rank - 1);
  if (empty >= 0)
    throw shapeError(
      `${operation}(): Expected input to have non-zero size for non-batch dimensions, but got ` +
        `${formatShape(x.shape)} with dimension ${empty} being empty.`,
    );
  requireCompute(operation, x.device, x.dtype);
  const size = unpooledSize(operation, rank, x, kernelSize, options);
  checkIndices(indices, size);
  const outerShape = x.shape.slice(0, -rank);
  const planes = [numelOf(outerShape), numelOf(x.shape.slice(-rank))];
  const zeros = Tensor.filled([planes[0], numelOf(size)], 0, x.dtype, x.device);
  const y = scatter(zeros, 1, reshape(indices, planes), reshape(x, planes));
  return reshape(y, [...outerShape, ...size]);
}

type MaxUnpool = (
  x: Tensor,
  indices: Tensor,
  kernelSize: PerAxis,
  options?: MaxUnpoolOptions,
) => Tensor;

/** Undoes `maxPool1dWithIndices` but for what it dropped. x and indices `[N, C, L]` or `[C, L]`. */
export const maxUnpool1d: MaxUnpool = (x, indices, kernel, options) =>
  maxUnpoolNd('max_unpool1d', 1, x, indices, kernel, options);
/** Undoes `maxPool2dWithIndices` but for what it dropped; the indices count within H·W. */
export const maxUnpool2d: MaxUnpool = (x, indices, kernel, options) =>
  maxUnpoolNd('max_unpool2d', 2, x, indices, kernel, options);
/** Undoes `maxPool3dWithIndices` but for what it dropped; the indices count within D·H·W. */
export const maxUnpool3d: MaxUnpool = (x, indices, kernel, options) =>
  maxUnpoolNd('max_unpool3d', 3, x, indices, kernel, options);
