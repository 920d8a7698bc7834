// Sums of float32 go on in float64 after short blocks, so that their error does not grow with length.

import { simd, type Value, value } from '../emit/code.js';

type Vector = Value<'v128'>;

/** Numbers of a row that one item sums; a fixed size, so that threads do not change the order. */
export const SUM_PART = 16_384;

/** The two lower float32 as float64. */
export const promote = (x: Vector): Vector => value('v128', x.code, simd(0x5f));

/** The halves exchanged. */
export const upper = (x: Vector): Vector =>
  value('v128', x.code, x.code, simd(0x0d), [8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7]);

/** float64 lanes. */
export const addWide = (a: Vector, b: Vector): Vector => value('v128', a.code, b.code, simd(0xf0));

/** The lowest float64. */
export const lowest = (x: Vector): Value<'f64'> => value('f64', x.code, simd(0x21), [0]);
