// What can be said of a tensor or a dtype without computing.

import { onTensors, requireTensors } from '../arguments.js';
import { shapeError } from '../errors.js';
import { bytesPerElement, checkDType, type DType, isFloat, kindOf } from './dtype.js';
import { normalizeDim, sameShape } from './shape.js';
import { Tensor } from './tensor.js';

/** Whether a value is a tensor, of this or another copy of the library. */
export const isTensor = (value: unknown): value is Tensor => value instanceof Tensor;
/** How many elements. */
export const numel = onTensors('numel', ['x'], (x: Tensor): number => x.numel);
/** Whether the dtype of a tensor is a floating point one. */
export const isFloatingPoint = onTensors('isFloatingPoint', ['x'], (x: Tensor): boolean =>
  isFloat(x.dtype),
);
/** There are no complex dtypes. */
export const isComplex = (_x: Tensor): boolean => false;
/** Whether the dtype holds numbers below 0. */
export const isSigned = onTensors(
  'isSigned',
  ['x'],
  (x: Tensor): boolean => x.dtype !== 'uint8' && x.dtype !== 'bool',
);
/** Whether two tensors have the same shape. */
export const isSameSize = onTensors('isSameSize', ['a', 'b'], (a: Tensor, b: Tensor): boolean =>
  sameShape(a.shape, b.shape),
);

/** Whether the only element is not 0. */
export function isNonzero(x: Tensor): boolean {
  requireTensors('isNonzero', { x });
  if (x.numel === 0) throw shapeError('Boolean value of Tensor with no values is ambiguous');
  if (x.numel > 1)
    throw shapeError('Boolean value of Tensor with more than one value is ambiguous');
  return Number(x.item<number | bigint>()) !== 0;
}

const KIND_RANK = { bool: 0, integer: 1, float: 2 };

/** Whether conversion keeps the kind of number: a float does not fit an integer, nor that a bool. */
export const canCast = (from: DType, to: DType): boolean =>
  KIND_RANK[kindOf(checkDType(from))] <= KIND_RANK[kindOf(checkDType(to))];

const entry = (list: readonly number[], dim: number): number =>
  list[normalizeDim(dim, list.length)];

/** The sizes, or the size of one dim. */
export function size(x: Tensor): readonly number[];
export function size(x: Tensor, dim: number): number;
export function size(x: Tensor, dim?: number): readonly number[] | number {
  return dim === undefined ? x.shape : dimension(x.shape, dim);
}

/** The distances of neighbours in the storage, in elements; or that along one dim. */
export function stride(x: Tensor): readonly number[];
export function stride(x: Tensor, dim: number): number;
export function stride(x: Tensor, dim?: number): readonly number[] | number {
  return dim === undefined ? x.strides : dimension(x.strides, dim);
}

function dimension(list: readonly number[], dim: number): number {
  if (list.length === 0)
    throw shapeError(`Dimension specified as ${dim} but tensor has no dimensions`);
  return entry(list, dim);
}

/** The number of dimensions. */
export const dim = (x: Tensor): number => x.ndim;
export const ndimension: typeof dim = dim;
export const nelement: typeof numel = numel;
/** Bytes of one element. */
export const elementSize = (x: Tensor): number => bytesPerElement(x.dtype);
/** Where the tensor starts in its storage, in elements. */
export const storageOffset = (x: Tensor): number => x.offset;
