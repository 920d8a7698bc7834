// Functions that tfjs lacks, or means differently, out of those that it has. Accurate to float32 where
// the result is not tiny beside 1; formulas are numbered by the NIST Digital Library of Mathematical
// Functions (dlmf.nist.gov).

import type { BinaryName, UnaryName } from '@voxgrad/core';
import type { Backend, TfTensor } from './backend.js';
import { select } from './layout.js';

type Unary = (backend: Backend, x: TfTensor) => TfTensor;
type Binary = (backend: Backend, a: TfTensor, b: TfTensor) => TfTensor;

const { log, PI, sqrt } = Math;
const HALF_LOG_2PI = 0.5 * log(2 * PI);

/** (ζ(k) − 1) (−1)ᵏ / k from k = 2: log Γ(2 + x) about 0 (DLMF 5.7.3), highest power first. */
const LOG_GAMMA_AT_2 = Array.from({ length: 12 }, (_, i) => {
  const k = 13 - i;
  let rest = 0;
  for (let n = 2000; n >= 2; n--) rest += n ** -k;
  return ((-1) ** k * (k === 2 ? PI ** 2 / 6 - 1 : rest)) / k;
});
/** 1 − γ, with Euler's constant. */
const SLOPE_AT_2 = 0.42278433509846713;

/** Horner's scheme, highest power first. */
function polynomial(backend: Backend, x: TfTensor, coefficients: readonly number[]): TfTensor {
  const { tf } = backend;
  return coefficients
    .slice(1)
    .reduce<TfTensor>(
      (sum, c) => tf.add(tf.mul(sum, x), backend.scalar(c)),
      tf.mul(tf.onesLike(x), backend.scalar(coefficients[0])),
    );
}

const isNan = ({ tf }: Backend, x: TfTensor): TfTensor => tf.isNaN(x);

/** log Γ(x) for x ≥ ½: moved to about 2 by Γ(x + 1) = x Γ(x), or from 8 on DLMF 5.11.1. */
function logGammaRight(backend: Backend, x: TfTensor): TfTensor {
  const { tf } = backend;
  const s = (n: number) => backend.scalar(n);
  const isLarge = tf.greaterEqual(x, s(8));
  let z = select(backend, isLarge, s(2), x);
  let divisor: TfTensor = tf.onesLike(z);
  let factor: TfTensor = tf.onesLike(z);
  const isLow = tf.less(z, s(1.5));
  divisor = select(backend, isLow, z, divisor);
  z = tf.add(z, backend.toFloat(isLow));
  for (let step = 0; step < 6; step++) {
    const isHigh = tf.greater(z, s(2.5));
    z = tf.sub(z, backend.toFloat(isHigh));
    factor = select(backend, isHigh, tf.mul(factor, z), factor);
  }
  const t = tf.sub(z, s(2));
  const near = tf.mul(t, polynomial(backend, t, [...LOG_GAMMA_AT_2, SLOPE_AT_2]));
  const small = tf.add(near, tf.log(tf.div(factor, divisor)));
  const inverse = tf.reciprocal(x);
  const tail = tf.mul(inverse, polynomial(backend, tf.mul(inverse, inverse), [-1 / 360, 1 / 12]));
  const main = tf.sub(tf.mul(tf.sub(x, s(0.5)), tf.log(x)), x);
  return select(backend, isLarge, tf.add(tf.add(main, s(HALF_LOG_2PI)), tail), small);
}

/** DLMF 5.5.3 left of ½. */
function lgamma(backend: Backend, x: TfTensor): TfTensor {
  const { tf } = backend;
  const s = (n: number) => backend.scalar(n);
  const isLeft = tf.less(x, s(0.5));
  const right = logGammaRight(backend, select(backend, isLeft, tf.sub(s(1), x), x));
  // sin πx of the distance to the nearest integer, so that poles are exact.
  const distance = tf.sub(x, tf.round(x));
  const sine = tf.abs(wave(0)(backend, tf.mul(distance, s(PI))));
  const reflected = tf.sub(tf.sub(s(log(PI)), tf.log(sine)), right);
  const y = select(backend, isLeft, reflected, right);
  return select(backend, tf.equal(tf.abs(x), s(Number.POSITIVE_INFINITY)), tf.abs(x), y);
}

/** ψ(x): DLMF 5.5.2 up to x ≥ 6, then 5.11.2; 5.5.4 left of 0. */
function digamma(backend: Backend, x: TfTensor): TfTensor {
  const { tf } = backend;
  const s = (n: number) => backend.scalar(n);
  const isLeft = tf.less(x, s(0));
  let z = select(backend, isLeft, tf.sub(s(1), x), x);
  let sum: TfTensor = tf.zerosLike(z);
  for (let step = 0; step < 6; step++) {
    const isSmall = tf.less(z, s(6));
    sum = tf.sub(sum, select(backend, isSmall, tf.reciprocal(z), s(0)));
    z = tf.add(z, backend.toFloat(isSmall));
  }
  const square = tf.reciprocal(tf.mul(z, z));
  const tail = tf.mul(square, polynomial(backend, square, [1 / 252, -1 / 120, 1 / 12]));
  const series = tf.sub(tf.sub(tf.log(z), tf.div(s(0.5), z)), tail);
  const right = tf.add(sum, series);
  const distance = tf.mul(tf.sub(x, tf.round(x)), s(PI));
  const tangent = tf.div(wave(0)(backend, distance), wave(1)(backend, distance));
  const reflected = tf.sub(right, tf.div(s(PI), tangent));
  const poles = tf.logicalAnd(isLeft, tf.equal(x, tf.round(x)));
  const y = select(backend, poles, s(Number.NaN), select(backend, isLeft, reflected, right));
  return select(backend, tf.equal(x, s(Number.POSITIVE_INFINITY)), x, y);
}

/** Giles, "Approximating the erfinv function" (GPU Computing Gems, 2011), single precision. */
function erfinv(backend: Backend, x: TfTensor): TfTensor {
  const { tf } = backend;
  const s = (n: number) => backend.scalar(n);
  const w = tf.neg(tf.log(tf.mul(tf.sub(s(1), x), tf.add(s(1), x))));
  const centre = polynomial(
    backend,
    tf.sub(w, s(2.5)),
    [
      2.81022636e-8, 3.43273939e-7, -3.5233877e-6, -4.39150654e-6, 0.00021858087, -0.00125372503,
      -0.00417768164, 0.246640727, 1.50140941,
    ],
  );
  const tails = polynomial(
    backend,
    tf.sub(tf.sqrt(tf.maximum(w, s(0))), s(3)),
    [
      -0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773, -0.0076224613,
      0.00943887047, 1.00167406, 2.83297682,
    ],
  );
  const y = tf.mul(select(backend, tf.less(w, s(5)), centre, tails), x);
  const isEdge = tf.equal(tf.abs(x), s(1));
  return select(backend, isEdge, tf.mul(x, s(Number.POSITIVE_INFINITY)), y);
}

/**
 * erf by its series near 0 (DLMF 7.6.1), and by Abramowitz and Stegun's 7.1.26 where that is within
 * 1.5e-7; tfjs has the latter alone, whose error near 0 is as large as erf there.
 */
function erf(backend: Backend, x: TfTensor): TfTensor {
  const { tf } = backend;
  const s = (n: number) => backend.scalar(n);
  const square = tf.mul(x, x);
  const coefficients = [-1 / 1320, 1 / 216, -1 / 42, 1 / 10, -1 / 3, 1].map(
    (c) => (2 * c) / sqrt(PI),
  );
  const near = tf.mul(x, polynomial(backend, square, coefficients));
  return select(backend, tf.less(square, s(0.25)), near, tf.erf(x));
}

const logarithm =
  (base: number): Unary =>
  (backend, x) =>
    backend.tf.mul(backend.tf.log(x), backend.scalar(1 / log(base)));

const truncated: Unary = (backend, x) => {
  const { tf } = backend;
  return select(backend, tf.less(x, backend.scalar(0)), tf.ceil(x), tf.floor(x));
};

// The shaders of GPUs may be off by more than float32 is: sines and their inverses are made here.

/** π/2 in three parts of few bits, whose multiples are exact (Cody and Waite). */
const HALF_PI = [1.5703125, 4.837512969970703e-4, 7.549789948768648e-8];

/** sin(x + quarter · π/2) by Taylor's series within π/4 (DLMF 4.19.1, 4.19.2). */
const wave =
  (quarter: number): Unary =>
  (backend, x) => {
    const { tf } = backend;
    const s = (n: number) => backend.scalar(n);
    const turns = tf.round(tf.mul(x, s(2 / PI)));
    const r = HALF_PI.reduce<TfTensor>((rest, part) => tf.sub(rest, tf.mul(turns, s(part))), x);
    const square = tf.mul(r, r);
    const sine = tf.mul(
      r,
      polynomial(backend, square, [1 / 362880, -1 / 5040, 1 / 120, -1 / 6, 1]),
    );
    const cosine = polynomial(backend, square, [1 / 40320, -1 / 720, 1 / 24, -1 / 2, 1]);
    const n = tf.add(turns, s(quarter));
    const phase = tf.sub(n, tf.mul(tf.floor(tf.div(n, s(4))), s(4)));
    const half = tf.floor(tf.div(phase, s(2)));
    const isOdd = tf.greater(tf.sub(phase, tf.mul(half, s(2))), s(0.5));
    const y = select(backend, isOdd, cosine, sine);
    return select(backend, tf.greater(half, s(0.5)), tf.neg(y), y);
  };

/** asin by its series within ½ (DLMF 4.24.1), else π/2 − 2 asin √((1 − |x|) / 2). */
const asin: Unary = (backend, x) => {
  const { tf } = backend;
  const s = (n: number) => backend.scalar(n);
  const size = tf.abs(x);
  const isLarge = tf.greater(size, s(0.5));
  const a = select(backend, isLarge, tf.sqrt(tf.mul(tf.sub(s(1), size), s(0.5))), size);
  const series = tf.mul(a, polynomial(backend, tf.mul(a, a), ASIN));
  const y = select(backend, isLarge, tf.sub(s(PI / 2), tf.mul(s(2), series)), series);
  return tf.mul(y, tf.sign(x));
};

/** (2k)! / (4ᵏ (k!)² (2k + 1)), highest power first. */
const ASIN = Array.from({ length: 11 }, (_, k) => {
  let binomial = 1;
  for (let i = 1; i <= k; i++) binomial *= (2 * i - 1) / (2 * i);
  return binomial / (2 * k + 1);
}).reverse();

/** Those that replace kernels of GPUs. */
const PRECISE: Partial<Record<UnaryName, Unary>> = {
  sin: wave(0),
  cos: wave(1),
  tan: (backend, x) => backend.tf.div(wave(0)(backend, x), wave(1)(backend, x)),
  asin,
  acos: (backend, x) => backend.tf.sub(backend.scalar(PI / 2), asin(backend, x)),
};

/** Whether a function is composed on backends that compute in shaders. */
export const isPrecise = (op: UnaryName): boolean => Object.hasOwn(PRECISE, op);

const COMPOSED_UNARY: Partial<Record<UnaryName, Unary>> = {
  sign: (backend, x) => select(backend, isNan(backend, x), backend.scalar(0), backend.tf.sign(x)),
  relu: (backend, x) =>
    select(backend, backend.tf.less(x, backend.scalar(0)), backend.scalar(0), x),
  round: ({ tf }, x) => tf.round(x),
  trunc: truncated,
  exp2: (backend, x) => backend.tf.exp(backend.tf.mul(x, backend.scalar(Math.LN2))),
  log2: logarithm(2),
  log10: logarithm(10),
  erf,
  erfc: (backend, x) => backend.tf.sub(backend.scalar(1), erf(backend, x)),
  erfinv,
  lgamma,
  digamma,
};

export function composedUnary(backend: Backend, op: UnaryName, x: TfTensor): TfTensor {
  const compose = COMPOSED_UNARY[op] ?? PRECISE[op];
  if (!compose) throw new Error(`tfjs: no ${op}`);
  const { tf } = backend;
  return x.dtype === 'int32'
    ? tf.cast(compose(backend, backend.toFloat(x)), 'int32')
    : compose(backend, x);
}

/** Whichever kernel of tfjs, with NaN where an operand is NaN. */
const withNan =
  (name: 'Maximum' | 'Minimum'): Binary =>
  (backend, a, b) => {
    const y = backend.kernel(name, { a, b });
    if (a.dtype !== 'float32') return y;
    const sum = backend.tf.add(a, b);
    // ∞ − ∞ is NaN too, where neither operand is.
    const none = backend.tf.logicalOr(isNan(backend, a), isNan(backend, b));
    return select(backend, none, sum, y);
  };

/** aᵇ, exactly 1 where a is 1 or b is 0, and −1's powers of ±∞ are 1. */
const power: Binary = (backend, a, b) => {
  const { tf } = backend;
  if (a.dtype !== 'float32')
    return tf.cast(tf.round(power(backend, backend.toFloat(a), backend.toFloat(b))), 'int32');
  const one = backend.scalar(1);
  const isOne = tf.logicalOr(tf.equal(a, one), tf.equal(b, backend.scalar(0)));
  const infinite = tf.equal(tf.abs(b), backend.scalar(Number.POSITIVE_INFINITY));
  const minus = tf.logicalAnd(tf.equal(a, backend.scalar(-1)), infinite);
  const y = backend.kernel('Pow', { a, b });
  return select(backend, tf.logicalOr(isOne, minus), one, y);
};

const remainderBy =
  (quotient: Unary): Binary =>
  (backend, a, b) => {
    const { tf } = backend;
    if (a.dtype !== 'float32')
      return tf.cast(
        tf.round(remainderBy(quotient)(backend, backend.toFloat(a), backend.toFloat(b))),
        'int32',
      );
    return tf.sub(a, tf.mul(b, quotient(backend, tf.div(a, b))));
  };

const floored: Unary = ({ tf }, x) => tf.floor(x);

const floorDivide: Binary = (backend, a, b) => {
  const { tf } = backend;
  if (a.dtype !== 'float32')
    return tf.cast(floorDivide(backend, backend.toFloat(a), backend.toFloat(b)), 'int32');
  // By way of the remainder, so that 0.3 / 0.1 does not round up first.
  const rest = tf.sub(a, tf.mul(b, tf.floor(tf.div(a, b))));
  const y = tf.round(tf.div(tf.sub(a, rest), b));
  return select(backend, tf.equal(b, backend.scalar(0)), tf.div(a, b), y);
};

/** ζ(s, q) by Euler and Maclaurin (DLMF 25.11.7 with ten terms before the rest). */
const zeta: Binary = (backend, s, q) => {
  const { tf } = backend;
  const n = (x: number) => backend.scalar(x);
  let sum: TfTensor = tf.pow(q, tf.neg(s));
  let at: TfTensor = q;
  for (let k = 1; k < 10; k++) {
    at = tf.add(q, n(k));
    sum = tf.add(sum, tf.pow(at, tf.neg(s)));
  }
  const w = tf.add(q, n(10));
  const tail = tf.pow(w, tf.neg(s));
  sum = tf.add(sum, tf.div(tf.mul(tail, w), tf.sub(s, n(1))));
  sum = tf.add(sum, tf.mul(tail, n(0.5)));
  const first = tf.mul(n(1 / 12), tf.div(tf.mul(tail, s), w));
  const cubic = tf.mul(tf.mul(s, tf.add(s, n(1))), tf.add(s, n(2)));
  const second = tf.mul(n(-1 / 720), tf.div(tf.mul(tail, cubic), tf.mul(tf.mul(w, w), w)));
  return tf.add(tf.add(sum, first), second);
};

const COMPOSED_BINARY: Partial<Record<BinaryName, Binary>> = {
  pow: power,
  maximum: withNan('Maximum'),
  minimum: withNan('Minimum'),
  atan2: ({ tf }, a, b) => tf.atan2(a, b),
  hypot: (backend, a, b) => {
    const { tf } = backend;
    const [x, y] = [tf.abs(a), tf.abs(b)];
    const [low, high] = [tf.minimum(x, y), tf.maximum(x, y)];
    const ratio = tf.div(low, high);
    const h = tf.mul(high, tf.sqrt(tf.add(tf.mul(ratio, ratio), backend.scalar(1))));
    const infinite = tf.equal(high, backend.scalar(Number.POSITIVE_INFINITY));
    const zero = tf.equal(high, backend.scalar(0));
    return select(backend, tf.logicalOr(infinite, zero), high, h);
  },
  copysign: (backend, a, b) => {
    const { tf } = backend;
    const isNegative = tf.less(b, backend.scalar(0));
    const size = tf.abs(a);
    // 1 / −0 is −∞: the sign of zeros counts.
    const minusZero = tf.logicalAnd(
      tf.equal(b, backend.scalar(0)),
      tf.less(tf.div(backend.scalar(1), b), backend.scalar(0)),
    );
    return select(backend, tf.logicalOr(isNegative, minusZero), tf.neg(size), size);
  },
  remainder: remainderBy(floored),
  fmod: remainderBy(truncated),
  floorDivide,
  zeta,
};

export function composedBinary(
  backend: Backend,
  op: BinaryName,
  a: TfTensor,
  b: TfTensor,
): TfTensor {
  const compose = COMPOSED_BINARY[op];
  if (!compose) throw new Error(`tfjs: no ${op}`);
  return compose(backend, a, b);
}
