// Sampling at positions that a grid names. Everything but the choice of the elements is written
// with differentiable operations, so that input and grid have derivatives of every order.
//
//   grid in [-1, 1] → position in elements → folded into the input (padding mode)
//     → neighbouring elements and their weights → the weighted sum
//
// Source: PyTorch aten/src/ATen/native/GridSampler.h and cpu/GridSamplerKernel.cpp. Where images
// and volumes treat NaN differently there, they do so here.

import { checkCall } from '../arguments.js';
import { argumentError, dtypeError, shapeError } from '../errors.js';
import type { OptionTable } from '../options.js';
import { isFloat, torchName } from '../tensor/dtype.js';
import { describe, formatShape, numelOf } from '../tensor/shape.js';
import { Tensor } from '../tensor/tensor.js';
import { where } from './binary.js';
import { gather } from './indexing.js';
import { logicalAnd } from './logical.js';
import { commonDevice, requireCompute } from './operands.js';
import { expand, narrow, reshape } from './views.js';

/** How {@link gridSample} interpolates. */
export type GridSampleMode = 'bilinear' | 'nearest' | 'bicubic';
/** What {@link gridSample} takes from outside. */
export type GridPaddingMode = 'zeros' | 'border' | 'reflection';

/** Options of {@link gridSample}. */
export interface GridSampleOptions {
  /** 'bilinear' by default, which is trilinear for volumes; 'bicubic' takes images only. */
  mode?: GridSampleMode;
  /** What lies outside: zeros by default. */
  paddingMode?: GridPaddingMode;
  /** Whether ±1 are the centres of the corner elements, and not the outer edges. */
  alignCorners?: boolean | null;
}

const GRID_SAMPLE_OPTIONS: OptionTable<GridSampleOptions> = {
  mode: true,
  paddingMode: true,
  alignCorners: 'nullable',
};

const MODES: readonly GridSampleMode[] = ['bilinear', 'nearest', 'bicubic'];
const PADDING_MODES: readonly GridPaddingMode[] = ['zeros', 'border', 'reflection'];

/** How one spatial axis of `size` elements is sampled. */
interface Sampled {
  readonly size: number;
  readonly volume: boolean;
  readonly paddingMode: GridPaddingMode;
  readonly alignCorners: boolean;
}

/** Elements along one axis, with their weights; null stands for 1. */
interface Tap {
  /** Whole numbers; those outside of the axis count as 0. */
  readonly at: Tensor;
  readonly weight: Tensor | null;
}

/** A grid coordinate in elements. */
const unnormalize = (x: Tensor, { size, alignCorners }: Sampled): Tensor =>
  alignCorners ? x.add(1).mul((size - 1) / 2) : x.add(1).mul(size).sub(1).div(2);

/** Into [0, size - 1]; no gradient passes at the borders and beyond. */
function clip(x: Tensor, { size, volume }: Sampled): Tensor {
  const top = size - 1;
  // The order decides what becomes of NaN: the first element of an image, the last of a volume.
  return volume
    ? where(x.lt(top), where(x.gt(0), x, 0), top)
    : where(x.gt(0), where(x.lt(top), x, top), 0);
}

/** Mirrored at the outermost centres (aligned) or edges as often as needed. */
function reflect(x: Tensor, { size, alignCorners }: Sampled): Tensor {
  const low = alignCorners ? 0 : -0.5;
  const span = alignCorners ? size - 1 : size;
  if (span === 0) return where(x.eq(x), 0, x);
  const shifted = x.sub(low);
  const away = where(shifted.lt(0), shifted.neg(), shifted);
  const flips = away.detach().div(span).floor();
  const rest = away.sub(flips.mul(span));
  const odd = flips.sub(flips.div(2).floor().mul(2)).eq(1);
  return where(odd, rest.neg().add(span), rest).add(low);
}

function insideOf(x: Tensor, axis: Sampled): Tensor {
  if (axis.paddingMode === 'zeros') return x;
  return clip(axis.paddingMode === 'border' ? x : reflect(x, axis), axis);
}

function linearTaps(position: Tensor, axis: Sampled): Tap[] {
  const x = insideOf(position, axis);
  const low = x.detach().floor();
  return [
    { at: low, weight: low.add(1).sub(x) },
    { at: low.add(1), weight: x.sub(low) },
  ];
}

const A = -0.75;
/** Keys' cubic convolution kernel within one element, and between one and two elements away. */
const near = (t: Tensor): Tensor =>
  t
    .mul(A + 2)
    .sub(A + 3)
    .mul(t)
    .mul(t)
    .add(1);
const far = (t: Tensor): Tensor =>
  t
    .mul(A)
    .sub(5 * A)
    .mul(t)
    .add(8 * A)
    .mul(t)
    .sub(4 * A);

/** Here the elements are folded into the input, one by one, and not the position. */
function cubicTaps(x: Tensor, axis: Sampled): Tap[] {
  const low = x.detach().floor();
  const t = x.sub(low);
  const back = t.neg().add(1);
  return [far(t.add(1)), near(t), near(back), far(back.add(1))].map((weight, tap) => ({
    at: insideOf(low.add(tap - 1), axis),
    weight,
  }));
}

/** Halves go to the even neighbour in images, away from zero in volumes. */
function nearestTaps(position: Tensor, axis: Sampled): Tap[] {
  const x = insideOf(position, axis).detach();
  return [{ at: axis.volume ? x.add(x.sign().mul(0.5)).trunc() : x.round(), weight: null }];
}

const TAPS = { bilinear: linearTaps, bicubic: cubicTaps, nearest: nearestTaps };

/** Every choice of one tap per axis. */
const combinations = (axes: readonly (readonly Tap[])[]): Tap[][] =>
  axes.reduce<Tap[][]>((all, taps) => all.flatMap((a) => taps.map((tap) => [...a, tap])), [[]]);

/** One corner's share: its element, 0 outside of the input, times the weights of its axes. */
function share(flat: Tensor, sizes: readonly number[], taps: readonly Tap[], volume: boolean) {
  const within = taps
    .map(({ at }, axis) => logicalAnd(at.ge(0), at.lt(sizes[axis])))
    .reduce(logicalAnd);
  const index = taps
    .map(({ at }) => where(within, at, 0).to('int64'))
    .reduce((all, at, axis) => all.mul(sizes[axis]).add(at));
  const [n, c] = flat.shape;
  const element = gather(flat, 2, expand(index, [n, c, index.shape[2]]));
  const weights = taps.flatMap(({ weight }) => (weight === null ? [] : [weight]));
  if (weights.length === 0) return where(within, element, 0);
  const weight = weights.reduce((product, w) => product.mul(w));
  // A weight of NaN outside of the input counts in images and does not in volumes.
  return volume ? where(within, element.mul(weight), 0) : where(within, element, 0).mul(weight);
}

function check(input: Tensor, grid: Tensor, mode: GridSampleMode, padding: GridPaddingMode): void {
  if (!MODES.includes(mode))
    throw argumentError(
      `nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but got: ${describe(mode)}`,
    );
  if (!PADDING_MODES.includes(padding))
    throw argumentError(
      "nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or 'reflection', but got: " +
        describe(padding),
    );
  const sizes = `input with sizes ${formatShape(input.shape)} and grid with sizes ${formatShape(grid.shape)}`;
  if (input.ndim !== grid.ndim || (input.ndim !== 4 && input.ndim !== 5))
    throw shapeError(
      `grid_sampler(): expected 4D or 5D input and grid with same number of dimensions, but got ${sizes}`,
    );
  if (input.shape[0] !== grid.shape[0])
    throw shapeError(
      `grid_sampler(): expected grid and input to have same batch size, but got ${sizes}`,
    );
  if (grid.shape[grid.ndim - 1] !== input.ndim - 2)
    throw shapeError(
      `grid_sampler(): expected grid to have size ${input.ndim - 2} in last dimension, but got grid with ` +
        `sizes ${formatShape(grid.shape)}`,
    );
  const empty = input.shape.indexOf(0, 2);
  if (empty >= 0)
    throw shapeError(
      'grid_sampler(): expected input to have non-empty spatial dimensions, but input has sizes ' +
        `${formatShape(input.shape)} with dimension ${empty} being empty`,
    );
  if (input.ndim === 5 && mode === 'bicubic')
    throw argumentError('grid_sampler(): bicubic interpolation only supports 4D input');
  if (input.dtype !== grid.dtype)
    throw dtypeError(
      `expected scalar type ${torchName(input.dtype)} but found ${torchName(grid.dtype)}`,
    );
  if (!isFloat(input.dtype))
    throw dtypeError(
      `grid_sampler_${input.ndim - 2}d_cpu not implemented for ${torchName(input.dtype)}`,
    );
}

/**
 * Samples `input` at the positions of `grid`, which run from -1 to 1 over each axis, x first.
 * @param input `[N, C, H, W]` or `[N, C, D, H, W]`
 * @param grid `[N, oH, oW, 2]` or `[N, oD, oH, oW, 3]`
 * @returns `[N, C, oH, oW]` or `[N, C, oD, oH, oW]`
 */
export function gridSample(input: Tensor, grid: Tensor, options: GridSampleOptions = {}): Tensor {
  checkCall('gridSample', { input, grid }, options, GRID_SAMPLE_OPTIONS);
  const { mode = 'bilinear', paddingMode = 'zeros' } = options;
  check(input, grid, mode, paddingMode);
  requireCompute('grid_sampler', commonDevice('grid_sampler', [input, grid]), input.dtype);
  const alignCorners = options.alignCorners ?? false;
  const [n, c, ...sizes] = input.shape;
  const rank = sizes.length;
  const volume = rank === 3;
  const outSizes = grid.shape.slice(1, -1);
  const points = reshape(grid, n, numelOf(outSizes), rank);
  const taps = sizes.map((size, axis) => {
    const sampled: Sampled = { size, volume, paddingMode, alignCorners };
    const coordinate = narrow(points, 2, rank - 1 - axis, 1).transpose(1, 2); // [n, 1, points]
    return TAPS[mode](unnormalize(coordinate, sampled), sampled);
  });
  const flat = reshape(input, n, c, numelOf(sizes));
  const sum = combinations(taps)
    .map((corner) => share(flat, sizes, corner, volume))
    .reduce((all, part) => all.add(part));
  if (mode !== 'nearest') return reshape(sum, [n, c, ...outSizes]);
  // The nearest element does not move with the grid, whose gradient is then 0 and not missing.
  const never = Tensor.filled([], 0, 'bool', input.device);
  const y = where(never, narrow(points, 2, 0, 1).transpose(1, 2), sum);
  return reshape(y, [n, c, ...outSizes]);
}
