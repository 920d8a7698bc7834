// One tensor as several, all views.

import { requireTensors } from '../arguments.js';
import { argumentError, shapeError } from '../errors.js';
import { formatShape, normalizeDim, numberList } from '../tensor/shape.js';
import type { Tensor } from '../tensor/tensor.js';
import { narrow, select } from './views.js';

/** A 0-d tensor has no dim to split. */
function axisOf(operation: string, x: Tensor, dim: number): number {
  if (x.ndim === 0) throw argumentError(`${operation} expects at least a 1-dimensional tensor`);
  return normalizeDim(dim, x.ndim);
}

/** Consecutive parts of the given sizes. */
function parts(x: Tensor, axis: number, sizes: readonly number[]): Tensor[] {
  let start = 0;
  return sizes.map((size) => {
    start += size;
    return narrow(x, axis, start - size, size);
  });
}

function equalSizes(total: number, size: number): number[] {
  const count = Math.max(Math.ceil(total / Math.max(size, 1)), 1);
  return Array.from({ length: count }, (_, i) => Math.min(size, total - i * size));
}

/** Parts of `size` along `dim`, the last one smaller where it does not divide; or of listed sizes. */
export function split(x: Tensor, size: number | readonly number[], dim = 0): Tensor[] {
  requireTensors('split', { x });
  const axis = axisOf('split', x, dim);
  const total = x.shape[axis];
  if (typeof size !== 'number') {
    numberList('split', 'size', size);
    if (size.some((n) => !(n >= 0)) || size.reduce((a, b) => a + b, 0) !== total)
      throw argumentError(
        `split_with_sizes expects split_sizes to sum exactly to ${total} (input tensor's size at ` +
          `dimension ${axis}), but got split_sizes=${formatShape(size)}`,
      );
    return parts(x, axis, size);
  }
  if (!(Number.isInteger(size) && size >= 0))
    throw argumentError(`split expects split_size be non-negative, but got split_size=${size}`);
  if (size === 0 && total !== 0)
    throw argumentError(
      `split_size can only be 0 if dimension size is 0, but got dimension size of ${total}`,
    );
  return parts(x, axis, equalSizes(total, size));
}

/** At most `chunks` parts along `dim` of one size, the last one smaller where it does not divide. */
export function chunk(x: Tensor, chunks: number, dim = 0): Tensor[] {
  requireTensors('chunk', { x });
  const axis = axisOf('chunk', x, dim);
  if (!(Number.isInteger(chunks) && chunks > 0))
    throw argumentError(`chunk expects \`chunks\` to be greater than 0, got: ${chunks}`);
  const total = x.shape[axis];
  if (total === 0) return parts(x, axis, new Array<number>(chunks).fill(0));
  return parts(x, axis, equalSizes(total, Math.ceil(total / chunks)));
}

/** `sections` parts along `dim` whose sizes differ by one at most; or parts between listed positions. */
export function tensorSplit(x: Tensor, sections: number | readonly number[], dim = 0): Tensor[] {
  requireTensors('tensorSplit', { x });
  const axis = axisOf('tensor_split', x, dim);
  const total = x.shape[axis];
  if (typeof sections === 'number') {
    if (!(Number.isInteger(sections) && sections > 0))
      throw argumentError(`number of sections must be larger than 0, got ${sections}`);
    const [small, larger] = [Math.floor(total / sections), total % sections];
    const sizes = Array.from({ length: sections }, (_, i) => small + (i < larger ? 1 : 0));
    return parts(x, axis, sizes);
  }
  numberList('tensorSplit', 'sections', sections);
  const clip = (at: number) => Math.min(Math.max(at < 0 ? at + total : at, 0), total);
  const bounds = [0, ...sections.map(clip), total];
  return bounds.slice(1).map((end, i) => {
    return narrow(x, axis, bounds[i], Math.max(end - bounds[i], 0));
  });
}

/** The slices along `dim`, without it. */
export function unbind(x: Tensor, dim = 0): Tensor[] {
  requireTensors('unbind', { x });
  const axis = axisOf('unbind', x, dim);
  return Array.from({ length: x.shape[axis] }, (_, i) => select(x, axis, i));
}

/** {@link tensorSplit} along the `dim`-th of at least `rank` dims. */
function splitAlong(
  operation: string,
  x: Tensor,
  sections: number | readonly number[],
  dim: number,
  rank: number,
): Tensor[] {
  requireTensors(operation, { x });
  if (x.ndim < rank)
    throw shapeError(
      `torch.${operation} requires a tensor with at least ${rank} dimension, but got a ` +
        `tensor with ${x.ndim} dimensions!`,
    );
  if (typeof sections === 'number' && x.shape[dim] % sections !== 0)
    throw argumentError(
      `torch.${operation} attempted to split along dimension ${dim}, but the size of the dimension ` +
        `${x.shape[dim]} is not divisible by the split_size ${sections}!`,
    );
  return tensorSplit(x, sections, dim);
}

/** Parts side by side: along the second dim, or the only one. */
export const hsplit = (x: Tensor, sections: number | readonly number[]): Tensor[] =>
  splitAlong('hsplit', x, sections, x?.ndim === 1 ? 0 : 1, 1);
/** Parts above each other: along the first of at least two dims. */
export const vsplit = (x: Tensor, sections: number | readonly number[]): Tensor[] =>
  splitAlong('vsplit', x, sections, 0, 2);
/** Parts in depth: along the third of at least three dims. */
export const dsplit = (x: Tensor, sections: number | readonly number[]): Tensor[] =>
  splitAlong('dsplit', x, sections, 2, 3);
/** Parts of listed sizes; see {@link split}. */
export const splitWithSizes = (x: Tensor, sizes: readonly number[], dim = 0): Tensor[] =>
  split(x, sizes, dim);
