// Arithmetic on vectors of one floating dtype. Kernels are written once over `Lanes` and emitted for
// float32 (four lanes) and float64 (two).

import { float32Bytes, float64Bytes } from './bytes.js';
import { type Code, type IntLike, load, simd, type Value, value } from './code.js';

export type FloatDType = 'float32' | 'float64';
export type Vector = Value<'v128'>;

const two = (opcode: number) => (a: Vector, b: Vector) =>
  value('v128', a.code, b.code, simd(opcode));
const one = (opcode: number) => (a: Vector) => value('v128', a.code, simd(opcode));

/** Bits, whatever the lanes. */
export const bits = {
  and: two(0x4e),
  /** a & ~b */
  andNot: two(0x4f),
  or: two(0x50),
  xor: two(0x51),
  not: one(0x4d),
  /** Bits of `a` where `mask` has ones, of `b` elsewhere. */
  select: (mask: Vector, a: Vector, b: Vector): Vector =>
    value('v128', a.code, b.code, mask.code, simd(0x52)),
  constant: (bytes: readonly number[]): Vector => value('v128', simd(0x0c), bytes),
} as const;

/** Opcodes that differ between the two formats, f32x4 first. */
const TABLE = {
  add: [0xe4, 0xf0],
  sub: [0xe5, 0xf1],
  mul: [0xe6, 0xf2],
  div: [0xe7, 0xf3],
  min: [0xe8, 0xf4], // NaN if either is, as PyTorch's minimum
  max: [0xe9, 0xf5],
  /** b < a ? b : a, one instruction: `a` where either is NaN, and where both are zeros. */
  lower: [0xea, 0xf6],
  /** a < b ? b : a, likewise. */
  upper: [0xeb, 0xf7],
  eq: [0x41, 0x47],
  ne: [0x42, 0x48],
  lt: [0x43, 0x49],
  gt: [0x44, 0x4a],
  le: [0x45, 0x4b],
  ge: [0x46, 0x4c],
} as const;

const TABLE_ONE = {
  abs: [0xe0, 0xec],
  neg: [0xe1, 0xed],
  sqrt: [0xe3, 0xef],
  ceil: [0x67, 0x74],
  floor: [0x68, 0x75],
  trunc: [0x69, 0x7a],
  nearest: [0x6a, 0x94],
} as const;

type Two = Record<keyof typeof TABLE, (a: Vector, b: Vector) => Vector>;
type One = Record<keyof typeof TABLE_ONE, (a: Vector) => Vector>;

const table = <K extends string, F>(
  opcodes: Record<K, readonly [number, number]>,
  make: (opcode: number) => F,
  column: 0 | 1,
) =>
  Object.fromEntries(
    Object.entries<readonly [number, number]>(opcodes).map(([name, row]) => [
      name,
      make(row[column]),
    ]),
  ) as Record<K, F>;

export interface Lanes extends Two, One {
  readonly dtype: FloatDType;
  /** Bytes of one number. */
  readonly bytes: 4 | 8;
  /** Numbers in a vector. */
  readonly count: 4 | 2;
  readonly zero: Vector;
  constant(x: number): Vector;
  /** One number of memory in every lane. */
  loadSplat(address: IntLike, offset?: number): Vector;
  /** One number of memory in the lowest lane, zeros above. */
  loadOne(address: IntLike, offset?: number): Vector;
  /** a · b + c: one rounding where the device has fused arithmetic, else two. */
  multiplyAdd(a: Vector, b: Vector, c: Vector): Vector;
  storeLane(f: Code, address: IntLike, x: Vector, lane: number, offset?: number): void;
  /** The sum of all lanes, pairwise, as a vector with it in the lowest lane. */
  horizontal(combine: (a: Vector, b: Vector) => Vector, x: Vector): Vector;
}

/** Lane `from[i]` of `x` in lane i, for lanes of 32 bits. */
export const shuffle32 = (x: Vector, from: readonly number[]): Vector =>
  value(
    'v128',
    x.code,
    x.code,
    simd(0x0d),
    from.flatMap((lane) => [0, 1, 2, 3].map((b) => lane * 4 + b)),
  );

function lanesOf(dtype: FloatDType, fma: boolean): Lanes {
  const column = dtype === 'float32' ? 0 : 1;
  const bytes = dtype === 'float32' ? 4 : 8;
  const operations = table(TABLE, two, column);
  const constant = (x: number) => {
    const number = dtype === 'float32' ? float32Bytes(x) : float64Bytes(x);
    return bits.constant(Array.from({ length: 16 / bytes }, () => number).flat());
  };
  const fused = simd(dtype === 'float32' ? 0x105 : 0x107); // relaxed_madd
  return {
    dtype,
    bytes,
    count: dtype === 'float32' ? 4 : 2,
    ...operations,
    ...table(TABLE_ONE, one, column),
    zero: constant(0),
    constant,
    loadSplat: dtype === 'float32' ? load.splat32 : load.splat64,
    loadOne: dtype === 'float32' ? load.zero32 : load.zero64,
    multiplyAdd: (a, b, c) =>
      fma ? value('v128', a.code, b.code, c.code, fused) : operations.add(operations.mul(a, b), c),
    storeLane: (f, address, x, lane, offset = 0) => f.storeLane(bytes, address, x, lane, offset),
    horizontal: (combine, x) => {
      const halves = combine(x, shuffle32(x, [2, 3, 0, 1]));
      return dtype === 'float64' ? halves : combine(halves, shuffle32(halves, [1, 0, 3, 2]));
    },
  };
}

const known = new Map<string, Lanes>();

/** Arithmetic on vectors of `dtype`; `fma` needs relaxed SIMD. */
export function lanes(dtype: FloatDType, fma = false): Lanes {
  const key = `${dtype} ${fma}`;
  const found = known.get(key) ?? lanesOf(dtype, fma);
  known.set(key, found);
  return found;
}
