// The one home of what each operation is made of, on vectors.

import type { BinaryName, CompareName, UnaryName } from '@voxgrad/core';
import type { Local } from '../emit/code.js';
import { demote, i32x4, i64x2, promoteHigh, promoteLow } from '../emit/integers.js';
import { bits, type Lanes, lanes, type Vector } from '../emit/lanes.js';
import type { ComputeDType } from './expression.js';
import { erf } from './math/error-function.js';
import { exp, exp2, expm1, sigmoid, tanh } from './math/exponential.js';
import { log, log1p, log2, log10 } from './math/logarithm.js';
import { d, type Maths } from './math/maths.js';
import { power } from './math/power.js';
import { cos, sin } from './math/trigonometry.js';

/** What operations are written with. */
export interface Emission {
  readonly dtype: ComputeDType;
  /** A number in every lane, set up before the loop. */
  constant(x: number | bigint): Vector;
  /** A value that is used more than once. */
  hold(x: Vector): Local<'v128'>;
  /** For float64 lanes, whatever the dtype. */
  readonly maths: Maths;
}

type Unary = (e: Emission, x: Vector) => Vector;
type Binary = (e: Emission, a: Vector, b: Vector) => Vector;

const floats = (e: Emission): Lanes => lanes(e.dtype === 'float64' ? 'float64' : 'float32');
const whole = (e: Emission) => (e.dtype === 'int64' ? i64x2 : i32x4);

const plain =
  (name: 'abs' | 'neg' | 'sqrt' | 'ceil' | 'floor' | 'trunc' | 'nearest'): Unary =>
  (e, x) =>
    floats(e)[name](x);

/** In float64 lanes, for float32 too. */
const wide =
  (f: (m: Maths, x: Vector) => Vector): Unary =>
  (e, x) => {
    if (e.dtype === 'float64') return f(e.maths, x);
    const low = e.hold(f(e.maths, e.hold(promoteLow(x))));
    return demote(low, e.hold(f(e.maths, e.hold(promoteHigh(x)))));
  };

const rsqrt = (m: Maths, x: Vector) => d.div(m.constant(1), d.sqrt(x));

/** Operations that are many instructions: kernels do not repeat them side by side. */
const LONG: Partial<Record<UnaryName, Unary>> = {
  exp: wide(exp),
  exp2: wide(exp2),
  expm1: wide(expm1),
  log: wide(log),
  log1p: wide(log1p),
  log2: wide(log2),
  log10: wide(log10),
  tanh: wide(tanh),
  sigmoid: wide(sigmoid),
  erf: wide(erf),
  sin: wide(sin), // of moderate numbers: see TRIGONOMETRIC_LIMIT
  cos: wide(cos),
};

const FLOAT_UNARY: Partial<Record<UnaryName, Unary>> = {
  ...LONG,
  neg: plain('neg'),
  abs: plain('abs'),
  sqrt: plain('sqrt'),
  ceil: plain('ceil'),
  floor: plain('floor'),
  trunc: plain('trunc'),
  round: plain('nearest'),
  rsqrt: wide(rsqrt),
  reciprocal: (e, x) => floats(e).div(e.constant(1), x),
  relu: (e, x) => floats(e).upper(x, e.constant(0)), // x < 0 ? 0 : x
  sign: (e, x) => {
    const v = floats(e);
    return bits.or(
      bits.and(v.gt(x, e.constant(0)), e.constant(1)),
      bits.and(v.lt(x, e.constant(0)), e.constant(-1)),
    );
  },
};

const same: Unary = (_e, x) => x;

const INTEGER_UNARY: Partial<Record<UnaryName, Unary>> = {
  neg: (e, x) => whole(e).neg(x),
  abs: (e, x) => whole(e).abs(x),
  relu: (e, x) => bits.and(x, whole(e).gt(x, e.constant(0))),
  sign: (e, x) => whole(e).sub(whole(e).gt(e.constant(0), x), whole(e).gt(x, e.constant(0))), // a mask is −1
  floor: same,
  ceil: same,
  round: same,
  trunc: same,
};

const FLOAT_BINARY: Partial<Record<BinaryName, Binary>> = {
  add: (e, a, b) => floats(e).add(a, b),
  sub: (e, a, b) => floats(e).sub(a, b),
  mul: (e, a, b) => floats(e).mul(a, b),
  div: (e, a, b) => floats(e).div(a, b),
  maximum: (e, a, b) => floats(e).max(a, b),
  minimum: (e, a, b) => floats(e).min(a, b),
  // A NaN has no sign.
  copysign: (e, a, b) => bits.select(e.constant(-0), bits.and(b, floats(e).eq(b, b)), a),
};

const INTEGER_BINARY: Partial<Record<BinaryName, Binary>> = {
  add: (e, a, b) => whole(e).add(a, b),
  sub: (e, a, b) => whole(e).sub(a, b),
  mul: (e, a, b) => whole(e).mul(a, b),
  maximum: (e, a, b) => whole(e).max(a, b),
  minimum: (e, a, b) => whole(e).min(a, b),
};

/** For float32, in float64 lanes. */
const pow: Binary = (e, a, b) => {
  const low = e.hold(power(e.maths, e.hold(promoteLow(a)), e.hold(promoteLow(b))));
  const high = power(e.maths, e.hold(promoteHigh(a)), e.hold(promoteHigh(b)));
  return demote(low, e.hold(high));
};

const isFloatDType = (dtype: ComputeDType) => dtype === 'float32' || dtype === 'float64';

export const unaryOf = (dtype: ComputeDType, op: UnaryName): Unary | undefined =>
  (isFloatDType(dtype) ? FLOAT_UNARY : INTEGER_UNARY)[op];

export const binaryOf = (dtype: ComputeDType, op: BinaryName): Binary | undefined =>
  op === 'pow' && dtype === 'float32'
    ? pow
    : (isFloatDType(dtype) ? FLOAT_BINARY : INTEGER_BINARY)[op];

/** Whether an expression in `dtype` may contain the operation. */
export const hasUnary = (dtype: ComputeDType, op: UnaryName): boolean =>
  unaryOf(dtype, op) !== undefined;
export const hasBinary = (dtype: ComputeDType, op: BinaryName): boolean =>
  binaryOf(dtype, op) !== undefined;

export const isLong = (op: UnaryName | BinaryName): boolean =>
  op in LONG || op === 'rsqrt' || op === 'pow';

/** The mask of lanes where the comparison holds. */
export const compareOf = (e: Emission, op: CompareName, a: Vector, b: Vector): Vector =>
  isFloatDType(e.dtype) ? floats(e)[op](a, b) : whole(e)[op](a, b);
