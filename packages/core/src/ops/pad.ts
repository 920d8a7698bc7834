import { argumentError, shapeError } from '../errors.js';
import { describe, formatShape } from '../tensor/shape.js';
import type { Tensor } from '../tensor/tensor.js';
import { indexSelect, indexTensor } from './indexing.js';
import { embed, narrow } from './views.js';

export type PadMode = 'constant' | 'reflect' | 'replicate' | 'circular';

/** For each position of a padded axis, the position of the source that it repeats. */
const SOURCE: Record<Exclude<PadMode, 'constant'>, (at: number, size: number) => number> = {
  reflect: (at, size) => (at < 0 ? -at : at >= size ? 2 * (size - 1) - at : at),
  replicate: (at, size) => Math.min(Math.max(at, 0), size - 1),
  circular: (at, size) => (at + size) % size,
};

function checkPad(mode: PadMode, x: Tensor, axis: number, lo: number, hi: number): void {
  const size = x.shape[axis];
  if (mode === 'reflect' && (lo >= size || hi >= size))
    throw shapeError(
      'Argument #4: Padding size should be less than the corresponding input dimension, but got: ' +
        `padding (${lo}, ${hi}) at dimension ${axis} of input ${formatShape(x.shape)}`,
    );
  if (mode === 'circular' && (lo > size || hi > size))
    throw shapeError('Padding value causes wrapping around more than once.');
  if (size + lo + hi < (mode === 'constant' ? 0 : 1))
    throw shapeError(
      `The input size ${size}, plus negative padding ${lo} and ${hi}, resulted in an invalid output size, at dim ${axis}`,
    );
}

/**
 * Pads the last dims of `x`.
 * @param padding pairs (low, high), the last dim first, as in PyTorch: `[wLo, wHi, hLo, hHi, …]`;
 *   negative numbers crop
 * @param options.mode 'constant' (with `value`, 0 by default), 'reflect', 'replicate', 'circular'
 */
export function pad(
  x: Tensor,
  padding: readonly number[],
  options: { mode?: PadMode; value?: number } = {},
): Tensor {
  const { mode = 'constant', value = 0 } = options;
  if (!Array.isArray(padding) || !padding.every(Number.isInteger))
    throw argumentError(`pad(): expected a list of integers, but got ${describe(padding)}`);
  if (mode !== 'constant' && !Object.hasOwn(SOURCE, mode))
    throw argumentError(`Unrecognised padding mode ${describe(mode)}`);
  if (padding.length % 2 !== 0) throw argumentError('Padding length must be divisible by 2');
  if (padding.length / 2 > x.ndim)
    throw argumentError('Padding length too large: it names more dims than the input has');
  const axes = padding.length / 2;
  const pairs = x.shape.map((_, axis) => {
    const at = 2 * (x.ndim - 1 - axis);
    return axis < x.ndim - axes ? ([0, 0] as const) : ([padding[at], padding[at + 1]] as const);
  });
  return padAxes(x, pairs, mode, value);
}

/** Like {@link pad}, with one (low, high) pair for each dim of `x` in order. */
export function padAxes(
  x: Tensor,
  pairs: readonly (readonly [lo: number, hi: number])[],
  mode: PadMode = 'constant',
  value = 0,
): Tensor {
  pairs.forEach(([lo, hi], axis) => {
    checkPad(mode, x, axis, lo, hi);
  });
  if (mode === 'constant') return padConstant(x, pairs, value);
  return pairs.reduce((y, [lo, hi], axis) => {
    if (lo === 0 && hi === 0) return y;
    const size = y.shape[axis];
    const positions = Array.from({ length: size + lo + hi }, (_, i) => SOURCE[mode](i - lo, size));
    return indexSelect(y, axis, indexTensor(positions, y));
  }, x);
}

function padConstant(
  x: Tensor,
  pairs: readonly (readonly [number, number])[],
  value: number,
): Tensor {
  const cropped = pairs.reduce((y, [lo, hi], axis) => {
    const cut = Math.max(-lo, 0) + Math.max(-hi, 0);
    return cut === 0 ? y : narrow(y, axis, Math.max(-lo, 0), y.shape[axis] - cut);
  }, x);
  const grow = pairs.map(([lo, hi]) => [Math.max(lo, 0), Math.max(hi, 0)] as const);
  if (grow.every(([lo, hi]) => lo === 0 && hi === 0)) return cropped;
  return embed(
    cropped,
    cropped.shape.map((size, axis) => size + grow[axis][0] + grow[axis][1]),
    grow.map(([lo]) => lo),
    { value },
  );
}
