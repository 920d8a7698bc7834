// The arithmetic of shapes: sizes, strides, broadcasting, dims. Everything here is pure.

import { argumentError, shapeError } from '../errors.js';

/** Sizes along each axis, the outermost first. */
export type Shape = readonly number[];

/** A size-like text as PyTorch prints it: `[2, 3, 4]`. */
export const formatShape = (shape: readonly number[]): string => `[${shape.join(', ')}]`;

/** Elements of `shape`. Exact up to 2^53; larger shapes are refused rather than rounded. */
export function numelOf(shape: Shape): number {
  let count = 1;
  for (const size of shape) count *= size;
  if (!Number.isSafeInteger(count))
    throw shapeError(
      `a tensor of shape ${formatShape(shape)} has more elements than can be counted`,
    );
  return count;
}

/** Row-major strides, in elements. A size-0 dim counts as 1, as in PyTorch. */
export function contiguousStrides(shape: Shape): number[] {
  const strides = new Array<number>(shape.length);
  let step = 1;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    strides[axis] = step;
    step *= Math.max(shape[axis], 1);
  }
  return strides;
}

/** Whether elements lie in row-major order without gaps. */
export function isContiguous(shape: Shape, strides: readonly number[]): boolean {
  let step = 1;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    if (shape[axis] === 0) return true;
    if (shape[axis] !== 1) {
      if (strides[axis] !== step) return false;
      step *= shape[axis];
    }
  }
  return true;
}

/** Whether two shapes are equal. */
export function sameShape(a: Shape, b: Shape): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let axis = 0; axis < a.length; axis++) if (a[axis] !== b[axis]) return false;
  return true;
}

/** Validates sizes given by a user. */
export function checkShape(shape: readonly number[], operation: string): number[] {
  if (!Array.isArray(shape))
    throw argumentError(`${operation}(): expected a list of sizes, but got ${String(shape)}`);
  for (const size of shape) {
    if (!Number.isSafeInteger(size))
      throw argumentError(`${operation}(): sizes must be integers, but got ${formatShape(shape)}`);
    if (size < 0)
      throw shapeError(
        `Trying to create tensor with negative dimension ${size}: ${formatShape(shape)}`,
      );
  }
  numelOf(shape);
  return [...shape];
}

/** The common shape of all `shapes` under broadcasting (sizes equal or 1, aligned at the end). */
export function broadcastShapes(...shapes: Shape[]): number[] {
  for (const shape of shapes) if (!Array.isArray(shape)) checkShape(shape, 'broadcastShapes');
  const rank = Math.max(0, ...shapes.map((shape) => shape.length));
  const result = new Array<number>(rank).fill(1);
  for (const shape of shapes) {
    for (let i = 1; i <= shape.length; i++) {
      const size = shape[shape.length - i];
      const known = result[rank - i];
      if (size === known || size === 1) continue;
      if (known !== 1)
        throw shapeError(
          `The size of tensor a (${known}) must match the size of tensor b (${size}) at ` +
            `non-singleton dimension ${rank - i}`,
        );
      result[rank - i] = size;
    }
  }
  return result;
}

/** Strides that read `shape` as if it were `target` (stride 0 where a size of 1 is repeated). */
export function expandStrides(shape: Shape, strides: readonly number[], target: Shape): number[] {
  const lead = target.length - shape.length;
  if (lead < 0)
    throw shapeError(
      `expand(${formatShape(target)}): the number of sizes provided (${target.length}) must be ` +
        `greater or equal to the number of dimensions in the tensor (${shape.length})`,
    );
  return target.map((size, axis) => {
    if (axis < lead) return 0;
    const own = shape[axis - lead];
    if (own === size) return strides[axis - lead];
    if (own === 1) return 0;
    throw shapeError(
      `The expanded size of the tensor (${size}) must match the existing size (${own}) at ` +
        `non-singleton dimension ${axis}.  Target sizes: ${formatShape(target)}.  ` +
        `Tensor sizes: ${formatShape(shape)}`,
    );
  });
}

/** One number or several, as a list; anything else is an error of `operation`. */
export function numberList(operation: string, name: string, value: unknown): readonly number[] {
  const list = typeof value === 'number' ? [value] : value;
  if (Array.isArray(list) && list.every((entry) => typeof entry === 'number')) return list;
  throw argumentError(
    `${operation}(): expected a number or a list of numbers for '${name}', but got ${describe(value)}`,
  );
}

/** `dim` as a non-negative axis of a tensor of `rank` dims; a 0-d tensor accepts 0 and -1. */
export function normalizeDim(dim: number, rank: number): number {
  const span = Math.max(rank, 1);
  if (!Number.isInteger(dim))
    throw argumentError(`a dimension must be an integer, but got ${String(dim)}`);
  if (dim < -span || dim >= span)
    throw argumentError(
      `Dimension out of range (expected to be in range of [${-span}, ${span - 1}], but got ${dim})`,
    );
  return dim < 0 ? dim + span : dim;
}

/** Axes of a reduction: all of them when `dim` is undefined. Repeated axes are an error. */
export function normalizeDims(dim: number | readonly number[] | undefined, rank: number): number[] {
  if (dim === undefined || (Array.isArray(dim) && dim.length === 0))
    return Array.from({ length: rank }, (_, axis) => axis);
  if (dim !== undefined && typeof dim !== 'number' && !Array.isArray(dim))
    throw argumentError(`a dim must be a number or a list of numbers, but got ${describe(dim)}`);
  const dims = (typeof dim === 'number' ? [dim] : [...(dim as number[])]).map((d) =>
    normalizeDim(d, rank),
  );
  dims.forEach((axis, i) => {
    if (dims.indexOf(axis) !== i)
      throw argumentError(`dim ${axis} appears multiple times in the list of dims`);
  });
  return rank === 0 ? [] : dims;
}

/** Fills in the one -1 of a reshape target. */
export function inferReshape(shape: readonly number[], numel: number): number[] {
  const invalid = () =>
    shapeError(`shape '${formatShape(shape)}' is invalid for input of size ${numel}`);
  let known = 1;
  let open = -1;
  shape.forEach((size, axis) => {
    if (!Number.isInteger(size) || size < -1)
      throw argumentError(`invalid shape dimension ${size}`);
    if (size !== -1) known *= size;
    else if (open >= 0) throw argumentError('only one dimension can be inferred');
    else open = axis;
  });
  const result = [...shape];
  if (open >= 0) {
    if (known === 0)
      throw shapeError(
        `cannot reshape tensor of 0 elements into shape ${formatShape(shape)} because the ` +
          'unspecified dimension size -1 can be any value and is ambiguous',
      );
    if (numel % known !== 0) throw invalid();
    result[open] = numel / known;
  } else if (known !== numel) throw invalid();
  return result;
}

/** Strides of a reshape without a copy, or null where the layout does not allow a view. */
export function viewStrides(
  shape: Shape,
  strides: readonly number[],
  target: Shape,
): number[] | null {
  if (isContiguous(shape, strides)) return contiguousStrides(target);
  if (numelOf(shape) === 0) return contiguousStrides(target);
  // Walk both shapes from the end in chunks of equal element count; each chunk of the old shape
  // must be laid out without gaps.
  const result = new Array<number>(target.length);
  let to = target.length - 1;
  let axis = shape.length - 1;
  while (axis >= 0) {
    const base = strides[axis];
    let count = shape[axis];
    while (axis > 0 && (shape[axis - 1] === 1 || strides[axis - 1] === base * count)) {
      axis--;
      count *= shape[axis];
    }
    axis--;
    let step = base;
    let filled = 1;
    while (to >= 0 && (filled < count || target[to] === 1)) {
      result[to] = step;
      step *= target[to];
      filled *= target[to];
      to--;
    }
    if (filled !== count) return null;
  }
  while (to >= 0) result[to--] = 1;
  return result;
}

/** `n` repeated `rank` times, or a list that already has (or broadcasts from) one entry. */
export function perAxis(
  value: number | readonly number[],
  rank: number,
  name: string,
  operation: string,
): number[] {
  const list = typeof value === 'number' ? [value] : value;
  if (!Array.isArray(list) || list.some((v) => typeof v !== 'number'))
    throw argumentError(
      `${operation}(): argument '${name}' must be a number or a list of numbers, but got ${describe(value)}`,
    );
  if (list.length !== 1 && list.length !== rank)
    throw argumentError(
      `expected ${name} to be a single integer value or a list of ${rank} values to match the ` +
        `convolution dimensions, but got ${name}=${formatShape(list)}`,
    );
  for (const v of list)
    if (!Number.isInteger(v))
      throw argumentError(`${operation}(): ${name} must be integers, but got ${formatShape(list)}`);
  return list.length === rank ? [...list] : new Array<number>(rank).fill(list[0]);
}

/** A short text of any value, for messages. */
export function describe(value: unknown): string {
  if (typeof value === 'string') return `'${value}'`;
  if (Array.isArray(value)) return `[${value.map(describe).join(', ')}]`;
  if (typeof value === 'object' && value !== null) return value.constructor?.name ?? 'object';
  return String(value);
}
