// Pooling to a given size: window i of `out` over `in` elements reads
// floor(i·in / out) … ceil((i + 1)·in / out) - 1, so that windows may overlap by one.
// Source: PyTorch aten/src/ATen/native/AdaptivePooling.h

import { requireTensors } from '../arguments.js';
import { argumentError, dtypeError, shapeError } from '../errors.js';
import { isFloat, torchName } from '../tensor/dtype.js';
import { describe, formatShape } from '../tensor/shape.js';
import type { Tensor } from '../tensor/tensor.js';
import type { SpatialRank } from './conv/geometry.js';
import { type Maxima, pickMaxima } from './max-pool.js';
import { poolGeometry } from './pool-geometry.js';
import { type AveragedAxis, meanPool } from './sum-pool.js';

/** A size for every axis, or one per axis; null keeps the size of the input. */
export type AdaptiveSize = number | null | readonly (number | null)[];

function windowsOf(input: number, output: number): AveragedAxis {
  const at = Array.from({ length: output }, (_, i) => i);
  const starts = at.map((i) => Math.floor((i * input) / output));
  const ends = at.map((i) => Math.ceil(((i + 1) * input) / output));
  return { starts, ends, counts: starts.map((start, i) => ends[i] - start) };
}

function adaptiveAxes(
  operation: string,
  rank: SpatialRank,
  x: Tensor,
  outputSize: AdaptiveSize,
): AveragedAxis[] {
  requireTensors(operation, { input: x });
  if (!isFloat(x.dtype))
    throw dtypeError(`"${operation}" not implemented for '${torchName(x.dtype)}'`);
  if (x.ndim !== rank + 1 && x.ndim !== rank + 2)
    throw shapeError(
      rank === 1
        ? `Expected 2 to 3 dimensions, but got ${x.ndim}-dimensional tensor for argument #1 'self' (while checking arguments for ${operation})`
        : `${operation}(): Expected ${rank + 1}D or ${rank + 2}D tensor, but got ${formatShape(x.shape)}`,
    );
  const list: readonly (number | null)[] = Array.isArray(outputSize)
    ? outputSize
    : new Array(rank).fill(outputSize);
  if (list.length !== rank)
    throw argumentError(`${operation}: output_size must be ${rank}, but got ${describe(list)}`);
  const input = x.shape.slice(-rank);
  const sizes = list.map((size, axis) => size ?? input[axis]);
  if (!sizes.every((size) => Number.isInteger(size) && size >= 0))
    throw argumentError(
      `${operation}: elements of output_size must be greater than or equal to 0 but received {${sizes.join(', ')}}`,
    );
  const empty = input.indexOf(0);
  if (empty >= 0)
    throw shapeError(
      `${operation}(): Expected input to have non-zero size for non-batch dimensions, but input has ` +
        `sizes ${formatShape(x.shape)} with dimension ${x.ndim - rank + empty} being empty`,
    );
  return input.map((size, axis) => windowsOf(size, sizes[axis]));
}

const adaptiveAvg = (operation: string, rank: SpatialRank, x: Tensor, size: AdaptiveSize): Tensor =>
  meanPool(operation, rank, x, adaptiveAxes(operation, rank, x, size));

function adaptiveMax(operation: string, rank: SpatialRank, x: Tensor, size: AdaptiveSize): Maxima {
  const windows = adaptiveAxes(operation, rank, x, size).map((axis) => ({ ...axis, step: 1 }));
  return pickMaxima(operation, rank, x, poolGeometry(x.shape.slice(-rank), windows));
}

type AdaptivePool = (x: Tensor, outputSize: AdaptiveSize) => Tensor;
type AdaptivePoolWithIndices = (x: Tensor, outputSize: AdaptiveSize) => Maxima;

/** Means of `outputSize` windows of `[N, C, L]` or `[C, L]`. */
export const adaptiveAvgPool1d: AdaptivePool = (x, size) =>
  adaptiveAvg('adaptive_avg_pool1d', 1, x, size);
/** Means of `outputSize` windows of `[N, C, H, W]` or `[C, H, W]`. */
export const adaptiveAvgPool2d: AdaptivePool = (x, size) =>
  adaptiveAvg('adaptive_avg_pool2d', 2, x, size);
/** Means of `outputSize` windows of `[N, C, D, H, W]` or `[C, D, H, W]`. */
export const adaptiveAvgPool3d: AdaptivePool = (x, size) =>
  adaptiveAvg('adaptive_avg_pool3d', 3, x, size);

/** Maxima of `outputSize` windows of `[N, C, L]` or `[C, L]`. */
export const adaptiveMaxPool1d: AdaptivePool = (x, size) =>
  adaptiveMax('adaptive_max_pool1d', 1, x, size).output;
/** Maxima of `outputSize` windows of `[N, C, H, W]` or `[C, H, W]`. */
export const adaptiveMaxPool2d: AdaptivePool = (x, size) =>
  adaptiveMax('adaptive_max_pool2d', 2, x, size).output;
/** Maxima of `outputSize` windows of `[N, C, D, H, W]` or `[C, D, H, W]`. */
export const adaptiveMaxPool3d: AdaptivePool = (x, size) =>
  adaptiveMax('adaptive_max_pool3d', 3, x, size).output;
/** {@link adaptiveMaxPool1d} with the position of each maximum (int64). */
export const adaptiveMaxPool1dWithIndices: AdaptivePoolWithIndices = (x, size) =>
  adaptiveMax('adaptive_max_pool1d', 1, x, size);
/** {@link adaptiveMaxPool2d} with the flat H·W position of each maximum (int64). */
export const adaptiveMaxPool2dWithIndices: AdaptivePoolWithIndices = (x, size) =>
  adaptiveMax('adaptive_max_pool2d', 2, x, size);
/** {@link adaptiveMaxPool3d} with the flat D·H·W position of each maximum (int64). */
export const adaptiveMaxPool3dWithIndices: AdaptivePoolWithIndices = (x, size) =>
  adaptiveMax('adaptive_max_pool3d', 3, x, size);
