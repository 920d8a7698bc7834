// The algorithms of a convolution by their names, for who wants to choose.

import type { ConvAlgorithm, ConvAlgorithms, ConvCall } from '@voxgrad/core';
import type { Engine } from '../engine.js';
import { fftLimit, fittingTiles, SPECTRA_LIMIT } from './fft/choice.js';
import { winogradLimit } from './winograd/choice.js';

function limitOf(
  engine: Engine,
  algorithm: ConvAlgorithm,
  { geometry: g, dtype }: ConvCall,
): string | null {
  if (algorithm === 'direct') return null;
  if (algorithm === 'winograd') return winogradLimit(engine, dtype, g);
  const limit = fftLimit(engine, dtype, g);
  if (limit !== null || fittingTiles(g)) return limit;
  return `the spectra of one group would take more than ${SPECTRA_LIMIT / 2 ** 20} MiB, or no transform is as long`;
}

/** What `fused:direct`, `fused:winograd` and `fused:fft` stand for on a device. */
export const algorithms = (engine: Engine): ConvAlgorithms => ({
  check(algorithm, call) {
    const message = limitOf(engine, algorithm, call);
    return message === null ? [] : [{ check: 'algorithm', message }];
  },
  with(algorithm, fn) {
    const before = engine.algorithm ?? null;
    engine.algorithm = algorithm;
    try {
      return fn();
    } finally {
      engine.algorithm = before;
    }
  },
});
