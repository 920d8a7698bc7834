// Where a convolution goes through Fourier transforms.

import { type ConvGeometry, type DType, volume } from '@voxgrad/core';
import type { FloatDType } from '../../../emit/lanes.js';
import type { Engine } from '../../engine.js';
import { fastLimit } from '../limits.js';
import { pairsOf, type Tiling, tileWork, tilingOf } from './tile.js';

/** What a pass of a convolution asks for. */
export type FftPass = 'forward' | 'input' | 'weight';

/** Spectra that are kept at once, in bytes; with more, direct convolution is as good. */
export const SPECTRA_LIMIT = 256 * 2 ** 20;

/** Work of {@link tileWork} that takes as long as a multiplication and addition of a direct kernel. */
const WORK_PER_PRODUCT = 2.2;

const chosen = new Map<string, Tiling | null>();

/**
 * The tiles for the wanted passes, or null where direct convolution is right or quicker. Spectra are
 * shared by passes that run together.
 */
export function fftFor(
  engine: Engine,
  dtype: FloatDType,
  g: ConvGeometry,
  passes: readonly FftPass[],
): Tiling | null {
  const { algorithm = null } = engine;
  if (algorithm !== null && algorithm !== 'fft') return null;
  if (fftLimit(engine, dtype, g) !== null) return null;
  const key = JSON.stringify([passes, algorithm, g]);
  const known = chosen.get(key);
  if (known !== undefined) return known;
  const tiling = choose(g, passes, { asked: algorithm === 'fft' });
  chosen.set(key, tiling);
  if (chosen.size > 1000) chosen.delete(chosen.keys().next().value ?? '');
  return tiling;
}

/** Why transforms do not compute a convolution; null where they can. */
export function fftLimit({ precision }: Engine, dtype: DType, g: ConvGeometry): string | null {
  const limit = fastLimit(precision, dtype, g);
  if (limit !== null) return limit;
  if (volume(g.kernel) < 64 || g.kernel.some((k) => k < 3))
    return `it takes kernels of 64 taps and more, 3 along each axis, not ${g.kernel.join('×')}`;
  return null;
}

/** The tiles where a spectrum of all that runs together fits; null elsewhere. */
export function fittingTiles(g: ConvGeometry): Tiling | null {
  const tiling = tilingOf(g);
  if (!tiling) return null;
  const [from, to] = [g.inChannels / g.groups, g.outChannels / g.groups];
  return (from * to + from + to + 2) * tiling.tile.bytes > SPECTRA_LIMIT ? null : tiling;
}

function choose(
  g: ConvGeometry,
  passes: readonly FftPass[],
  { asked }: { readonly asked: boolean },
): Tiling | null {
  const tiling = fittingTiles(g);
  if (!tiling || asked) return tiling;
  const [from, to] = [g.inChannels / g.groups, g.outChannels / g.groups];
  const pairs = pairsOf(tiling, g.batch).length;
  const weights = passes.map((pass) => (pass === 'weight' ? from * to : 0.6 * from * to));
  const perPair = { forward: from + to, input: from + to, weight: from + to };
  let transforms = passes.reduce((sum, pass) => sum + pairs * perPair[pass], 0);
  // Both gradients share the spectrum of the gradient that they come from.
  if (passes.includes('input') && passes.includes('weight')) transforms -= pairs * to;
  transforms += weights.reduce((sum, n) => sum + n, 0);
  const work = g.groups * transforms * tileWork(tiling.tile);
  const direct =
    passes.length * volume(g.kernel) * from * to * g.groups * g.batch * volume(g.output);
  return work < direct * WORK_PER_PRODUCT ? tiling : null;
}
