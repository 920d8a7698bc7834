// The geometry of a convolution, validated once and carried everywhere.
//
// Every kernel and strategy sees three spatial axes: conv1d and conv2d are conv3d with leading
// unit axes. All sizes are those of the *forward* convolution  y = conv(x, w):
//
//   x      [batch, inChannels,  ...input]
//   w      [outChannels, inChannels / groups, ...kernel]
//   y      [batch, outChannels, ...output]
//   output = floor((input + padding.lo + padding.hi - dilation·(kernel - 1) - 1) / stride) + 1
//
// A transposed convolution is the adjoint of such a forward, so it has the same geometry with the
// roles of x and y exchanged; its output padding decides which of the `stride` possible input
// sizes is meant.

import { argumentError, shapeError } from '../../errors.js';
import type { DType } from '../../tensor/dtype.js';
import { describe, formatShape, perAxis } from '../../tensor/shape.js';

/** One value for each of the axes D, H, W. */
export type Triple = readonly [number, number, number];
/** Which of the three gradients of a convolution are wanted. */
export type Needs = readonly [input: boolean, weight: boolean, bias: boolean];
/** Spatial axes of a convolution. */
export type SpatialRank = 1 | 2 | 3;
/** Padding before and behind along one axis. */
export type Pair = readonly [lo: number, hi: number];

/** The sizes of one convolution, checked; see the head of this file. */
export interface ConvGeometry {
  /** Spatial axes of the user's call; the axes before them have size 1. */
  readonly spatialRank: SpatialRank;
  readonly batch: number;
  readonly inChannels: number;
  readonly outChannels: number;
  readonly groups: number;
  readonly input: Triple;
  readonly kernel: Triple;
  readonly output: Triple;
  readonly stride: Triple;
  readonly padding: readonly [Pair, Pair, Pair];
  readonly dilation: Triple;
}

/** What a strategy is asked about: a geometry, the dtype, and which gradients are wanted. */
export interface ConvCall {
  readonly geometry: ConvGeometry;
  readonly dtype: DType;
  readonly bias: boolean;
  readonly needs: Needs;
  /** How the tensors are laid out, on devices where that decides what runs. */
  readonly formats?: ConvFormats;
}

/** Names of storage formats, such as `NCDHW`; what is left out is the usual one of its dimensions. */
export interface ConvFormats {
  readonly input?: string;
  readonly weight?: string;
  readonly gradOutput?: string;
}

/** Padding as users write it: a number, one per axis, a (low, high) pair per axis, or a word. */
export type Padding = number | readonly number[] | readonly Pair[] | 'same' | 'valid';

/** Stride, padding, dilation and groups of a convolution: one number, or one for each axis. */
export interface ConvOptions {
  stride?: number | readonly number[];
  padding?: Padding;
  dilation?: number | readonly number[];
  groups?: number;
}

/** The axes D, H and W by number. */
export const AXES = [0, 1, 2] as const;

/** One value for each axis. */
export const mapTriple = <T>(f: (axis: 0 | 1 | 2) => T): [T, T, T] => [f(0), f(1), f(2)];

/** Length of a kernel axis with its dilation: `dilation·(kernel - 1) + 1`. */
export const dilatedKernel = (kernel: number, dilation: number): number =>
  dilation * (kernel - 1) + 1;

/** Output size along one axis; see the head of this file. May be 0 or negative for bad sizes. */
export const convOutputSize = (
  input: number,
  kernel: number,
  stride: number,
  padding: Pair,
  dilation: number,
): number =>
  Math.floor((input + padding[0] + padding[1] - dilatedKernel(kernel, dilation)) / stride) + 1;

/** The smallest forward input that `output` positions can come from, before output padding. */
export const transposedOutputSize = (
  output: number,
  kernel: number,
  stride: number,
  padding: Pair,
  dilation: number,
): number => (output - 1) * stride - padding[0] - padding[1] + dilatedKernel(kernel, dilation);

/** `[N, C, D, H, W]` of the input. */
export const inputShape = (g: ConvGeometry): number[] => [g.batch, g.inChannels, ...g.input];
/** `[Co, Ci / groups, kD, kH, kW]` of the weight. */
export const weightShape = (g: ConvGeometry): number[] => [
  g.outChannels,
  g.inChannels / g.groups,
  ...g.kernel,
];
/** `[N, Co, oD, oH, oW]` of the output. */
export const outputShape = (g: ConvGeometry): number[] => [g.batch, g.outChannels, ...g.output];

/** Multiplications of one pass, for cost estimates. */
export const convWork = (g: ConvGeometry): number =>
  (g.batch * g.outChannels * g.inChannels * volume(g.kernel) * volume(g.output)) / g.groups;

/** The product of three sizes. */
export const volume = (t: Triple): number => t[0] * t[1] * t[2];

/** Padding of one axis for 'same': the right side takes the odd one (as PyTorch). */
export function samePadding(kernel: number, dilation: number): Pair {
  const total = dilation * (kernel - 1);
  const lo = Math.floor(total / 2);
  return [lo, total - lo];
}

interface Axes {
  readonly stride: number[];
  readonly dilation: number[];
  readonly padding: Pair[];
  readonly groups: number;
}

/** Checks and spreads the options that both directions share. `kernel` has one entry per axis. */
function normalizeOptions(
  operation: string,
  rank: SpatialRank,
  kernel: readonly number[],
  options: ConvOptions,
): Axes {
  const stride = perAxis(options.stride ?? 1, rank, 'stride', operation);
  const dilation = perAxis(options.dilation ?? 1, rank, 'dilation', operation);
  const groups = options.groups ?? 1;
  if (!Number.isInteger(groups))
    throw argumentError(`${operation}(): groups must be an integer, but got ${describe(groups)}`);
  if (groups <= 0) throw argumentError('non-positive groups is not supported');
  const padding = normalizePadding(operation, rank, kernel, stride, dilation, options.padding ?? 0);
  if (padding.some(([lo, hi]) => lo < 0 || hi < 0))
    throw argumentError('negative padding is not supported');
  if (stride.some((s) => s <= 0)) throw argumentError('non-positive stride is not supported');
  return { stride, dilation, padding, groups };
}

/** (low, high) padding per axis from any form that users may write. */
export function normalizePadding(
  operation: string,
  rank: number,
  kernel: readonly number[],
  stride: readonly number[],
  dilation: readonly number[],
  padding: Padding,
): Pair[] {
  if (typeof padding === 'string') {
    if (padding === 'valid') return kernel.map(() => [0, 0] as const);
    if (padding !== 'same') throw argumentError(`Invalid padding string: ${describe(padding)}`);
    if (stride.some((s) => s !== 1))
      throw argumentError("padding='same' is not supported for strided convolutions");
    return kernel.map((k, axis) => samePadding(k, dilation[axis]));
  }
  if (Array.isArray(padding) && padding.some(Array.isArray)) {
    const pairs = padding as readonly Pair[];
    const wellFormed = pairs.every(
      (pair) => Array.isArray(pair) && pair.length === 2 && pair.every(Number.isInteger),
    );
    if (!wellFormed || pairs.length !== rank)
      throw argumentError(
        `${operation}(): expected padding pairs [[low, high], …] for ${rank} axes, but got ${describe(padding)}`,
      );
    return pairs.map(([lo, hi]) => [lo, hi] as const);
  }
  return perAxis(padding as number | readonly number[], rank, 'padding', operation).map(
    (p) => [p, p] as const,
  );
}

const lead = <T>(list: readonly T[], unit: T): [T, T, T] => {
  const full = [...new Array<T>(3 - list.length).fill(unit), ...list];
  return [full[0], full[1], full[2]];
};

const AXIS_NAMES = ['depth', 'height', 'width'];

/** `stride_depth: 2`, … for the axes that there are. */
const byAxis = (name: string, values: readonly number[]) =>
  values.map((v, i) => `${name}_${AXIS_NAMES[3 - values.length + i]}: ${v}`);

const byWords = (sizes: readonly number[]) => `(${sizes.join(' x ')})`;

function checkRanks(
  operation: string,
  rank: SpatialRank,
  input: readonly number[],
  weight: readonly number[],
): void {
  if (weight.length !== rank + 2)
    throw shapeError(
      `expected ${rank + 2}-dimensional weight for ${operation}, but got weight of size ${formatShape(weight)}`,
    );
  if (input.length !== rank + 1 && input.length !== rank + 2)
    throw shapeError(
      `Expected ${rank + 1}D (unbatched) or ${rank + 2}D (batched) input to ${operation}, but got ` +
        `input of size: ${formatShape(input)}`,
    );
  if (weight.some((size) => size === 0))
    throw shapeError(
      `${operation}(): weight must not have a size of 0, but got ${formatShape(weight)}`,
    );
}

function checkDilation(dilation: readonly number[]): void {
  if (dilation.some((d) => d <= 0))
    throw argumentError(`dilation should be greater than zero, but got ${formatShape(dilation)}`);
}

const batched = (input: readonly number[], rank: SpatialRank): readonly number[] =>
  input.length === rank + 1 ? [1, ...input] : input;

/** Throws unless a bias of shape `bias` fits `outChannels`. */
export function checkBias(
  weight: readonly number[],
  bias: readonly number[] | null,
  outChannels: number,
): void {
  if (bias !== null && (bias.length !== 1 || bias[0] !== outChannels))
    throw shapeError(
      `Given weight of size ${formatShape(weight)}, expected bias to be 1-dimensional with ` +
        `${outChannels} elements, but got bias of size ${formatShape(bias)} instead`,
    );
}

/**
 * Geometry of `conv{rank}d(input, weight)`.
 * @param input `[N, Ci, ...spatial]` or unbatched `[Ci, ...spatial]`
 * @param weight `[Co, Ci / groups, ...kernel]`
 * @throws VoxgradError in PyTorch's words when sizes do not fit
 */
export function convGeometry(
  operation: string,
  rank: SpatialRank,
  input: readonly number[],
  weight: readonly number[],
  bias: readonly number[] | null,
  options: ConvOptions,
): ConvGeometry {
  checkRanks(operation, rank, input, weight);
  const [outChannels, perGroup, ...kernel] = weight;
  const { stride, dilation, padding, groups } = normalizeOptions(operation, rank, kernel, options);
  const [batch, inChannels, ...size] = batched(input, rank);
  if (outChannels < groups)
    throw shapeError(
      `Given groups=${groups}, expected weight to be at least ${groups} at dimension 0, but got ` +
        `weight of size [${formatShape(weight)}] instead`,
    );
  if (outChannels % groups !== 0)
    throw shapeError(
      `Given groups=${groups}, expected weight to be divisible by ${groups} at dimension 0, but got ` +
        `weight of size [${formatShape(weight)}] instead`,
    );
  if (inChannels !== perGroup * groups)
    throw shapeError(
      `Given groups=${groups}, weight of size ${formatShape(weight)}, expected ` +
        `input${formatShape(batched(input, rank))} to have ${perGroup * groups} channels, but got ${inChannels} channels instead`,
    );
  checkBias(weight, bias, outChannels);
  const padded = size.map((s, axis) => s + padding[axis][0] + padding[axis][1]);
  for (const p of padded)
    if (!Number.isSafeInteger(p))
      throw argumentError(`${operation}(): padding ${describe(options.padding)} is too large`);
  const dilated = kernel.map((k, axis) => dilatedKernel(k, dilation[axis]));
  if (dilated.some((k, axis) => k > padded[axis]))
    throw shapeError(
      `Calculated padded input size per channel: ${byWords(padded)}. Kernel size: ` +
        `${byWords(dilated)}. Kernel size can't be greater than actual input size`,
    );
  if (size.includes(0))
    throw shapeError(
      'Only zero batch or zero channel inputs are supported, but got input shape: ' +
        formatShape(batched(input, rank)),
    );
  checkDilation(dilation);
  const output = size.map((s, axis) =>
    convOutputSize(s, kernel[axis], stride[axis], padding[axis], dilation[axis]),
  );
  return {
    spatialRank: rank,
    batch,
    inChannels,
    outChannels,
    groups,
    input: lead(size, 1),
    kernel: lead(kernel, 1),
    output: lead(output, 1),
    stride: lead(stride, 1),
    padding: lead<Pair>(padding, [0, 0]),
    dilation: lead(dilation, 1),
  };
}

/** {@link ConvOptions}, and which of the possible output sizes is meant. */
export interface ConvTransposeOptions extends Omit<ConvOptions, 'padding'> {
  padding?: number | readonly number[];
  outputPadding?: number | readonly number[];
}

/**
 * Geometry of the forward convolution whose adjoint is `convTranspose{rank}d(input, weight)`: the
 * call's input takes the place of that convolution's output.
 * @param input `[N, Ci, ...spatial]` or unbatched
 * @param weight `[Ci, Co / groups, ...kernel]`
 */
export function convTransposeGeometry(
  operation: string,
  rank: SpatialRank,
  input: readonly number[],
  weight: readonly number[],
  bias: readonly number[] | null,
  options: ConvTransposeOptions,
): ConvGeometry {
  checkRanks(operation, rank, input, weight);
  const [fromChannels, perGroup, ...kernel] = weight;
  if (typeof options.padding === 'string')
    throw argumentError(
      `${operation}(): padding must be a number or one per axis, but got ${describe(options.padding)}`,
    );
  const { stride, dilation, padding, groups } = normalizeOptions(operation, rank, kernel, options);
  const extra = perAxis(options.outputPadding ?? 0, rank, 'output_padding', operation);
  if (extra.some((p) => p < 0)) throw argumentError('negative output_padding is not supported');
  const [batch, channels, ...size] = batched(input, rank);
  if (fromChannels < groups || fromChannels % groups !== 0)
    throw shapeError(
      `Given groups=${groups}, expected weight to be divisible by ${groups} at dimension 0, but got ` +
        `weight of size [${formatShape(weight)}] instead`,
    );
  if (channels !== fromChannels)
    throw shapeError(
      `Given transposed=1, weight of size ${formatShape(weight)}, expected input${formatShape(batched(input, rank))} ` +
        `to have ${fromChannels} channels, but got ${channels} channels instead`,
    );
  if (size.includes(0))
    throw shapeError(
      'Only zero batch or zero channel inputs are supported, but got input shape: ' +
        formatShape(batched(input, rank)),
    );
  const toChannels = perGroup * groups;
  if (bias !== null && (bias.length !== 1 || bias[0] !== toChannels))
    throw shapeError(
      `Given transposed=1, weight of size ${formatShape(weight)}, expected bias to be 1-dimensional ` +
        `with ${toChannels} elements, but got bias of size ${formatShape(bias)} instead`,
    );
  checkDilation(dilation);
  if (extra.some((p, axis) => p >= stride[axis] && p >= dilation[axis]))
    throw argumentError(
      'output padding must be smaller than either stride or dilation, but got ' +
        [
          ...byAxis('output_padding', extra),
          ...byAxis('stride', stride),
          ...byAxis('dilation', dilation),
        ].join(' '),
    );
  const output = size.map(
    (s, axis) =>
      transposedOutputSize(s, kernel[axis], stride[axis], padding[axis], dilation[axis]) +
      extra[axis],
  );
  if (output.some((s) => s <= 0))
    throw shapeError(
      `Given input size per channel: ${byWords(size)}. Calculated output size per channel: ` +
        `${byWords(output)}. Output size is too small`,
    );
  return {
    spatialRank: rank,
    batch,
    inChannels: toChannels,
    outChannels: fromChannels,
    groups,
    input: lead(output, 1),
    kernel: lead(kernel, 1),
    output: lead(size, 1),
    stride: lead(stride, 1),
    padding: lead<Pair>(padding, [0, 0]),
    dilation: lead(dilation, 1),
  };
}
