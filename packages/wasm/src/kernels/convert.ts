// Elements in another dtype, by the rules of the reference: as C converts, integers wrap.

import { bytesPerElement, type DType } from '@voxgrad/core';
import {
  type Code,
  f64Const,
  i32,
  i64Const,
  int,
  type Local,
  load,
  select,
  type Type,
  type Value,
} from '../emit/code.js';
import { demote, promoteHigh, promoteLow } from '../emit/integers.js';
import { f32, f64, i64, truncated } from '../emit/numbers.js';
import { forItems, words } from './arguments.js';
import { type Engine, kernelOf } from './engine.js';

/** Elements of an item. */
const PART = 32_768;

const READ = {
  bool: load.u8,
  uint8: load.u8,
  int8: load.s8,
  int16: load.s16,
  int32: load.i32,
  int64: load.i64,
  float32: load.f32,
  float64: load.f64,
} as const;

type Convertible = keyof typeof READ;

const isConvertible = (dtype: DType): dtype is Convertible => dtype in READ;

export const converts = (from: DType, to: DType): boolean =>
  isConvertible(from) && isConvertible(to);

/** Converts `length` elements that follow each other. */
export function convertRun(
  engine: Engine,
  from: DType,
  to: DType,
  source: number,
  target: number,
  length: number,
): void {
  if (!isConvertible(from) || !isConvertible(to)) throw new Error(`no ${from} → ${to}`);
  const kernel = kernelOf(engine, `convert ${from} ${to}`, (builder) => {
    const { f } = builder;
    const a = words(builder, ['source', 'target', 'length'] as const);
    const [fromBytes, toBytes] = [bytesPerElement(from), bytesPerElement(to)];
    forItems(builder, (item) => {
      const first = f.int(i32.mul(item, PART));
      const count = f.int(i32.min(PART, i32.sub(a.length, first)));
      const x = f.int(i32.add(a.source, i32.mul(first, fromBytes)));
      const y = f.int(i32.add(a.target, i32.mul(first, toBytes)));
      const end = f.int(i32.add(y, i32.mul(count, toBytes)));
      if (from === 'float32' && to === 'float64') widen(f, x, y, count);
      if (from === 'float64' && to === 'float32') narrow(f, x, y, count);
      f.for(y, end, toBytes, () => {
        const read: Value = READ[from](x);
        f.store(STORE[to], y, converted(f, read, to));
        f.advance(x, fromBytes);
      });
    });
  });
  engine.team.run(kernel, Math.ceil(length / PART), [source, target, length]);
}

function widen(f: Code, x: Local<'i32'>, y: Local<'i32'>, count: Value<'i32'>): void {
  const end = f.int(i32.add(x, i32.mul(i32.and(count, -4), 4)));
  f.for(x, end, 16, () => {
    const four = f.local('v128', load.v128(x));
    f.store('v128', y, promoteLow(four));
    f.store('v128', y, promoteHigh(four), 16);
    f.advance(y, 32);
  });
}

function narrow(f: Code, x: Local<'i32'>, y: Local<'i32'>, count: Value<'i32'>): void {
  const end = f.int(i32.add(x, i32.mul(i32.and(count, -4), 8)));
  f.for(x, end, 32, () => {
    f.store('v128', y, demote(load.v128(x), load.v128(x, 16)));
    f.advance(y, 16);
  });
}

const isType = <T extends Type>(x: Value, type: T): x is Value<T> => x.type === type;

const STORE = {
  bool: 'u8',
  uint8: 'u8',
  int8: 'u8',
  int16: 'u16',
  int32: 'i32',
  int64: 'i64',
  float32: 'f32',
  float64: 'f64',
} as const;

function converted(f: Code, x: Value, to: Convertible): Value {
  switch (to) {
    case 'bool':
      return truth(x);
    case 'int64':
      return asInt64(f, x);
    case 'float32':
      return isType(x, 'i32') ? f32.ofI32(x) : f32.ofF64(asFloat64(x));
    case 'float64':
      return asFloat64(x);
    default:
      return asInt32(f, x);
  }
}

function asFloat64(x: Value): Value<'f64'> {
  if (isType(x, 'f64')) return x;
  if (isType(x, 'f32')) return f64.ofF32(x);
  if (isType(x, 'i64')) return f64.ofI64(x);
  return f64.ofI32(x as Value<'i32'>);
}

/** NaN is true. */
function truth(x: Value): Value<'i32'> {
  if (isType(x, 'i32')) return i32.ne(x, 0);
  if (isType(x, 'i64')) return i64.ne(x, i64Const(0n));
  return f64.ne(asFloat64(x), f64Const(0));
}

/** Truncated; NaN and what is out of range become the smallest number. Narrower dtypes keep low bits. */
function asInt32(f: Code, x: Value): Value<'i32'> {
  if (isType(x, 'i32')) return x;
  if (isType(x, 'i64')) return i64.low(x);
  const number = f.local('f64', asFloat64(x));
  const above = f64.gt(number, f64Const(-(2 ** 31) - 1));
  const inRange = i32.and(above, f64.lt(number, f64Const(2 ** 31)));
  return select(inRange, truncated(number), int(-(2 ** 31)));
}

/** The same in 64 bits. */
function asInt64(f: Code, x: Value): Value<'i64'> {
  if (isType(x, 'i64')) return x;
  if (isType(x, 'i32')) return i64.ofI32(int(x));
  const number = f.local('f64', asFloat64(x));
  const inRange = f64.lt(number, f64Const(2 ** 63));
  return select(inRange, i64.ofF64(number), i64Const(-(2n ** 63n)));
}
