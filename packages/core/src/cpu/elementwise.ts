import type { BinaryName, CompareName, UnaryName } from '../device/device.js';
import { argumentError, dtypeError } from '../errors.js';
import { allocateHost, type DType, isFloat } from '../tensor/dtype.js';
import { numelOf } from '../tensor/shape.js';
import { Storage, type View } from '../tensor/storage.js';
import { curveOf, type RareCurve } from './rare-curves.js';
import { rowMajor } from './rows.js';
import { erf, erfc } from './special.js';

type Numbers = Float64Array<ArrayBuffer>; // stands for every array whose elements are numbers

/** Round half to even, as C's nearbyint; small negative numbers become −0. */
function roundHalfEven(x: number): number {
  const below = Math.floor(x);
  const rest = x - below;
  const up = rest > 0.5 || (rest === 0.5 && below % 2 !== 0);
  const nearest = up ? below + 1 : below;
  return nearest === 0 ? x * 0 : nearest;
}

const UNARY: Record<Exclude<UnaryName, RareCurve>, (x: number) => number> = {
  neg: (x) => -x,
  abs: Math.abs,
  sign: (x) => (x > 0 ? 1 : x < 0 ? -1 : 0), // PyTorch: sign(NaN) = 0
  exp: Math.exp,
  expm1: Math.expm1,
  log: Math.log,
  log1p: Math.log1p,
  sqrt: Math.sqrt,
  rsqrt: (x) => 1 / Math.sqrt(x),
  reciprocal: (x) => 1 / x,
  sin: Math.sin,
  cos: Math.cos,
  tan: Math.tan,
  tanh: Math.tanh,
  sigmoid: (x) => 1 / (1 + Math.exp(-x)),
  relu: (x) => (x < 0 ? 0 : x), // keeps NaN
  floor: Math.floor,
  ceil: Math.ceil,
  round: roundHalfEven,
  trunc: Math.trunc,
  asin: Math.asin,
  acos: Math.acos,
  atan: Math.atan,
  sinh: Math.sinh,
  cosh: Math.cosh,
  asinh: Math.asinh,
  acosh: Math.acosh,
  atanh: Math.atanh,
  exp2: (x) => 2 ** x,
  log2: Math.log2,
  log10: Math.log10,
  erf,
  erfc,
};

const BIG_UNARY: Partial<Record<UnaryName, (x: bigint) => bigint>> = {
  neg: (x) => -x,
  abs: (x) => (x < 0n ? -x : x),
  sign: (x) => (x > 0n ? 1n : x < 0n ? -1n : 0n),
  relu: (x) => (x < 0n ? 0n : x),
  floor: (x) => x,
  ceil: (x) => x,
  round: (x) => x,
  trunc: (x) => x,
};

function numberUnary(op: UnaryName, dtype: DType): (x: number) => number {
  if (op !== 'erfinv' && op !== 'lgamma' && op !== 'digamma') return UNARY[op];
  // Where single precision is not the rounding of double precision, PyTorch's is followed.
  const curve = curveOf(op === 'erfinv' && dtype === 'float32' ? 'erfinv32' : op);
  return (x) => curve(x, 0);
}

export function unary(op: UnaryName, x: View): Storage {
  const out = allocateHost(x.dtype, numelOf(x.shape));
  if (x.dtype === 'int64') {
    const f = BIG_UNARY[op];
    if (!f) throw dtypeError(`${op} is not defined for int64; convert to a float dtype first`);
    mapInto(out as BigInt64Array<ArrayBuffer>, rowMajor<BigInt64Array<ArrayBuffer>>(x), f);
  } else {
    mapInto(out as Numbers, rowMajor<Numbers>(x), numberUnary(op, x.dtype));
  }
  return new Storage(x.dtype, out);
}

/** `gradOutput` where `output` is above 0 or NaN, else 0. */
export function reluBackward(gradOutput: View, output: View): Storage {
  const [g, y] = [rowMajor<Numbers>(gradOutput), rowMajor<Numbers>(output)];
  const out = allocateHost(gradOutput.dtype, g.length) as Numbers;
  for (let i = 0; i < out.length; i++) out[i] = y[i] <= 0 ? 0 : g[i];
  return new Storage(gradOutput.dtype, out);
}

function mapInto<T>(out: { [i: number]: T; length: number }, x: ArrayLike<T>, f: (x: T) => T) {
  for (let i = 0; i < out.length; i++) out[i] = f(x[i]);
}

const isNegative = (x: number) => x < 0 || Object.is(x, -0);

/** The remainder with the sign of the divisor, as Python's %; inf where −x meets inf [PyTorch]. */
function remainder(a: number, b: number): number {
  const rest = a % b;
  return rest !== 0 && rest < 0 !== b < 0 ? rest + b : rest;
}

/** ⌊a / b⌋ by way of the exact remainder, so that 0.3 / 0.1 does not round up first. */
function floorDivide(a: number, b: number): number {
  const quotient = a / b;
  if (b === 0) return quotient;
  const rest = a % b;
  let exact = (a - rest) / b; // a whole number, but for rounding
  if (rest !== 0 && rest < 0 !== b < 0) exact -= 1;
  if (exact === 0) return isNegative(quotient) ? -0 : 0;
  const below = Math.floor(exact);
  return exact - below > 0.5 ? below + 1 : below;
}

function nonzeroDivisor<T extends number | bigint>(f: (a: T, b: T) => T): (a: T, b: T) => T {
  return (a, b) => {
    if (Number(b) === 0) throw argumentError('ZeroDivisionError');
    return f(a, b);
  };
}

const NUMBER_BINARY: Record<BinaryName, (a: number, b: number) => number> = {
  add: (a, b) => a + b,
  sub: (a, b) => a - b,
  mul: (a, b) => a * b,
  div: (a, b) => a / b,
  // IEEE pow(1, NaN) and pow(1, ±inf) are 1, which JavaScript's ** does not follow.
  pow: (a, b) => (a === 1 ? 1 : a === -1 && (b === Infinity || b === -Infinity) ? 1 : a ** b),
  maximum: Math.max, // both propagate NaN, as PyTorch
  minimum: Math.min,
  atan2: Math.atan2,
  hypot: Math.hypot,
  copysign: (a, b) => (isNegative(a) === isNegative(b) ? a : -a),
  remainder,
  fmod: (a, b) => a % b,
  floorDivide,
  zeta: (s, q) => curveOf('zeta')(s, q),
};

/** aᵇ modulo 2³² by repeated squaring: the write keeps what the dtype holds. */
function integerPower(a: number, b: number): number {
  if (b < 0) return a === 1 ? 1 : a === -1 ? (b % 2 === 0 ? 1 : -1) : 0;
  let [power, square] = [1, a];
  for (let rest = b; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) power = Math.imul(power, square);
    square = Math.imul(square, square);
  }
  return power;
}

const INTEGER_BINARY: typeof NUMBER_BINARY = {
  ...NUMBER_BINARY,
  pow: integerPower,
  remainder: nonzeroDivisor(remainder),
  fmod: nonzeroDivisor((a, b) => a % b),
  floorDivide: nonzeroDivisor((a, b) => Math.floor(a / b)),
};

// Two 32-bit integers multiply to more than 53 bits, so the product needs its own route.
const INT32_BINARY = { ...INTEGER_BINARY, mul: Math.imul };

const BOOL_BINARY: typeof NUMBER_BINARY = {
  ...INTEGER_BINARY,
  add: (a, b) => a | b,
};

function bigRemainder(a: bigint, b: bigint): bigint {
  const rest = a % b;
  return rest !== 0n && rest < 0n !== b < 0n ? rest + b : rest;
}

const BIG_BINARY: Partial<Record<BinaryName, (a: bigint, b: bigint) => bigint>> = {
  add: (a, b) => a + b,
  sub: (a, b) => a - b,
  mul: (a, b) => a * b,
  remainder: nonzeroDivisor(bigRemainder),
  fmod: nonzeroDivisor((a: bigint, b: bigint) => a % b),
  floorDivide: nonzeroDivisor((a: bigint, b: bigint) => (a - bigRemainder(a, b)) / b),
  pow: (a, b) => {
    if (b < 0n) return a === 1n ? 1n : a === -1n ? (b % 2n === 0n ? 1n : -1n) : 0n;
    let [power, square] = [1n, a];
    for (let rest = b; rest > 0n; rest >>= 1n) {
      if (rest & 1n) power = BigInt.asIntN(64, power * square);
      square = BigInt.asIntN(64, square * square);
    }
    return power;
  },
  maximum: (a, b) => (a > b ? a : b),
  minimum: (a, b) => (a < b ? a : b),
};

function numberBinary(dtype: DType) {
  if (dtype === 'bool') return BOOL_BINARY;
  if (dtype === 'int32') return INT32_BINARY;
  return isFloat(dtype) ? NUMBER_BINARY : INTEGER_BINARY;
}

export function binary(op: BinaryName, a: View, b: View): Storage {
  const out = allocateHost(a.dtype, numelOf(a.shape));
  if (a.dtype === 'int64') {
    const [x, y] = [
      rowMajor<BigInt64Array<ArrayBuffer>>(a),
      rowMajor<BigInt64Array<ArrayBuffer>>(b),
    ];
    const f = BIG_BINARY[op];
    if (!f) throw dtypeError(`${op} is not defined for int64; convert to a float dtype first`);
    for (let i = 0; i < out.length; i++) out[i] = f(x[i], y[i]); // the write wraps to 64 bits
  } else {
    const [x, y] = [rowMajor<Numbers>(a), rowMajor<Numbers>(b)];
    const f = numberBinary(a.dtype)[op];
    for (let i = 0; i < out.length; i++) out[i] = f(x[i], y[i]);
  }
  return new Storage(a.dtype, out);
}

type Ordered = number | bigint;

const COMPARE: Record<CompareName, (a: Ordered, b: Ordered) => boolean> = {
  eq: (a, b) => a === b,
  ne: (a, b) => a !== b,
  lt: (a, b) => a < b,
  le: (a, b) => a <= b,
  gt: (a, b) => a > b,
  ge: (a, b) => a >= b,
};

export function compare(op: CompareName, a: View, b: View): Storage {
  const out = new Uint8Array(numelOf(a.shape));
  const [x, y] = [rowMajor(a), rowMajor(b)];
  const f = COMPARE[op];
  for (let i = 0; i < out.length; i++) out[i] = f(x[i], y[i]) ? 1 : 0;
  return new Storage('bool', out);
}

export function where(condition: View, a: View, b: View): Storage {
  const out = allocateHost(a.dtype, numelOf(a.shape));
  const [c, x, y] = [rowMajor(condition), rowMajor(a), rowMajor(b)];
  for (let i = 0; i < out.length; i++) out[i] = c[i] ? x[i] : y[i];
  return new Storage(a.dtype, out);
}
