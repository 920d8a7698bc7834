// Vectors of integers: four of 32 bits or two of 64.

import { int, simd, type Value, value } from './code.js';
import { bits, shuffle32, type Vector } from './lanes.js';

const two = (opcode: number) => (a: Vector, b: Vector) =>
  value('v128', a.code, b.code, simd(opcode));
const one = (opcode: number) => (a: Vector) => value('v128', a.code, simd(opcode));
const shift = (opcode: number) => (a: Vector, by: number) =>
  value('v128', a.code, int(by).code, simd(opcode));

const bytesOf = (bytes: 4 | 8, x: number | bigint): number[] =>
  Array.from({ length: bytes }, (_, i) => Number(BigInt.asUintN(8, BigInt(x) >> BigInt(8 * i))));

const constantOf = (bytes: 4 | 8) => (x: number | bigint) =>
  bits.constant(Array.from({ length: 16 / bytes }, () => bytesOf(bytes, x)).flat());

export const i32x4 = {
  constant: constantOf(4),
  splat: (x: Value<'i32'>): Vector => value('v128', x.code, simd(0x11)),
  add: two(0xae),
  sub: two(0xb1),
  mul: two(0xb5),
  min: two(0xb6),
  max: two(0xb8),
  abs: one(0xa0),
  neg: one(0xa1),
  shl: shift(0xab),
  shrS: shift(0xac),
  shrU: shift(0xad),
  eq: two(0x37),
  ne: two(0x38),
  lt: two(0x39),
  gt: two(0x3b),
  le: two(0x3d),
  ge: two(0x3f),
} as const;

const ltS64 = two(0xd8);
const gtS64 = two(0xd9);

export const i64x2 = {
  constant: constantOf(8),
  splat: (x: Value<'i64'>): Vector => value('v128', x.code, simd(0x12)),
  add: two(0xce),
  sub: two(0xd1),
  mul: two(0xd5),
  min: (a: Vector, b: Vector): Vector => bits.select(ltS64(a, b), a, b),
  max: (a: Vector, b: Vector): Vector => bits.select(gtS64(a, b), a, b),
  abs: one(0xc0),
  neg: one(0xc1),
  shl: shift(0xcb),
  shrS: shift(0xcc),
  shrU: shift(0xcd),
  eq: two(0xd6),
  ne: two(0xd7),
  lt: ltS64,
  gt: gtS64,
  le: two(0xda),
  ge: two(0xdb),
} as const;

/** Bytes `from` of the 32 bytes of `a` and `b`. */
export const shuffle = (a: Vector, b: Vector, from: readonly number[]): Vector =>
  value('v128', a.code, b.code, simd(0x0d), from);

const extendLow = one(0xc7);
const extendHigh = one(0xc8);
/** Two lanes of 32 bits as lanes of 64. */
export const extend32 = (x: Vector, half: 'low' | 'high'): Vector =>
  half === 'low' ? extendLow(x) : extendHigh(x);

/** Whether any bit is set. */
export const anyTrue = (x: Vector): Value<'i32'> => value('i32', x.code, simd(0x53));

/** The two lower float32 lanes as float64. */
export const promoteLow = one(0x5f);
export const promoteHigh = (x: Vector): Vector => promoteLow(shuffle32(x, [2, 3, 0, 1]));
/** Two float64 lanes as float32 in the lower lanes, zeros above. */
export const demoteLow = one(0x5e);
/** The float32 numbers of two vectors of float64. */
export const demote = (low: Vector, high: Vector): Vector =>
  shuffle(
    demoteLow(low),
    demoteLow(high),
    [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23],
  );

const narrow16 = two(0x85);
const narrow8 = two(0x65);
const EVEN_WORDS = [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27];

/**
 * Masks of lanes of `bytes` bytes as one byte for each lane, 1 or 0, in order from the lowest byte on.
 * One, two or four vectors.
 */
export function packMasks(bytes: 4 | 8, masks: readonly Vector[]): Vector {
  if (bytes === 8) {
    const pairs = Array.from({ length: Math.ceil(masks.length / 2) }, (_, i) =>
      shuffle(masks[2 * i], masks[2 * i + 1] ?? masks[2 * i], EVEN_WORDS),
    );
    return packMasks(4, pairs);
  }
  const halves = Array.from({ length: Math.ceil(masks.length / 2) }, (_, i) =>
    narrow16(masks[2 * i], masks[2 * i + 1] ?? masks[2 * i]),
  );
  return bits.and(narrow8(halves[0], halves[1] ?? halves[0]), i32x4.constant(0x01010101));
}

/** The mask of lanes of `bytes` bytes whose byte of `x` is not 0; the bytes start at the lowest. */
export function unpackMask(bytes: 4 | 8, x: Vector): Vector {
  const zero = i32x4.constant(0);
  const spread = Array.from({ length: 16 }, (_, i) => (i % bytes === 0 ? i / bytes : 16));
  const wide = shuffle(x, zero, spread);
  return bytes === 4 ? i32x4.ne(wide, zero) : i64x2.ne(wide, zero);
}
