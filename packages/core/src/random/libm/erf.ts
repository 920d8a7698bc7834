// The error function as glibc 2.36 computes it, after Sun's fdlibm (sysdeps/ieee754/dbl-64/s_erf.c):
// quotients of polynomials. There is no variant for FMA here, but of the exponential there is.

import { exp } from './exp.js';
import { upperWord, withoutLowerWord } from './words.js';

/** c0 + c1 x + … + c8 x^8 in pairs of neighbours; coefficients of 0 change no digit. */
function inPairs(c: Float64Array, x: number): number {
  const x2 = x * x;
  const x4 = x2 * x2;
  const pairs = c[0] + x * c[1] + x2 * (c[2] + x * c[3]) + x4 * (c[4] + x * c[5]);
  return pairs + x4 * x2 * (c[6] + x * c[7]) + x4 * x4 * c[8];
}

/** Nine coefficients. */
function polynomial(...coefficients: number[]): Float64Array {
  const padded = new Float64Array(9);
  padded.set(coefficients);
  return padded;
}

// (erf x - x) / x in powers of x^2, up to 0.84375
const PP = polynomial(
  0.12837916709551256,
  -0.3250421072470015,
  -0.02848174957559851,
  -0.005770270296489442,
  -2.3763016656650163e-5,
);
const QQ = polynomial(
  1,
  0.39791722395915535,
  0.0650222499887673,
  0.005081306281875766,
  0.00013249473800432164,
  -3.960228278775368e-6,
);

// erf(1 + s) - ERF_ONE, up to 1.25
const ERF_ONE = 0.8450629115104675;
const PA = polynomial(
  -0.0023621185607526594,
  0.41485611868374833,
  -0.3722078760357013,
  0.31834661990116175,
  -0.11089469428239668,
  0.035478304325618236,
  -0.002166375594868791,
);
const QA = polynomial(
  1,
  0.10642088040084423,
  0.540397917702171,
  0.07182865441419627,
  0.12617121980876164,
  0.01363708391202905,
  0.011984499846799107,
);

// log(x erfc x) + x^2 + 0.5625 in powers of 1 / x^2, up to 1 / 0.35 and 6
const RA = polynomial(
  -0.009864944034847148,
  -0.6938585727071818,
  -10.558626225323291,
  -62.375332450326006,
  -162.39666946257347,
  -184.60509290671104,
  -81.2874355063066,
  -9.814329344169145,
);
const SA = polynomial(
  1,
  19.651271667439257,
  137.65775414351904,
  434.56587747522923,
  645.3872717332679,
  429.00814002756783,
  108.63500554177944,
  6.570249770319282,
  -0.0604244152148581,
);
const RB = polynomial(
  -0.0098649429247001,
  -0.799283237680523,
  -17.757954917754752,
  -160.63638485582192,
  -637.5664433683896,
  -1025.0951316110772,
  -483.5191916086514,
);
const SB = polynomial(
  1,
  30.33806074348246,
  325.7925129965739,
  1536.729586084437,
  3199.8582195085955,
  2553.0504064331644,
  474.52854120695537,
  -22.44095244658582,
);

export function erf(x: number): number {
  const size = Math.abs(x);
  if (size < 2 ** -28) return small(x);
  if (size < 0.84375) {
    const square = x * x;
    return x + x * (inPairs(PP, square) / inPairs(QQ, square));
  }
  if (!(size >= 0)) return x;
  return Math.sign(x) * large(size);
}

const small = (x: number): number =>
  Math.abs(x) < 2 ** -1015
    ? 0.0625 * (16 * x + 2.0540666735282014 * x)
    : x + 0.1283791670955126 * x;

/** erf x for x from 0.84375 on. */
function large(x: number): number {
  if (x < 1.25) {
    const s = x - 1;
    return ERF_ONE + inPairs(PA, s) / inPairs(QA, s);
  }
  if (x >= 6) return 1;
  const inverse = 1 / (x * x);
  const near = upperWord(x) < 0x4006db6e;
  const rest = near
    ? inPairs(RA, inverse) / inPairs(SA, inverse)
    : inPairs(RB, inverse) / inPairs(SB, inverse);
  const short = withoutLowerWord(x);
  const r = exp(-short * short - 0.5625) * exp((short - x) * (short + x) + rest);
  return 1 - r / x;
}
