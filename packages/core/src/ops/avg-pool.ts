// Source: PyTorch aten/src/ATen/native/cpu/AvgPoolKernel.cpp

import { argumentError, shapeError } from '../errors.js';
import type { Tensor } from '../tensor/tensor.js';
import type { SpatialRank } from './conv/geometry.js';
import {
  axisWindows,
  checkWindows,
  type PerAxis,
  type PoolAxis,
  poolAxes,
  type WindowOptions,
  windowOptions,
  windowStarts,
} from './pool-geometry.js';
import { type AveragedAxis, meanPool } from './sum-pool.js';

/** Options of {@link avgPool1d} and {@link avgPool2d} and {@link avgPool3d}. */
export interface AvgPoolOptions extends Omit<WindowOptions, 'dilation'> {
  /** Whether padding counts as elements of a window (true by default). */
  countIncludePad?: boolean;
  /** Divides every sum in place of the number of elements. */
  divisorOverride?: number | null;
}

function averagedAxis(axis: PoolAxis, includePad: boolean): AveragedAxis {
  const { starts, ends } = axisWindows(axis);
  const limit = axis.input + axis.padding; // what leaves even the padding never counts
  const counts = includePad
    ? windowStarts(axis).map((at) => Math.min(at + axis.kernel, limit) - at)
    : starts.map((at, i) => Math.max(ends[i] - at, 1)); // an empty window gives 0, not 0 / 0
  return { starts, ends, counts };
}

function avgPoolNd(
  operation: string,
  rank: SpatialRank,
  x: Tensor,
  kernelSize: PerAxis,
  options: AvgPoolOptions | PerAxis | undefined,
): Tensor {
  const given = windowOptions<AvgPoolOptions>(operation, options);
  const { countIncludePad = true, stride, padding, ceilMode } = given;
  const divisorOverride = given.divisorOverride ?? undefined;
  if (divisorOverride === 0) throw argumentError('divisor must be not zero');
  const windows = { stride, padding, ceilMode };
  const axes = poolAxes(operation, rank, x, kernelSize, windows);
  if (rank === 3 && axes.some((axis) => axis.input < axis.kernel)) {
    const [t, h, w] = axes;
    throw shapeError(
      `input image (T: ${t.input} H: ${h.input} W: ${w.input}) smaller than kernel size ` +
        `(kT: ${t.kernel} kH: ${h.kernel} kW: ${w.kernel})`,
    );
  }
  checkWindows(x, axes);
  return meanPool(
    operation,
    rank,
    x,
    axes.map((axis) => averagedAxis(axis, countIncludePad)),
    divisorOverride,
  );
}

type AvgPool = (x: Tensor, kernelSize: PerAxis, options?: AvgPoolOptions | PerAxis) => Tensor;

/** Mean of each window. x `[N, C, L]` or `[C, L]`. */
export const avgPool1d = (
  x: Tensor,
  kernelSize: PerAxis,
  options?: Omit<AvgPoolOptions, 'divisorOverride'> | PerAxis,
): Tensor => avgPoolNd('avg_pool1d', 1, x, kernelSize, options);
/** Mean of each window. x `[N, C, H, W]` or `[C, H, W]`. */
export const avgPool2d: AvgPool = (x, kernel, options) =>
  avgPoolNd('avg_pool2d', 2, x, kernel, options);
/** Mean of each window. x `[N, C, D, H, W]` or `[C, D, H, W]`. */
export const avgPool3d: AvgPool = (x, kernel, options) =>
  avgPoolNd('avg_pool3d', 3, x, kernel, options);
