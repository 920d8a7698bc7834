// Normal numbers by the transform of G. Box and M. Muller ("A note on the generation of random
// normal deviates", Annals of Mathematical Statistics 29, 1958), in the two ways of PyTorch:
//
// 1. Fewer than 16 elements, or elements that do not lie in row-major order: one pair after the
//    other in float64, for all dtypes (normal_distribution in ATen/core/DistributionsHelper.h). The
//    second of a pair waits in the generator for the next call. Newer versions write log1p(-u) for
//    log(1 - u); 1 - u is exact.
// 2. 16 elements or more: uniforms everywhere, then blocks of 16 in which element j pairs with
//    j + 8 (normal_fill in ATen/native/cpu/DistributionTemplates.h). The cache is not touched.

import { argumentError } from '../errors.js';
import { DIGITS, type FloatArray, type FloatDType, ROUND } from './arrays.js';
import { log32, sinCos32 } from './cephes.js';
import { log, sinCos } from './elementary.js';
import { fma32, fma64 } from './fma.js';
import type { Generator } from './generator.js';
import { logNarrow, sinCosNarrow } from './libm/narrow.js';

const BLOCK = 16;
const TWO_PI = 2 * Math.PI;
const TWO_PI_32 = Math.fround(TWO_PI);
const { fround } = Math;

/**
 * Fills `out` with normal numbers; `rowMajor` says whether it is in the order of the tensor's
 * indices. They equal those of PyTorch 1.13 in every bit, where that runs on x86-64 with AVX2, FMA
 * and glibc.
 */
export function fillNormal(
  out: FloatArray,
  dtype: FloatDType,
  mean: number,
  std: number,
  generator: Generator,
  rowMajor = true,
): void {
  if (!(std >= 0)) throw argumentError(`normal expects std >= 0.0, but found std ${std}`);
  const round = ROUND[dtype];
  if (out.length < BLOCK || !rowMajor) {
    for (let i = 0; i < out.length; i++)
      out[i] = round(fma64(standardNormal(generator), std, mean));
    return;
  }
  const block = blockOf(dtype, round(mean), round(std));
  const digits = DIGITS[dtype];
  for (let i = 0; i < out.length; i++) out[i] = generator.uniform(digits);
  for (let start = 0; start + BLOCK <= out.length; start += BLOCK) block(out, start);
  if (out.length % BLOCK === 0) return;
  // The rest has no block of its own: the last 16 are drawn again, finished ones among them.
  const last = out.length - BLOCK;
  for (let i = last; i < out.length; i++) out[i] = generator.uniform(digits);
  block(out, last);
}

/** The next normal number with mean 0 and standard deviation 1. */
export function standardNormal(generator: Generator): number {
  const kept = generator.takeNormal();
  if (kept !== undefined) return kept;
  const { sin, cos } = sinCos(TWO_PI * generator.uniform64());
  const radius = Math.sqrt(-2 * log(1 - generator.uniform64()));
  generator.keepNormal(radius * sin);
  return radius * cos;
}

/** Turns 16 uniforms from `start` into normal numbers. */
type Block = (data: FloatArray, start: number) => void;

function blockOf(dtype: FloatDType, mean: number, std: number): Block {
  if (dtype === 'float64') return float64Block(mean, std);
  return dtype === 'float32' ? float32Block(mean, std) : narrowBlock(dtype, mean, std);
}

const float64Block =
  (mean: number, std: number): Block =>
  (data, start) => {
    for (let j = start; j < start + BLOCK / 2; j++) {
      const radius = Math.sqrt(-2 * log(1 - data[j]));
      const { sin, cos } = sinCos(TWO_PI * data[j + BLOCK / 2]);
      data[j] = fma64(radius * cos, std, mean);
      data[j + BLOCK / 2] = fma64(radius * sin, std, mean);
    }
  };

const float32Block =
  (mean: number, std: number): Block =>
  (data, start) => {
    for (let j = start; j < start + BLOCK / 2; j++) {
      const radius = fround(Math.sqrt(-2 * log32(1 - data[j])));
      const { sin, cos } = sinCos32(fround(TWO_PI_32 * data[j + BLOCK / 2]));
      data[j] = fma32(fround(radius * cos), std, mean);
      data[j + BLOCK / 2] = fma32(fround(radius * sin), std, mean);
    }
  };

/** float16 is computed in float32 but for the angle; of bfloat16 every single step is rounded. */
function narrowBlock(dtype: FloatDType, mean: number, std: number): Block {
  const round = ROUND[dtype];
  const step = dtype === 'float16' ? fround : round;
  const scaled = (sample: number) =>
    round(dtype === 'float16' ? fma32(sample, std, mean) : round(sample * std) + mean);
  return (data, start) => {
    for (let j = start; j < start + BLOCK / 2; j++) {
      const logarithm = step(logNarrow(round(1 - data[j])));
      const radius = round(fround(Math.sqrt(step(-2 * logarithm))));
      const { sin, cos } = sinCosNarrow(round(TWO_PI * data[j + BLOCK / 2]));
      data[j] = scaled(step(radius * step(cos)));
      data[j + BLOCK / 2] = scaled(step(radius * step(sin)));
    }
  };
}
