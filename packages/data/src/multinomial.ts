// Weighted draws with the numbers of PyTorch's CPU generator.
// Source: aten/src/ATen/native/Distributions.cpp (multinomial_out) and cpu/MultinomialKernel.cpp.

import { argumentError, type Generator } from '@voxgrad/core';

/**
 * `count` indices, each drawn with a probability proportional to its weight (`torch.multinomial` of
 * a float64 vector).
 */
export function multinomial(
  weights: Float64Array,
  count: number,
  replacement: boolean,
  generator: Generator,
): number[] {
  if (!weights.every((weight) => weight >= 0 && weight < Number.POSITIVE_INFINITY))
    throw argumentError('probability tensor contains either `inf`, `nan` or element < 0');
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (!(total > 0))
    throw argumentError('invalid multinomial distribution (sum of probabilities <= 0)');
  if (!replacement && count > weights.length)
    throw argumentError(
      `cannot sample n_sample > prob_dist.size(-1) samples without replacement (${count} of ${weights.length})`,
    );
  return replacement
    ? byInversion(weights, total, count, generator)
    : byRace(weights, count, generator);
}

/** The first index whose cumulated probability reaches a uniform number. */
function byInversion(
  weights: Float64Array,
  total: number,
  count: number,
  generator: Generator,
): number[] {
  let sum = 0;
  const cumulated = weights.map((weight) => {
    sum += weight;
    return sum;
  });
  const steps = cumulated.map((value) => value / total);
  steps[steps.length - 1] = 1;
  return Array.from({ length: count }, () => {
    const drawn = generator.uniform64();
    let [low, high] = [0, steps.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (steps[middle] < drawn) low = middle + 1;
      else high = middle;
    }
    return low;
  });
}

/** Exponential arrival times, scaled by the weights: the first ones there win. */
function byRace(weights: Float64Array, count: number, generator: Generator): number[] {
  const speed = weights.map((weight) => weight / -Math.log(1 - generator.uniform64()));
  return Array.from(weights.keys())
    .sort((a, b) => speed[b] - speed[a])
    .slice(0, count);
}
