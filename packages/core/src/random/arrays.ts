/** The dtypes that random numbers are computed in. */
export type FloatDType = 'float32' | 'float64';

/** A Float64Array, a Float32Array, or another array of numbers. */
export interface FloatArray {
  readonly length: number;
  [index: number]: number;
}

/** An array that takes integers: a BigInt64Array, any other typed array, or a plain one. */
export type IntegerArray = FloatArray | BigInt64Array;
