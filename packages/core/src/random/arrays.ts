import { bfloat16ToNumber, numberToBfloat16 } from '../cpu/half.js';
import { type DType, isFloat } from '../tensor/dtype.js';
import { upperWord, withUpperWord } from './libm/words.js';

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
  float16: roundToFloat16,
  bfloat16: (x) => bfloat16ToNumber(numberToBfloat16(x)),
};

/** Much faster than by the 16 bits: what a far larger number leaves when it is added and taken away. */
function roundToFloat16(x: number): number {
  const narrow = Math.fround(x);
  const size = Math.abs(narrow);
  if (!(size < 65520)) return narrow * Infinity; // NaN stays
  // 2^42 times the power of two below, or below 2^-14 (where digits get fewer) times that
  const power = withUpperWord(0, upperWord(Math.max(size, 2 ** -14)) & 0x7ff00000);
  const far = 1.5 * 2 ** 42 * power;
  return narrow + far - far || narrow * 0; // -0 stays too
}

/** Writes `draw(i)` everywhere, in order. */
export function fillWith(out: IntegerArray, draw: (i: number) => number | bigint): void {
  if (out instanceof BigInt64Array) for (let i = 0; i < out.length; i++) out[i] = BigInt(draw(i));
  else for (let i = 0; i < out.length; i++) out[i] = Number(draw(i));
}
