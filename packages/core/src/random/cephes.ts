// float32 logarithm, sine and cosine for the float32 Box-Muller transform in blocks.
//
// PyTorch's AVX2 kernel has its own functions here (avx_mathfun.h by G. Garberoglio, after the
// sse_mathfun.h of J. Pommier), which vectorise logf, sinf and cosf of S. Moshier's Cephes library.
// The constants and the reduction are those of Cephes; each fused operation stands where GCC puts
// one. Against the C library a cosine near zero differs by thousands of units in the last place.

import { fma32 } from './fma.js';

const { fround } = Math;

/** Horner's rule in fused steps, highest power first. */
const polynomial = (coefficients: Float32Array, x: number): number =>
  coefficients.reduce((sum, coefficient) => fma32(sum, x, coefficient));

const LOG = Float32Array.of(
  7.0376836292e-2,
  -1.151461031e-1,
  1.167699874e-1,
  -1.2420140846e-1,
  1.4249322787e-1,
  -1.6668057665e-1,
  2.0000714765e-1,
  -2.4999993993e-1,
  3.3333331174e-1,
);
const SQRT_HALF = fround(Math.SQRT1_2);
const LN2_HIGH = 0.693359375;
const LN2_LOW = fround(-2.1219444e-4);

/** The natural logarithm of a float32 from 2^-24 to 1. */
export function log32(value: number): number {
  let exponent = Math.floor(Math.log2(value)) + 1;
  let m = value * 2 ** -exponent; // 0.5 to 1
  if (m < SQRT_HALF) {
    exponent--;
    m *= 2;
  }
  const x = fround(m - 1);
  const square = fround(x * x);
  const cubic = fround(polynomial(LOG, x) * x);
  const correction = fma32(-0.5, square, fma32(cubic, square, fround(exponent * LN2_LOW)));
  return fma32(exponent, LN2_HIGH, fround(x + correction));
}

const SIN = Float32Array.of(-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1);
const COS = Float32Array.of(2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2);
const FOUR_OVER_PI = fround(1.27323954473516);
// π/4 in three parts
const DP1 = 0.78515625;
const DP2 = fround(2.4187564849853516e-4);
const DP3 = fround(3.774894977445941e-8);

/** Sine and cosine of a float32 angle from 0 to 2π. */
export function sinCos32(angle: number): { sin: number; cos: number } {
  const octant = Math.trunc(fround(angle * FOUR_OVER_PI));
  const even = octant + (octant % 2);
  let x = fma32(-DP1, even, angle);
  x = fma32(-DP2, even, x);
  x = fma32(-DP3, even, x); // -π/4 to π/4
  const square = fround(x * x);
  const sin = fma32(fround(polynomial(SIN, square) * square), x, x);
  const quadratic = fround(polynomial(COS, square) * square);
  const cos = fround(fma32(quadratic, square, -0.5 * square) + 1);
  switch (even % 8) {
    case 0:
      return { sin, cos };
    case 2:
      return { sin: cos, cos: -sin };
    case 4:
      return { sin: -sin, cos: -cos };
    default:
      return { sin: -cos, cos: sin };
  }
}
