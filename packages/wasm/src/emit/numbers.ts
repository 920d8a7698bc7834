// Arithmetic on single numbers.

import { type Type, type Value, value } from './code.js';

const two =
  <T extends Type, R extends Type = T>(_type: T, result: R, opcode: number) =>
  (a: Value<T>, b: Value<T>): Value<R> =>
    value(result, a.code, b.code, [opcode]);

const one =
  <T extends Type, R extends Type>(_type: T, result: R, ...opcode: number[]) =>
  (a: Value<T>): Value<R> =>
    value(result, a.code, opcode);

export const f32 = {
  add: two('f32', 'f32', 0x92),
  mul: two('f32', 'f32', 0x94),
  ofI32: one('i32', 'f32', 0xb2),
  ofF64: one('f64', 'f32', 0xb6),
} as const;

export const f64 = {
  add: two('f64', 'f64', 0xa0),
  sub: two('f64', 'f64', 0xa1),
  mul: two('f64', 'f64', 0xa2),
  min: two('f64', 'f64', 0xa4),
  max: two('f64', 'f64', 0xa5),
  ne: two('f64', 'i32', 0x62),
  lt: two('f64', 'i32', 0x63),
  gt: two('f64', 'i32', 0x64),
  ofI32: one('i32', 'f64', 0xb7),
  ofI64: one('i64', 'f64', 0xb9),
  ofF32: one('f32', 'f64', 0xbb),
} as const;

export const i64 = {
  ne: two('i64', 'i32', 0x52),
  ofI32: one('i32', 'i64', 0xac),
  ofUnsigned: one('i32', 'i64', 0xad),
  /** Truncated; NaN becomes 0, and what is out of range the nearest number in it. */
  ofF64: one('f64', 'i64', 0xfc, 0x06),
  low: one('i64', 'i32', 0xa7),
} as const;

/** The whole part as an integer; NaN becomes 0, and what is out of range the nearest number in it. */
export const truncated = one('f64', 'i32', 0xfc, 0x02);
