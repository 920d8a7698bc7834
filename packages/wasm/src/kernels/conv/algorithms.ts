// The algorithms of a convolution by their names, for who wants to choose.

import type { ConvAlgorithm, ConvAlgorithms, ConvCall, ConvKernelName } from '@voxgrad/core';
import type { Engine } from '../engine.js';
import { fftFor, fftLimit, fittingTiles, SPECTRA_LIMIT } from './fft/choice.js';
import { adjointAxes, forwardAxes } from './problem.js';
import { winogradFor, winogradLimit } from './winograd/choice.js';

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

type Wanted = 'forward' | 'input' | 'weight';

function usualOf(engine: Engine, { geometry: g, dtype }: ConvCall, wanted: readonly Wanted[]) {
  if (wanted.length === 0 || (dtype !== 'float32' && dtype !== 'float64')) return [];
  if (fftFor(engine, dtype, g, wanted)) return ['fft' as const];
  const [from, to] = [g.inChannels / g.groups, g.outChannels / g.groups];
  const problems = [forwardAxes(g)];
  const algorithm = (pass: Wanted): ConvAlgorithm => {
    const call =
      pass === 'input'
        ? { dtype, from: to, to: from, problems: adjointAxes(g) }
        : { dtype, from, to, problems };
    return winogradFor(engine, call) ? 'winograd' : 'direct';
  };
  return [...new Set(wanted.map(algorithm))];
}

const wantedOf = (kernel: ConvKernelName, { needs }: ConvCall): Wanted[] => {
  if (kernel === 'convForward') return ['forward'];
  if (kernel === 'convWeight') return ['weight'];
  return [...(needs[0] ? ['input' as const] : []), ...(needs[1] ? ['weight' as const] : [])];
};

/** What `fused:direct`, `fused:winograd` and `fused:fft` stand for on a device. */
export const algorithms = (engine: Engine): ConvAlgorithms => ({
  check(algorithm, call) {
    const message = limitOf(engine, algorithm, call);
    return message === null ? [] : [{ check: 'algorithm', message }];
  },
  usual: (kernel, call) => usualOf(engine, call, wantedOf(kernel, call)),
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
