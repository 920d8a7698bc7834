// The one home of window arithmetic for pooling: checks in PyTorch's words, output sizes, and the
// windows that kernels walk. Like a convolution, every pooling has three axes for its kernel.
// Source: PyTorch aten/src/ATen/native/Pool.h

import { requireTensors } from '../arguments.js';
import type { AxisWindows, PoolGeometry } from '../device/device.js';
import { argumentError, shapeError } from '../errors.js';
import { checkOptions } from '../options.js';
import { formatShape, perAxis } from '../tensor/shape.js';
import type { Tensor } from '../tensor/tensor.js';
import { dilatedKernel, type SpatialRank, type Triple } from './conv/geometry.js';

/** A number, or one per axis. */
export type PerAxis = number | readonly number[];

/** How the windows of a pooling lie: one number, or one for each axis. */
export interface WindowOptions {
  /** The kernel size when omitted. */
  stride?: PerAxis;
  padding?: PerAxis;
  dilation?: PerAxis;
  /** Also keep a last window that starts inside the input or its left padding but leaves it. */
  ceilMode?: boolean;
}

const WINDOW_OPTIONS = ['stride', 'padding', 'dilation', 'ceilMode'];
const MORE_OPTIONS = ['countIncludePad', 'divisorOverride', 'returnIndices'];

/** Options of a pooling; a number or list in their place is the stride, as PyTorch users write it. */
export function windowOptions<O extends WindowOptions>(
  operation: string,
  given: O | PerAxis | undefined,
): O {
  if (typeof given === 'number' || Array.isArray(given)) return { stride: given } as unknown as O;
  checkOptions(operation, given, [...WINDOW_OPTIONS, ...MORE_OPTIONS]);
  return (given ?? {}) as O;
}

/** One pooled axis of a call, checked. */
export interface PoolAxis {
  readonly input: number;
  readonly kernel: number;
  readonly stride: number;
  readonly padding: number;
  readonly dilation: number;
  readonly output: number;
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

const RANK_NAMES = ['one int', 'two ints', 'three ints'];

function spread(operation: string, rank: SpatialRank, name: string, value: PerAxis): number[] {
  if (Array.isArray(value) && value.length !== 1 && value.length !== rank)
    throw argumentError(
      `${operation}: ${name} must either be a single int, or a tuple of ${RANK_NAMES[rank - 1]}`,
    );
  return perAxis(value, rank, name, operation);
}

/** `kT: 2 kH: 2 kW: 2` */
const byAxis = (prefix: string, values: readonly number[]) =>
  values.map((v, i) => `${prefix}${'THW'[3 - values.length + i]}: ${v}`).join(' ');

/** Throws unless `x` has `rank` axes after its channels, with something in all but the batch. */
function checkInput(operation: string, rank: SpatialRank, x: Tensor): void {
  requireTensors(operation, { input: x });
  const fits = x.ndim === rank + 1 || x.ndim === rank + 2;
  const inner = x.shape.slice(-rank - 1);
  if (rank < 3) {
    if (!fits || inner.includes(0))
      throw shapeError(
        `${operation}: Expected ${rank + 1}D or ${rank + 2}D (batch mode) tensor with optional 0 dim batch ` +
          `size for input, but got:${formatShape(x.shape)}`,
      );
    return;
  }
  if (!fits)
    throw shapeError(
      `${operation}: non-empty 4D or 5D (batch mode) tensor expected for input, but got:${formatShape(x.shape)}`,
    );
  if (inner.includes(0))
    throw shapeError(
      `${operation}(): Expected input's non-batch dimensions to have positive length, but input has a ` +
        `shape of ${formatShape(x.shape)} and non-batch dimension ${inner.indexOf(0)} has length zero!`,
    );
}

/** The checked axes of a pooling over the last `rank` axes of `x`. */
export function poolAxes(
  operation: string,
  rank: SpatialRank,
  x: Tensor,
  kernelSize: PerAxis,
  options: WindowOptions,
): PoolAxis[] {
  const kernel = spread(operation, rank, 'kernel_size', kernelSize);
  const stride = spread(operation, rank, 'stride', options.stride ?? kernel);
  const padding = spread(operation, rank, 'padding', options.padding ?? 0);
  const dilation = spread(operation, rank, 'dilation', options.dilation ?? 1);
  checkInput(operation, rank, x);
  if (stride.includes(0)) throw argumentError('stride should not be zero');
  if (kernel.some((k) => k <= 0))
    throw argumentError(`kernel size should be greater than zero, but got ${byAxis('k', kernel)}`);
  if (stride.some((s) => s <= 0))
    throw argumentError(`stride should be greater than zero, but got ${byAxis('d', stride)}`);
  if (dilation.some((d) => d <= 0))
    throw argumentError(
      `dilation should be greater than zero, but got ${byAxis('dilation', dilation)}`,
    );
  padding.forEach((p, axis) => {
    if (p < 0) throw argumentError(`pad must be non-negative, but got pad: ${p}`);
    if (p * 2 > kernel[axis])
      throw argumentError(
        `pad should be at most half of kernel size, but got pad=${p} and kernel_size=${kernel[axis]}`,
      );
  });
  return x.shape.slice(-rank).map((input, axis) => {
    const [k, s, p, d] = [kernel[axis], stride[axis], padding[axis], dilation[axis]];
    const output = poolOutputSize(input, k, s, p, d, options.ceilMode ?? false);
    return { input, kernel: k, stride: s, padding: p, dilation: d, output };
  });
}

/** Throws unless every axis has a window. */
export function checkWindows(x: Tensor, axes: readonly PoolAxis[]): void {
  if (axes.every(({ output }) => output >= 1)) return;
  const sizes = (of: 'input' | 'output') =>
    [x.shape[x.ndim - axes.length - 1], ...axes.map((axis) => axis[of])].join('x');
  throw shapeError(
    `Given input size: (${sizes('input')}). Calculated output size: (${sizes('output')}). Output size is too small`,
  );
}

/** Where each window of an axis starts before it is cut to the input. */
export const windowStarts = ({ output, stride, padding }: PoolAxis): number[] =>
  Array.from({ length: output }, (_, i) => i * stride - padding);

/** The windows of an axis, cut to the input. */
export function axisWindows(axis: PoolAxis): AxisWindows {
  const { input, kernel, dilation: step } = axis;
  const starts = windowStarts(axis);
  return {
    starts: starts.map((at) => (at < 0 ? at + step * Math.ceil(-at / step) : at)),
    ends: starts.map((at) => Math.min(at + dilatedKernel(kernel, step), input)),
    step,
  };
}

const WHOLE: AxisWindows = { starts: [0], ends: [1], step: 1 };

/** `windows` over the last axes of a shape, as the last of three axes. */
export function poolGeometry(
  input: readonly number[],
  windows: readonly AxisWindows[],
): PoolGeometry {
  const [d, h, w] = [...new Array<AxisWindows>(3 - windows.length).fill(WHOLE), ...windows];
  const [iD, iH, iW] = [...new Array<number>(3 - input.length).fill(1), ...input];
  const output: Triple = [d.starts.length, h.starts.length, w.starts.length];
  return { input: [iD, iH, iW], output, windows: [d, h, w] };
}
