// The inverse error function in single precision, bit by bit as PyTorch computes it for float32:
// calc_erfinv of ATen/native/Math.h (after G. Pavlis, 1996) with the C library's erff and logf. Near
// ±1 the rounding of erff moves the result by several units in the last place, so an exact inverse
// is not the same. Every step rounds; a fused one stands where GCC puts one in the AVX2 kernel.

import { fma32 } from '../random/fma.js';

const { abs, exp, fround, sign, sqrt } = Math;
const bits = new DataView(new ArrayBuffer(4));

/** Horner's rule, lowest power first. */
function polynomial(coefficients: Float32Array, x: number): number {
  let sum = 0;
  for (let i = coefficients.length - 1; i >= 0; i--)
    sum = fround(fround(sum * x) + coefficients[i]);
  return sum;
}

function fusedPolynomial(coefficients: Float32Array, x: number): number {
  let sum = 0;
  for (let i = coefficients.length - 1; i >= 0; i--) sum = fma32(sum, x, coefficients[i]);
  return sum;
}

// erff: s_erf.c of fdlibm (Sun Microsystems, 1993), made single by I. L. Taylor. A rational function
// for each of the ranges |x| < 0.84375, < 1.25, < 1/0.35, and beyond.
const SMALL_P = Float32Array.of(0.12837917, -0.3250421, -0.02848175, -0.0057702702, -2.3763017e-5);
const SMALL_Q = Float32Array.of(
  1,
  0.3979172,
  0.06502225,
  0.005081306,
  0.00013249474,
  -3.9602282e-6,
);
const ONE_P = Float32Array.of(
  -0.0023621186,
  0.4148561,
  -0.37220788,
  0.31834662,
  -0.110894695,
  0.035478305,
  -0.0021663755,
);
const ONE_Q = Float32Array.of(
  1,
  0.10642088,
  0.54039794,
  0.071828656,
  0.12617122,
  0.013637084,
  0.0119845,
);
const MIDDLE_P = Float32Array.of(
  -0.009864944,
  -0.69385856,
  -10.558626,
  -62.37533,
  -162.39667,
  -184.60509,
  -81.28744,
  -9.814329,
);
const MIDDLE_Q = Float32Array.of(
  1,
  19.651272,
  137.65776,
  434.5659,
  645.38727,
  429.00815,
  108.635,
  6.5702496,
  -0.060424414,
);
const LARGE_P = Float32Array.of(
  -0.009864943,
  -0.79928327,
  -17.757956,
  -160.63638,
  -637.56647,
  -1025.0951,
  -483.5192,
);
const LARGE_Q = Float32Array.of(
  1,
  30.33806,
  325.7925,
  1536.7296,
  3199.8582,
  2553.0503,
  474.52853,
  -22.440952,
);
const ERF_AT_1 = fround(0.8450629);
const TWO_BY_ROOT_PI_LESS_1 = fround(0.12837917);

/** The leading half of the digits, whose square is exact. */
function truncated(x: number): number {
  bits.setFloat32(0, x);
  bits.setInt32(0, bits.getInt32(0) & 0xfffff000);
  return bits.getFloat32(0);
}

function erf32(x: number): number {
  const size = abs(x);
  if (size < 2 ** -119)
    return fround(fround(fround(16 * x) + fround(16 * TWO_BY_ROOT_PI_LESS_1 * x)) / 16);
  if (size < 2 ** -28) return fround(x + fround(TWO_BY_ROOT_PI_LESS_1 * x));
  if (size < 0.84375) {
    const square = fround(x * x);
    const ratio = fround(polynomial(SMALL_P, square) / polynomial(SMALL_Q, square));
    return fround(x + fround(x * ratio));
  }
  if (size < 1.25) {
    const rest = fround(size - 1);
    const ratio = fround(polynomial(ONE_P, rest) / polynomial(ONE_Q, rest));
    return sign(x) * fround(ERF_AT_1 + ratio);
  }
  if (size >= 6) return sign(x);
  const inverse = fround(1 / fround(size * size));
  const [p, q] = size < 1 / 0.35 ? [MIDDLE_P, MIDDLE_Q] : [LARGE_P, LARGE_Q];
  const ratio = fround(polynomial(p, inverse) / polynomial(q, inverse));
  const z = truncated(size);
  const correction = fround(fround(fround(z - size) * fround(z + size)) + ratio);
  const complement = fround(fround(exp(fround(fround(-z * z) - 0.5625))) * fround(exp(correction)));
  return sign(x) * fround(1 - fround(complement / size));
}

// logf: Arm's optimized routines (S. Nagy, 2017). x = 2ᵏ·z, z between steps of 1/16; per step 1/c
// and log c for a c near its middle.
const STEPS: readonly (readonly [number, number])[] = [
  [1.398907162146528, -0.33569133332882284],
  [1.3403141896637998, -0.2929040563774074],
  [1.286432210124115, -0.2518726580937369],
  [1.2367150214269895, -0.21245868807117255],
  [1.1906977166711752, -0.17453945183745634],
  [1.1479821020556429, -0.1380057072319758],
  [1.1082251448272158, -0.10275976698545139],
  [1.0711297413057381, -0.06871392447020525],
  [1.036437278977283, -0.0357891387398228],
  [1, 0],
  [0.9492859795739057, 0.05204517742929496],
  [0.8951049428609004, 0.11081431298787942],
  [0.8476821620351103, 0.1652495223695143],
  [0.8050314851692001, 0.21687389031699977],
  [0.7664671008843108, 0.2659635028121397],
  [0.731428603316328, 0.3127556664073557],
];
const [CUBIC, SQUARE, HALF] = [-0.25089342214237154, 0.333456765744066, -0.4999997485802103];
const FIRST_STEP = 0x3f330000; // 0.7

function log32(x: number): number {
  if (x === 1) return 0;
  bits.setFloat32(0, x);
  const word = bits.getInt32(0);
  const above = word - FIRST_STEP;
  bits.setInt32(0, word - (above & 0xff800000));
  const [inverse, logarithm] = STEPS[(above >> 19) & 15];
  const r = bits.getFloat32(0) * inverse - 1;
  const start = logarithm + (above >> 23) * Math.LN2;
  return fround((CUBIC * r * r + (SQUARE * r + HALF)) * (r * r) + (start + r));
}

// calc_erfinv: rational functions of y² up to 0.7 and of √−log((1 − |y|) / 2) beyond.
const CENTRE_P = Float32Array.of(0.886226899, -1.645349621, 0.914624893, -0.140543331);
const CENTRE_Q = Float32Array.of(1, -2.118377725, 1.442710462, -0.329097515, 0.012229801);
const TAIL_P = Float32Array.of(-1.970840454, -1.624906493, 3.429567803, 1.641345311);
const TAIL_Q = Float32Array.of(1, 3.5438892, 1.6370678);
const CENTRE = fround(0.7);
const SLOPE_AT_0 = fround(2 / fround(sqrt(Math.PI)));

function start(y: number): number {
  const size = abs(y);
  if (size <= CENTRE) {
    const square = fround(y * y);
    const numerator = fround(y * fusedPolynomial(CENTRE_P, square));
    return fround(numerator / fusedPolynomial(CENTRE_Q, square));
  }
  const z = fround(sqrt(-log32(fround(fround(1 - size) / 2))));
  return fround((sign(y) * fusedPolynomial(TAIL_P, z)) / fusedPolynomial(TAIL_Q, z));
}

function improved(x: number, y: number): number {
  const slope = fround(SLOPE_AT_0 * fround(exp(fround(-x * x))));
  return fround(x - fround(fround(erf32(x) - y) / slope));
}

/** The x with erf(x) = y, for float32 numbers; ±inf at ±1, NaN beyond. */
export function erfinv32(y: number): number {
  if (!(abs(y) < 1)) return abs(y) === 1 ? y * Infinity : NaN;
  return improved(improved(start(y), y), y);
}
