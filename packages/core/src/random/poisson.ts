// Poisson numbers (sample_poisson in ATen/native/Distributions.cpp, after NumPy). Rates below 10:
// products of uniform numbers (D. Knuth, The Art of Computer Programming 2, 3.4.1). Others: the
// transformed rejection PTRS of W. Hörmann, "The transformed rejection method for generating
// Poisson random variables", Insurance: Mathematics and Economics 12 (1993).

import { argumentError } from '../errors.js';
import type { FloatArray } from './arrays.js';
import { exp, log } from './elementary.js';
import type { Generator } from './generator.js';

/** One number for each of `rates`. */
export function fillPoisson(out: FloatArray, rates: ArrayLike<number>, generator: Generator): void {
  for (let i = 0; i < out.length; i++) {
    const rate = rates[i];
    if (!(rate >= 0)) throw argumentError('invalid Poisson rate, expected rate to be non-negative');
    out[i] = rate >= 10 ? transformedRejection(rate, generator) : products(rate, generator);
  }
}

function products(rate: number, generator: Generator): number {
  if (rate === 0) return 0;
  const bound = exp(-rate);
  let product = generator.uniform64();
  let count = 0;
  while (product > bound) {
    product *= generator.uniform64();
    count++;
  }
  return count;
}

function transformedRejection(rate: number, generator: Generator): number {
  const logRate = log(rate);
  const b = 0.931 + 2.53 * Math.sqrt(rate);
  const a = -0.059 + 0.02483 * b;
  const inverseAlpha = 1.1239 + 1.1328 / (b - 3.4);
  const squeeze = 0.9277 - 3.6224 / (b - 2);
  for (;;) {
    const u = generator.uniform64() - 0.5;
    const v = generator.uniform64();
    const us = 0.5 - Math.abs(u);
    const k = Math.floor(((2 * a) / us + b) * u + rate + 0.43);
    if (us >= 0.07 && v <= squeeze) return k;
    if (k < 0 || (us < 0.013 && v > us)) continue;
    const proposal = log(v) + log(inverseAlpha) - log(a / (us * us) + b);
    if (proposal <= -rate + k * logRate - logFactorial(k)) return k;
  }
}

const LOG_FACTORIALS = Float64Array.from({ length: 16 }, (_, n) => {
  let product = 1;
  for (let i = 2; i <= n; i++) product *= i;
  return log(product);
});

/** ln k!, by Stirling's series from 16 on, where five terms give float64. */
function logFactorial(k: number): number {
  if (k < LOG_FACTORIALS.length) return LOG_FACTORIALS[k];
  const x = k + 1;
  const inverse = 1 / (x * x);
  const series =
    (1 / 12 - inverse * (1 / 360 - inverse * (1 / 1260 - inverse * (1 / 1680 - inverse / 1188)))) /
    x;
  return (x - 0.5) * log(x) - x + Math.log(2 * Math.PI) / 2 + series;
}
