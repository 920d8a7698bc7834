// Source: PyTorch aten/src/ATen/native/PadNd.cpp and ReflectionPad.cpp

import { checkCall } from '../arguments.js';
import { argumentError, shapeError } from '../errors.js';
import { describe, formatShape } from '../tensor/shape.js';
import type { Tensor } from '../tensor/tensor.js';
import { indexSelect, indexTensor } from './indexing.js';
import { embed, narrow } from './views.js';

/** What {@link pad} puts outside. */
export type PadMode = 'constant' | 'reflect' | 'replicate' | 'circular';
type Pair = readonly [lo: number, hi: number];

/** For each position of a padded axis, the position of the source that it repeats. */
const SOURCE: Record<Exclude<PadMode, 'constant'>, (at: number, size: number) => number> = {
  reflect: (at, size) => (at < 0 ? -at : at >= size ? 2 * (size - 1) - at : at),
  replicate: (at, size) => Math.min(Math.max(at, 0), size - 1),
  circular: (at, size) => (at + size) % size,
};

function checkPad(mode: PadMode, x: Tensor, axis: number, [lo, hi]: Pair): void {
  const size = x.shape[axis];
  if (mode === 'reflect' && (lo >= size || hi >= size))
    throw shapeError(
      `Argument #${4 + 2 * (x.ndim - 1 - axis)}: Padding size should be less than the corresponding input ` +
        `dimension, but got: padding (${lo}, ${hi}) at dimension ${axis} of input ${formatShape(x.shape)}`,
    );
  if (mode === 'circular' && (lo > size || hi > size))
    throw shapeError('Padding value causes wrapping around more than once.');
  if (mode === 'circular' && size + lo + hi < 0)
    throw shapeError('Negative padding value is resulting in an empty dimension');
  if (size + lo + hi < (mode === 'constant' || mode === 'circular' ? 0 : 1))
    throw shapeError(
      `The input size ${size}, plus negative padding ${lo} and ${hi}, resulted in an invalid output size, at dim ${axis}`,
    );
}

function checkPairs(mode: PadMode, x: Tensor, pairs: readonly Pair[]): void {
  // The last axis first, as PyTorch.
  for (let axis = x.ndim - 1; axis >= 0; axis--)
    if (pairs[axis].some((side) => side !== 0)) checkPad(mode, x, axis, pairs[axis]);
}

/** Modes that repeat elements take one to three axes after the channels. */
function checkRepeating(mode: PadMode, x: Tensor, axes: number, value: number): void {
  if (value !== 0) throw argumentError(`Padding mode "${mode}" doesn't take in value argument`);
  if (axes < 1 || axes > 3 || (x.ndim !== axes + 1 && x.ndim !== axes + 2))
    throw shapeError('Only 2D, 3D, 4D, 5D padding with non-constant padding are supported for now');
  if (mode !== 'circular' && x.shape.slice(x.ndim - axes).includes(0))
    throw shapeError(
      `Expected ${axes + 1}D or ${axes + 2}D (batch mode) tensor with possibly 0 batch size and other ` +
        `non-zero dimensions for input, but got: ${formatShape(x.shape)}`,
    );
}

/**
 * Pads the last dims of `x`. Modes but 'constant' pad one to three axes of batched or unbatched
 * tensors with channels.
 * @param padding pairs (low, high), the last dim first, as in PyTorch: `[wLo, wHi, hLo, hHi, …]`;
 *   negative numbers crop
 * @param options.mode 'constant' (with `value`, 0 by default), 'reflect', 'replicate', 'circular'
 */
export function pad(
  x: Tensor,
  padding: readonly number[],
  options: { mode?: PadMode; value?: number | null } = {},
): Tensor {
  checkCall('pad', { x }, options, { mode: true, value: 'nullable' });
  const { mode = 'constant' } = options;
  const value = options.value ?? 0;
  if (!Array.isArray(padding) || !padding.every(Number.isInteger))
    throw argumentError(`pad(): expected a list of integers, but got ${describe(padding)}`);
  if (padding.length % 2 !== 0) throw argumentError('Padding length must be divisible by 2');
  const axes = padding.length / 2;
  if (axes > x.ndim)
    throw argumentError('Padding length too large: it names more dims than the input has');
  if (mode !== 'constant') {
    if (!Object.hasOwn(SOURCE, mode)) throw argumentError(`Unrecognised padding mode ${mode}`);
    checkRepeating(mode, x, axes, value);
  }
  const pairs = x.shape.map((_, axis): Pair => {
    const at = 2 * (x.ndim - 1 - axis);
    return axis < x.ndim - axes ? [0, 0] : [padding[at], padding[at + 1]];
  });
  return padAxes(x, pairs, mode, value);
}

/** Like {@link pad}, with one (low, high) pair for each dim of `x` in order. */
export function padAxes(
  x: Tensor,
  pairs: readonly Pair[],
  mode: PadMode = 'constant',
  value = 0,
): Tensor {
  checkPairs(mode, x, pairs);
  if (mode === 'constant') return padConstant(x, pairs, value);
  // What a circle loses is not there to be repeated; other modes look at the whole input.
  if (mode === 'circular') {
    const [cropped, grow] = [crop(x, pairs), pairs.map(growth)];
    checkPairs(mode, cropped, grow);
    return repeat(cropped, grow, mode);
  }
  return repeat(x, pairs, mode);
}

const repeat = (x: Tensor, pairs: readonly Pair[], mode: Exclude<PadMode, 'constant'>): Tensor =>
  pairs.reduce((y, [lo, hi], axis) => {
    if (lo === 0 && hi === 0) return y;
    const size = y.shape[axis];
    const positions = Array.from({ length: size + lo + hi }, (_, i) => SOURCE[mode](i - lo, size));
    return indexSelect(y, axis, indexTensor(positions, y));
  }, x);

const growth = ([lo, hi]: Pair): Pair => [Math.max(lo, 0), Math.max(hi, 0)];

/** `x` without what negative padding takes away. */
const crop = (x: Tensor, pairs: readonly Pair[]): Tensor =>
  pairs.reduce((y, [lo, hi], axis) => {
    const cut = Math.max(-lo, 0) + Math.max(-hi, 0);
    return cut === 0 ? y : narrow(y, axis, Math.max(-lo, 0), y.shape[axis] - cut);
  }, x);

function padConstant(x: Tensor, pairs: readonly Pair[], value: number): Tensor {
  const cropped = crop(x, pairs);
  const grow = pairs.map(growth);
  if (grow.every(([lo, hi]) => lo === 0 && hi === 0)) return cropped;
  return embed(
    cropped,
    cropped.shape.map((size, axis) => size + grow[axis][0] + grow[axis][1]),
    grow.map(([lo]) => lo),
    { value },
  );
}
