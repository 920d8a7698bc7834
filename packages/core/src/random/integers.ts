// Random integers (ATen/native/DistributionTemplates.h and cpu/DistributionTemplates.h): a word of
// 32 bits modulo the range, or one of 64 where the range or the dtype is wide.

import { argumentError } from '../errors.js';
import { bytesPerElement, type DType, kindOf } from '../tensor/dtype.js';
import {
  DIGITS,
  type FloatDType,
  fillWith,
  type IntegerArray,
  isFloatDType,
  ROUND,
} from './arrays.js';
import type { Generator } from './generator.js';

type Integer = number | bigint;

const LOWEST = -(2n ** 63n);
const WIDE = 2n ** 32n;
/** The dtypes that take 64-bit words for a range of 2^32 or more. */
const WIDE_DTYPES: readonly DType[] = ['int64', 'float64', 'float32', 'bfloat16'];

/** Integers from `low` to `high` - 1, of `dtype`. */
export function fillRandint(
  out: IntegerArray,
  low: Integer,
  high: Integer,
  generator: Generator,
  dtype: DType = 'int64',
): void {
  let from = toInteger('from', low);
  let to = toInteger('to', high);
  if (from >= to) throw emptyRange(from, to);
  if (isFloatDType(dtype)) {
    from = inside(from, from + 1n, dtype);
    to = inside(to, to - 1n, dtype);
    if (from >= to) throw emptyRange(from, to, ' casted to dtype');
  }
  checkBounds('from', from, dtype);
  checkBounds('to - 1', to - 1n, dtype);
  fillRange(out, from, to - from, generator, dtype);
}

/** Integers from `low` to the largest of `dtype`; of a float, up to 2 to its digits. */
export function fillFrom(
  out: IntegerArray,
  low: Integer,
  generator: Generator,
  dtype: DType = 'int64',
): void {
  let from = toInteger('from', low);
  if (from === LOWEST) {
    fillFullRange(out, generator, dtype);
    return;
  }
  const last = largest(dtype);
  if (isFloatDType(dtype)) {
    from = inside(from, from + 1n, dtype);
    if (from >= last)
      throw argumentError(
        "random_ expects 'from' casted to dtype to be less than or equal to 'to_inc' casted to dtype, " +
          `but got from=${from} > to_inc=${last}`,
      );
  }
  checkBounds('from', from, dtype);
  fillRange(out, from, last - from + 1n, generator, dtype);
}

/** Integers from 0 to the largest of `dtype`; of a float, up to 2 to its digits (`random_()`). */
export function fillRandom(out: IntegerArray, generator: Generator, dtype: DType = 'int64'): void {
  const range = largest(dtype) + 1n;
  const narrow = Number(range);
  const twoWords = dtype === 'int64' || dtype === 'float64';
  fillWith(out, () => (twoWords ? generator.uint64() % range : generator.uint32() % narrow));
}

/** A random order of 0 to n - 1: the shuffle of Fisher and Yates from the front (`randperm`). */
export function fillPermutation(out: IntegerArray, generator: Generator): void {
  const { length } = out;
  fillWith(out, (i) => i);
  const cells: Cells = out;
  for (let i = 0; i < length - 1; i++) {
    const other = i + (generator.uint32() % (length - i));
    const kept = cells[i];
    cells[i] = cells[other];
    cells[other] = kept;
  }
}

interface Cells {
  [index: number]: Integer;
}

function fillRange(
  out: IntegerArray,
  base: bigint,
  range: bigint,
  generator: Generator,
  dtype: DType,
): void {
  const convert = converter(dtype);
  if (range >= WIDE && WIDE_DTYPES.includes(dtype)) {
    fillWith(out, () => convert(base + (generator.uint64() % range)));
    return;
  }
  const narrow = Number(range);
  const start = Number(base);
  const safe = Number.isSafeInteger(start) && Number.isSafeInteger(start + narrow);
  fillWith(out, () => {
    const offset = generator.uint32() % narrow;
    return safe ? start + offset : convert(base + BigInt(offset));
  });
}

function fillFullRange(out: IntegerArray, generator: Generator, dtype: DType): void {
  if (!WIDE_DTYPES.includes(dtype))
    throw argumentError(
      'random_full_64_bits_range_kernel_cpu handles only int64, double, float and bfloat16',
    );
  const convert = converter(dtype);
  fillWith(out, () => convert(BigInt.asIntN(64, generator.uint64())));
}

/** From a 64-bit integer to what an array of `dtype` takes. */
const converter = (dtype: DType): ((value: bigint) => Integer) =>
  isFloatDType(dtype) ? floatConverter(dtype) : (value) => value;

/** From a 64-bit integer to a float, rounded once. */
function floatConverter(dtype: FloatDType): (value: bigint) => number {
  if (dtype === 'float64') return Number;
  const round = ROUND[dtype];
  return (value) => {
    // The bits below the first 53 cannot be seen, but that some are set can decide a tie.
    const magnitude = value < 0n ? -value : value;
    const odd = (magnitude & 0x7ffn) === 0n ? 0n : 1n;
    const rounded = round(
      magnitude < 2n ** 53n ? Number(magnitude) : Number((magnitude >> 11n) | odd) * 2 ** 11,
    );
    return value < 0n ? -rounded : rounded;
  };
}

/**
 * `bound`, unless its neighbour inside the range rounds to it or beyond: then the next number of
 * `dtype` further inside, so that no rounded draw leaves the range.
 */
function inside(bound: bigint, neighbour: bigint, dtype: FloatDType): bigint {
  const nearest = floatConverter(dtype)(neighbour);
  if (!Number.isFinite(nearest)) return bound; // for checkBounds to refuse
  const rounded = BigInt(nearest);
  const inwards = neighbour - bound; // 1 or -1
  if (inwards > 0n ? rounded >= bound : rounded < bound) return bound;
  const magnitude = neighbour < 0n ? -neighbour : neighbour;
  const exponent = magnitude.toString(2).length - 1;
  return rounded + inwards * 2n ** BigInt(exponent - DIGITS[dtype] + 1);
}

function largest(dtype: DType): bigint {
  if (isFloatDType(dtype)) return 2n ** BigInt(DIGITS[dtype]);
  if (dtype === 'bool') return 1n;
  const bits = BigInt(8 * bytesPerElement(dtype));
  return 2n ** (dtype === 'uint8' ? bits : bits - 1n) - 1n;
}

function checkBounds(name: string, value: bigint, dtype: DType): void {
  const lowest = dtype === 'bool' || dtype === 'uint8' ? 0n : -largest(dtype) - 1n;
  const fits =
    kindOf(dtype) === 'float'
      ? dtype !== 'float16' || (value >= -65504n && value <= 65504n)
      : value >= lowest && value <= largest(dtype);
  if (!fits) throw argumentError(`${name} is out of bounds for ${dtype}`);
}

const emptyRange = (from: bigint, to: bigint, cast = '') =>
  argumentError(
    `random_ expects 'from'${cast} to be less than 'to'${cast}, but got from=${from} >= to=${to}`,
  );

function toInteger(name: string, value: Integer): bigint {
  if (typeof value !== 'bigint' && !Number.isInteger(value))
    throw argumentError(`random_ expects '${name}' to be an integer, but got ${String(value)}`);
  const integer = BigInt(value);
  if (integer < LOWEST || integer > -LOWEST)
    throw argumentError(`random_ expects '${name}' to be a 64-bit integer, but got ${integer}`);
  return integer;
}
