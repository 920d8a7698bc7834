// Logarithm, exponential, sine, cosine and tangent for float64 random numbers.
//
// `Math.log`, `Math.sin` and the others differ between JavaScript engines and from the C library
// under PyTorch: with V8 one normal number in fifteen has another last bit. The functions here give
// the bits of glibc 2.36 on x86-64 processors with FMA and AVX2, in every engine. (Logarithm, sine
// and cosine: of glibc since 2.28.) They are not rounded correctly there: about one result in 500 is
// the neighbour, so that glibc's algorithms are followed step by step.

export { exp } from './libm/exp.js';
export { log } from './libm/log.js';
export { sinCos } from './libm/sin-cos.js';
export { tan } from './libm/tan.js';
