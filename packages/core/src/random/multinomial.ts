// Indices drawn with given weights (multinomial_out in ATen/native/Distributions.cpp).

import { argumentError } from '../errors.js';
import { type FloatDType, ROUND } from './arrays.js';
import { defaultGenerator, type Generator } from './generator.js';

/** `count` draws from each row of weights, independent: by binary search in their running sums. */
export function drawWithReplacement(
  rows: readonly Float64Array[],
  count: number,
  dtype: FloatDType,
  generator: Generator = defaultGenerator(),
): number[] {
  return rows.flatMap((weights) => {
    const shares = cumulativeShares(weights, dtype);
    return Array.from({ length: count }, () => firstNotBelow(shares, generator.uniform64()));
  });
}

/** Running sums, divided by the last one: in float64 for float64, else in float32. */
function cumulativeShares(weights: Float64Array, dtype: FloatDType): Float64Array {
  const round = ROUND[dtype === 'float64' ? dtype : 'float32'];
  let sum = 0;
  const sums = weights.map((weight) => {
    if (weight < 0)
      throw argumentError('invalid multinomial distribution (encountering probability entry < 0)');
    if (!Number.isFinite(weight))
      throw argumentError(
        'invalid multinomial distribution (encountering probability entry = infinity or NaN)',
      );
    sum = round(sum + weight);
    return sum;
  });
  if (!(sum > 0)) throw emptyDistribution();
  const shares = sums.map((partial) => round(partial / sum));
  shares[shares.length - 1] = 1;
  return shares;
}

function firstNotBelow(sorted: Float64Array, value: number): number {
  let [left, right] = [0, sorted.length];
  while (left < right) {
    const middle = left + Math.floor((right - left) / 2);
    if (sorted[middle] < value) left = middle + 1;
    else right = middle;
  }
  return left;
}

/**
 * `count` different indices of each row: those of the largest quotients of a weight and an
 * exponential number. They come in the order in which draws one by one would give them: P. Efraimidis
 * and P. Spirakis, "Weighted random sampling with a reservoir", Information Processing Letters 97
 * (2006). Equal quotients (all weights of 0) stay in order; PyTorch orders them as its sort happens to.
 */
export function drawWithoutReplacement(
  rows: readonly Float64Array[],
  exponentials: readonly Float64Array[],
  count: number,
  dtype: FloatDType,
): number[] {
  const round = ROUND[dtype];
  return rows.flatMap((weights, row) => {
    const quotients = weights.map((weight, i) => round(weight / exponentials[row][i]));
    const order = Array.from(quotients.keys());
    return order.sort((i, j) => quotients[j] - quotients[i]).slice(0, count);
  });
}

/** What `multinomial` asks of weights before it draws without replacement. */
export function checkWeights(rows: readonly Float64Array[]): void {
  for (const weights of rows)
    if (!weights.every((weight) => weight >= 0 && weight < Infinity))
      throw argumentError('probability tensor contains either `inf`, `nan` or element < 0');
  if (rows.some((weights) => weights.every((weight) => weight === 0))) throw emptyDistribution();
}

const emptyDistribution = () =>
  argumentError('invalid multinomial distribution (sum of probabilities <= 0)');
