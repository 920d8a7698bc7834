// The limits of dtypes, as torch.finfo and torch.iinfo.

import { dtypeError } from '../errors.js';
import {
  bytesPerElement,
  checkDType,
  type DType,
  getDefaultDtype,
  isFloat,
  kindOf,
} from './dtype.js';

/** What {@link finfo} says of a floating point dtype. */
export interface FloatInfo {
  readonly dtype: DType;
  readonly bits: number;
  /** The distance from 1 to the next larger number. */
  readonly eps: number;
  readonly max: number;
  readonly min: number;
  /** The smallest positive number of full precision. */
  readonly tiny: number;
  readonly smallestNormal: number;
  /** The decimal place up to which numbers are told apart. */
  readonly resolution: number;
}

/** Bits of the fraction, the largest exponent and decimal digits. */
const FORMATS: Partial<
  Record<DType, readonly [fraction: number, exponent: number, digits: number]>
> = {
  float64: [52, 1023, 15],
  float32: [23, 127, 6],
  float16: [10, 15, 3],
  bfloat16: [7, 127, 2],
};

/** The limits of a floating dtype, the default one when omitted. */
export function finfo(dtype: DType = getDefaultDtype()): FloatInfo {
  const format = FORMATS[dtype];
  if (!format)
    throw dtypeError(
      `torch.finfo() requires a floating point input type. Use torch.iinfo to handle '${dtype}'`,
    );
  const [fraction, exponent, digits] = format;
  const eps = 2 ** -fraction;
  const max = (2 - eps) * 2 ** exponent;
  const tiny = 2 ** (1 - exponent);
  return {
    dtype,
    bits: 8 * bytesPerElement(dtype),
    eps,
    max,
    min: -max,
    tiny,
    smallestNormal: tiny,
    resolution: Number(`1e-${digits}`),
  };
}

/** What {@link iinfo} says of an integer dtype. */
export interface IntegerInfo {
  readonly dtype: DType;
  readonly bits: number;
  /** A bigint for int64, whose limits no number holds. */
  readonly max: number | bigint;
  readonly min: number | bigint;
}

/** The limits of an integer dtype. */
export function iinfo(dtype: DType): IntegerInfo {
  checkDType(dtype);
  if (isFloat(dtype))
    throw dtypeError(
      `torch.iinfo() requires an integer input type. Use torch.finfo to handle '${dtype}'`,
    );
  if (kindOf(dtype) === 'bool') throw dtypeError('torch.bool is not supported by torch.iinfo');
  const bits = 8 * bytesPerElement(dtype);
  if (dtype === 'int64') return { dtype, bits, max: 2n ** 63n - 1n, min: -(2n ** 63n) };
  if (dtype === 'uint8') return { dtype, bits, max: 255, min: 0 };
  return { dtype, bits, max: 2 ** (bits - 1) - 1, min: -(2 ** (bits - 1)) };
}
