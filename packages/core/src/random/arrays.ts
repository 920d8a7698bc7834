import {
  bfloat16ToNumber,
  float16ToNumber,
  numberToBfloat16,
  numberToFloat16,
} from '../cpu/half.js';
import { type DType, isFloat } from '../tensor/dtype.js';

/** The dtypes that random numbers are computed in. */
export type FloatDType = 'float64' | 'float32' | 'float16' | 'bfloat16';

/** A Float64Array, a Float32Array, or another array of numbers. */
export interface FloatArray {
  readonly length: number;
  [index: number]: number;
}

/** An array that takes integers: a BigInt64Array, any other typed array, or a plain one. */
export type IntegerArray = FloatArray | BigInt64Array;

export const isFloatDType = (dtype: DType): dtype is FloatDType => isFloat(dtype);

/** Binary digits of a significand: as many a uniform number has. */
export const DIGITS: Readonly<Record<FloatDType, number>> = {
  float64: 53,
  float32: 24,
  float16: 11,
  bfloat16: 8,
};

/** Rounds a float64 to the nearest number of a dtype; 16 bits by way of float32, as PyTorch. */
export const ROUND: Readonly<Record<FloatDType, (x: number) => number>> = {
  float64: (x) => x,
  float32: Math.fround,
  float16: (x) => float16ToNumber(numberToFloat16(x)),
  bfloat16: (x) => bfloat16ToNumber(numberToBfloat16(x)),
};

/** Writes `draw(i)` everywhere, in order. */
export function fillWith(out: IntegerArray, draw: (i: number) => number | bigint): void {
  if (out instanceof BigInt64Array) for (let i = 0; i < out.length; i++) out[i] = BigInt(draw(i));
  else for (let i = 0; i < out.length; i++) out[i] = Number(draw(i));
}
