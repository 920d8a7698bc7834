import { noGrad } from '../autograd/mode.js';
import type { PoolGeometry } from '../device/device.js';
import { defineBuiltin, registerBuiltin } from '../strategies/catalogue.js';
import { checkedResult } from '../strategies/checked-result.js';
import {
  type MaxPoolStrategy,
  maxPoolOperation,
  maxPoolStrategies,
} from '../strategies/max-pool.js';
import { windowSizes } from '../strategies/pool-taps.js';
import { select } from '../strategies/registry.js';
import { runStrategy } from '../strategies/run.js';
import { numelOf } from '../tensor/shape.js';
import type { Tensor } from '../tensor/tensor.js';
import type { SpatialRank } from './conv/geometry.js';
import { gather } from './indexing.js';
import { requireCompute } from './operands.js';
import {
  axisWindows,
  checkWindows,
  type PerAxis,
  poolAxes,
  poolGeometry,
  type WindowOptions,
  windowOptions,
} from './pool-geometry.js';
import { reshape } from './views.js';

// Here and not with the other strategies, so that a page that does not pool does not hold them.
defineBuiltin(maxPoolOperation);
for (const strategy of maxPoolStrategies) registerBuiltin(strategy);

/** Options of {@link maxPool1d} and {@link maxPool2d} and {@link maxPool3d}. */
export interface MaxPoolOptions extends WindowOptions {}

/** Largest elements, and where each stands in its flat D·H·W (int64). */
export interface Maxima {
  output: Tensor;
  indices: Tensor;
}

/** The maximum of each window over the last `rank` axes. */
export function pickMaxima(
  operation: string,
  rank: SpatialRank,
  x: Tensor,
  geometry: PoolGeometry,
): Maxima {
  requireCompute(operation, x.device, x.dtype);
  const outerShape = x.shape.slice(0, -rank);
  const outer = numelOf(outerShape);
  const shape = [...outerShape, ...geometry.output.slice(3 - rank)];
  // Where the maximum stands is not differentiable; picking it up is, to every order.
  const planes = reshape(x.detach(), [outer, ...geometry.input]);
  const call = {
    input: planes.shape,
    output: geometry.output,
    window: windowSizes(geometry),
    dtype: x.dtype,
  };
  const strategy = select<MaxPoolStrategy>('maxPool.forward', call, x.device);
  const found = noGrad(() => runStrategy(strategy, call, { planes, geometry }, [true, true, true]));
  const flatIndices = checkedResult(strategy, 'indices', found, {
    shape: [outer, numelOf(geometry.output)],
    dtype: 'int64',
    device: x.device,
  });
  const output = gather(reshape(x, outer, numelOf(geometry.input)), 1, flatIndices);
  return { output: reshape(output, shape), indices: reshape(flatIndices, shape) };
}

function maxPoolNd(
  operation: string,
  rank: SpatialRank,
  x: Tensor,
  kernelSize: PerAxis,
  options: MaxPoolOptions | PerAxis | undefined,
): Maxima {
  const windows = windowOptions<MaxPoolOptions>(operation, options);
  const axes = poolAxes(operation, rank, x, kernelSize, windows);
  checkWindows(x, axes);
  const geometry = poolGeometry(x.shape.slice(-rank), axes.map(axisWindows));
  return pickMaxima(operation, rank, x, geometry);
}

type MaxPool = (x: Tensor, kernelSize: PerAxis, options?: MaxPoolOptions | PerAxis) => Tensor;
type MaxPoolWithIndices = (
  x: Tensor,
  kernelSize: PerAxis,
  options?: MaxPoolOptions | PerAxis,
) => Maxima;

/** Largest element of each window. x `[N, C, L]` or `[C, L]`. */
export const maxPool1d: MaxPool = (x, kernel, options) =>
  maxPoolNd('max_pool1d', 1, x, kernel, options).output;
/** Largest element of each window. x `[N, C, H, W]` or `[C, H, W]`. */
export const maxPool2d: MaxPool = (x, kernel, options) =>
  maxPoolNd('max_pool2d', 2, x, kernel, options).output;
/** Largest element of each window. x `[N, C, D, H, W]` or `[C, D, H, W]`. */
export const maxPool3d: MaxPool = (x, kernel, options) =>
  maxPoolNd('max_pool3d', 3, x, kernel, options).output;
/** {@link maxPool1d} with the position of each maximum (int64). */
export const maxPool1dWithIndices: MaxPoolWithIndices = (x, kernel, options) =>
  maxPoolNd('max_pool1d', 1, x, kernel, options);
/** {@link maxPool2d} with the flat H·W position of each maximum (int64). */
export const maxPool2dWithIndices: MaxPoolWithIndices = (x, kernel, options) =>
  maxPoolNd('max_pool2d', 2, x, kernel, options);
/** {@link maxPool3d} with the flat D·H·W position of each maximum (int64). */
export const maxPool3dWithIndices: MaxPoolWithIndices = (x, kernel, options) =>
  maxPoolNd('max_pool3d', 3, x, kernel, options);
