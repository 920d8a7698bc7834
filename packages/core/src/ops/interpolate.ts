// Resampling to another size, one axis after the other: an output element is a weighted sum of one
// (nearest), two (linear) or four (cubic) elements of the axis, picked up by index.
// Source: PyTorch aten/src/ATen/native/UpSample.h and cpu/UpSampleKernel.cpp

import { checkCall } from '../arguments.js';
import { argumentError, dtypeError, shapeError } from '../errors.js';
import type { OptionTable } from '../options.js';
import { type DType, isFloat, torchName } from '../tensor/dtype.js';
import { describe, formatShape } from '../tensor/shape.js';
import { Storage } from '../tensor/storage.js';
import { Tensor } from '../tensor/tensor.js';
import { adaptiveAvgPool1d, adaptiveAvgPool2d, adaptiveAvgPool3d } from './adaptive-pool.js';
import { cast } from './cast.js';
import { indexSelect, indexTensor } from './indexing.js';
import { requireCompute } from './operands.js';

/** How {@link interpolate} interpolates. */
export type InterpolateMode =
  | 'nearest'
  | 'nearest-exact'
  | 'linear'
  | 'bilinear'
  | 'trilinear'
  | 'bicubic'
  | 'area';

/** Options of {@link interpolate}. */
export interface InterpolateOptions {
  /** Output size of each spatial axis; exactly one of `size` and `scaleFactor` is given. */
  size?: number | readonly number[] | null;
  scaleFactor?: number | readonly number[] | null;
  /** 'nearest' by default. */
  mode?: InterpolateMode;
  /** Map the centres of the corner elements onto each other (linear and cubic modes). */
  alignCorners?: boolean | null;
  /** Compute positions from the sizes that `scaleFactor` gives, and not from itself. */
  recomputeScaleFactor?: boolean | null;
  /** Average over what a shrunk element covers ('bilinear' and 'bicubic'). */
  antialias?: boolean;
}

const INTERPOLATE_OPTIONS: OptionTable<InterpolateOptions> = {
  size: 'nullable',
  scaleFactor: 'nullable',
  mode: true,
  alignCorners: 'nullable',
  recomputeScaleFactor: 'nullable',
  antialias: true,
};

/** What one axis is resampled to; `factor` is the user's, when positions follow it. */
interface Axis {
  readonly input: number;
  readonly output: number;
  readonly factor: number | null;
}

/** For each output position, one index and one weight from each of these pairs. */
interface Tap {
  readonly indices: readonly number[];
  readonly weights: readonly number[] | null;
}

/** Positions are computed in the tensor's own precision. */
type Round = (x: number) => number;
const exact: Round = (x) => x;

const clip = (at: number, size: number) => Math.min(Math.max(at, 0), size - 1);

/** Input elements per output element; see `area_pixel_compute_scale`. */
function inputPerOutput(axis: Axis, alignCorners: boolean, round: Round): number {
  const { input, output, factor } = axis;
  if (alignCorners) return output > 1 ? round((input - 1) / (output - 1)) : 0;
  return round(factor === null ? input / output : 1 / factor);
}

/** Where each output element lies, in input elements; see `area_pixel_compute_source_index`. */
function sources(axis: Axis, alignCorners: boolean, round: Round): number[] {
  const scale = inputPerOutput(axis, alignCorners, round);
  return Array.from({ length: axis.output }, (_, i) =>
    alignCorners ? round(scale * i) : round(round(scale * (i + 0.5)) - 0.5),
  );
}

/**
 * The nearest element of each position. One channel counts as channels-last in PyTorch, whose
 * kernel keeps the scale in float32 and leaves equal and doubled sizes alone. (Its backward does so
 * always, and disagrees with its forward for some factors; here the gradient is the forward's.)
 */
function nearest(axis: Axis, half: number, channelsLast: boolean, round: Round): Tap[] {
  const { input, output } = axis;
  const scale = inputPerOutput(axis, false, channelsLast ? Math.fround : round);
  const plain = channelsLast && half === 0 && (output === input || output === 2 * input);
  const step = plain ? input / output : scale;
  const indices = Array.from({ length: output }, (_, i) =>
    Math.min(Math.floor(Math.fround((i + half) * step)), input - 1),
  );
  return [{ indices, weights: null }];
}

function linear(axis: Axis, alignCorners: boolean, round: Round): Tap[] {
  const { input, output } = axis;
  // Equal sizes are a copy, whatever the factor: the other element is the same one.
  const same = output === input;
  const positions = same
    ? Array.from({ length: output }, (_, i) => i)
    : sources(axis, alignCorners, round).map((at) => Math.max(at, 0));
  const low = positions.map((at) => Math.floor(at));
  const high = positions.map((at, i) => round(at - low[i]));
  return [
    { indices: low, weights: high.map((w) => round(1 - w)) },
    { indices: same ? low : low.map((at) => Math.min(at + 1, input - 1)), weights: high },
  ];
}

// Keys' cubic convolution kernel within one element, and between one and two elements away.
const near = (t: number, a: number) => ((a + 2) * t - (a + 3)) * t * t + 1;
const far = (t: number, a: number) => ((a * t - 5 * a) * t + 8 * a) * t - 4 * a;
const A = -0.75;

function cubic(axis: Axis, alignCorners: boolean, round: Round): Tap[] {
  const positions = sources(axis, alignCorners, round);
  const low = positions.map((at) => Math.floor(at));
  const t = positions.map((at, i) => round(at - low[i]));
  const weights = [
    (s: number) => far(s + 1, A),
    (s: number) => near(s, A),
    (s: number) => near(1 - s, A),
    (s: number) => far(2 - s, A),
  ];
  return weights.map((weight, tap) => ({
    indices: low.map((at) => clip(at + tap - 1, axis.input)),
    weights: t.map(weight),
  }));
}

/** Weight at a distance in elements, and the distance where it ends. */
interface Filter {
  readonly reach: number;
  readonly weight: (distance: number) => number;
}

const TRIANGLE: Filter = { reach: 1, weight: (t) => Math.max(1 - t, 0) };
/** Pillow's cubic, which PyTorch takes here in place of its own. */
const CUBIC: Filter = {
  reach: 2,
  weight: (t) => (t < 1 ? near(t, -0.5) : t < 2 ? far(t, -0.5) : 0),
};

/** All elements under a filter that is widened where the axis shrinks, weights summing up to 1. */
function antialiased(axis: Axis, filter: Filter, alignCorners: boolean, round: Round): Tap[] {
  const { input, output } = axis;
  const scale = inputPerOutput(axis, alignCorners, round);
  const widening = Math.max(scale, 1);
  const reach = filter.reach * widening;
  const windows = Array.from({ length: output }, (_, i) => {
    const centre = scale * (i + 0.5);
    const first = Math.max(Math.trunc(centre - reach + 0.5), 0);
    const count = Math.min(Math.trunc(centre + reach + 0.5), input) - first;
    const weights = Array.from({ length: count }, (_, j) =>
      filter.weight(Math.abs(j + first - centre + 0.5) / widening),
    );
    const total = weights.reduce((sum, w) => sum + w, 0);
    return { first, weights: weights.map((w) => w / total) };
  });
  // Shorter windows repeat their last element with a weight of 0.
  const most = Math.max(...windows.map(({ weights }) => weights.length));
  return Array.from({ length: most }, (_, tap) => ({
    indices: windows.map(({ first, weights }) => first + Math.min(tap, weights.length - 1)),
    weights: windows.map(({ weights }) => weights[tap] ?? 0),
  }));
}

function resample(x: Tensor, dim: number, taps: readonly Tap[]): Tensor {
  const column = x.shape.map((_, d) => (d === dim ? taps[0].indices.length : 1));
  const terms = taps.map(({ indices, weights }) => {
    const picked = indexSelect(x, dim, indexTensor(indices, x));
    if (weights === null) return picked;
    const storage = new Storage('float64', Float64Array.from(weights));
    const factors = new Tensor({ device: x.device, shape: column, storage });
    return picked.mul(cast(factors, x.dtype));
  });
  return terms.reduce((sum, term) => sum.add(term));
}

// ---- what users pass ----

const MODE_RANK: Partial<Record<InterpolateMode, number>> = {
  linear: 1,
  bilinear: 2,
  trilinear: 3,
};
const MODES: readonly InterpolateMode[] = [
  'nearest',
  'linear',
  'bilinear',
  'bicubic',
  'trilinear',
  'area',
  'nearest-exact',
];
const SMOOTH: readonly InterpolateMode[] = ['linear', 'bilinear', 'bicubic', 'trilinear'];

function checkMode(x: Tensor, mode: InterpolateMode, options: InterpolateOptions): void {
  const smooth = SMOOTH.includes(mode);
  if (typeof options.alignCorners === 'boolean' && !smooth)
    throw argumentError(
      'align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | trilinear',
    );
  const needs = MODE_RANK[mode];
  if (x.ndim >= 3 && x.ndim <= 5 && needs !== undefined && needs !== x.ndim - 2)
    throw shapeError(`Got ${x.ndim}D input, but ${mode} mode needs ${needs + 2}D input`);
  if (!MODES.includes(mode) || x.ndim < 3 || x.ndim > 5 || (mode === 'bicubic' && x.ndim !== 4))
    throw shapeError(
      `Input Error: Only 3D, 4D and 5D input Tensors supported (got ${x.ndim}D) for the modes: ` +
        `nearest | linear | bilinear | bicubic | trilinear | area | nearest-exact (got ${mode})`,
    );
  if (options.antialias && mode !== 'bicubic' && (mode !== 'bilinear' || x.ndim !== 4))
    throw argumentError('Anti-alias option is only supported for bilinear and bicubic modes');
}

/** One number per spatial axis. */
function spread(x: Tensor, given: number | readonly number[], isSize: boolean): readonly number[] {
  const spatial = x.shape.slice(2);
  if (typeof given === 'number') return spatial.map(() => given);
  if (given.length === spatial.length) return given;
  const text = `(${given.join(', ')})`;
  const [name, value, letter] = isSize
    ? ['output size', `output size of ${text}`, 'o']
    : ['scale_factor', `scale_factor of shape ${text}`, 's'];
  throw shapeError(
    `Input and ${isSize ? 'output' : name} must have the same number of spatial dimensions, but got input with ` +
      `spatial dimensions of ${formatShape(spatial)} and ${value}. Please provide input tensor in ` +
      `(N, C, d1, d2, ...,dK) format and ${name} in (${letter}1, ${letter}2, ...,${letter}K) format.`,
  );
}

function axesOf(x: Tensor, options: InterpolateOptions): Axis[] {
  const { size, scaleFactor, recomputeScaleFactor } = options;
  const spatial = x.shape.slice(2);
  const hasSize = size !== undefined && size !== null;
  const hasFactor = scaleFactor !== undefined && scaleFactor !== null;
  if (hasSize && hasFactor)
    throw argumentError('only one of size or scale_factor should be defined');
  if (hasSize) {
    if (recomputeScaleFactor)
      throw argumentError('recompute_scale_factor is not meaningful with an explicit size.');
    const sizes = spread(x, size, true);
    if (!sizes.every(Number.isInteger))
      throw argumentError(`interpolate(): size must be integers, but got ${describe(sizes)}`);
    return spatial.map((input, i) => ({ input, output: sizes[i], factor: null }));
  }
  if (!hasFactor) throw argumentError('either size or scale_factor should be defined');
  const factors = spread(x, scaleFactor, false);
  if (!factors.every(Number.isFinite))
    throw argumentError(
      `interpolate(): scale_factor must be finite numbers, but got ${describe(factors)}`,
    );
  return spatial.map((input, i) => ({
    input,
    output: Math.floor(input * factors[i]),
    factor: recomputeScaleFactor ? null : factors[i],
  }));
}

function checkSizes(x: Tensor, axes: readonly Axis[]): void {
  if (axes.some(({ input, output }) => input <= 0 || output <= 0)) {
    const sizes = (of: 'input' | 'output') =>
      `(${axes.map((axis, i) => `${'DHW'[3 - axes.length + i]}: ${axis[of]}`).join(', ')})`;
    throw shapeError(
      'Input and output sizes should be greater than 0, but got input ' +
        `${sizes('input')} ${axes.length === 1 ? 'and ' : ''}output ${sizes('output')}`,
    );
  }
  if (x.shape[1] === 0)
    throw shapeError(
      `Non-empty ${x.ndim}D data tensor expected but got a tensor with sizes ${formatShape(x.shape)}`,
    );
}

const roundTo = (dtype: DType): Round => (dtype === 'float64' ? exact : Math.fround);

/**
 * Resamples the spatial axes of `[N, C, …]` (one to three of them) to `size`, or by `scaleFactor`.
 * 'bicubic' takes two axes; 'linear', 'bilinear' and 'trilinear' one, two and three.
 */
export function interpolate(x: Tensor, options: InterpolateOptions = {}): Tensor {
  checkCall('interpolate', { x }, options, INTERPOLATE_OPTIONS);
  const { mode = 'nearest' } = options;
  const alignCorners = options.alignCorners ?? false;
  checkMode(x, mode, options);
  const axes = axesOf(x, options);
  if (mode === 'area') {
    const pool = [adaptiveAvgPool1d, adaptiveAvgPool2d, adaptiveAvgPool3d][axes.length - 1];
    return pool(
      x,
      axes.map(({ output }) => output),
    );
  }
  checkSizes(x, axes);
  const isNearest = mode === 'nearest' || mode === 'nearest-exact';
  if (!isFloat(x.dtype) && !(isNearest && x.dtype === 'uint8'))
    throw dtypeError(`"upsample_${mode}" not implemented for '${torchName(x.dtype)}'`);
  requireCompute('interpolate', x.device, x.dtype);
  const round = roundTo(x.dtype);
  const taps = (axis: Axis): Tap[] => {
    if (isNearest) {
      const channelsLast = axes.length > 1 && x.shape[1] === 1;
      return nearest(axis, mode === 'nearest' ? 0 : 0.5, channelsLast, round);
    }
    if (options.antialias)
      return antialiased(axis, mode === 'bicubic' ? CUBIC : TRIANGLE, alignCorners, round);
    return (mode === 'bicubic' ? cubic : linear)(axis, alignCorners, round);
  };
  return axes.reduce((y, axis, i) => resample(y, i + 2, taps(axis)), x);
}

type UpsampleOptions = Pick<InterpolateOptions, 'size' | 'scaleFactor'>;

/** {@link interpolate} under its old name. */
export const upsample: typeof interpolate = (x, options) => interpolate(x, options);

/** {@link interpolate} with mode 'nearest'. */
export const upsampleNearest = (x: Tensor, options: UpsampleOptions): Tensor =>
  interpolate(x, { ...options, mode: 'nearest' });

/** {@link interpolate} with mode 'bilinear' and aligned corners. */
export const upsampleBilinear = (x: Tensor, options: UpsampleOptions): Tensor =>
  interpolate(x, { ...options, mode: 'bilinear', alignCorners: true });
