// Where Winograd's algorithm may run, and where it is quicker than direct convolution.

import type { ConvGeometry, DType } from '@voxgrad/core';
import type { Engine } from '../../engine.js';
import { fastLimit } from '../limits.js';
import type { Pass } from '../pass.js';
import type { Axes, ProblemAxis } from '../problem.js';
import { FOUR, POINTWISE, pointsOf, TWO, UNIT_OUTPUTS, type Winograd } from './algorithms.js';

/** A volume: four along H and W, but two along D, where accuracy and waste count more. */
const VOLUME: Winograd = { name: '2x4x4', depth: TWO, height: FOUR };
/** Four along D too: fewer products, and errors three times as large. */
const CUBE: Winograd = { name: '4x4x4', depth: FOUR, height: FOUR };
/** Planes, and volumes whose kernel has one depth. */
const PLANE: Winograd = { name: '1x4x4', depth: POINTWISE, height: FOUR };

/** What decides; part of a {@link Pass}. */
export type WinogradCall = Pick<Pass, 'dtype' | 'from' | 'to' | 'problems'>;

/** The algorithm for a pass, or null where direct convolution is right or quicker. */
export function winogradFor(
  { precision, algorithm = null }: Engine,
  call: WinogradCall,
): Winograd | null {
  if (algorithm !== null && algorithm !== 'winograd') return null;
  if (precision === 'exact' || call.dtype !== 'float32' || call.problems.length !== 1) return null;
  const [axes] = call.problems;
  const [depth, height, width] = axes;
  if (!isDense(height, 3) || !isDense(width, 3)) return null;
  const candidates = isDense(depth, 3)
    ? [VOLUME, ...(precision === 'fast' ? [CUBE] : [])]
    : isDense(depth, 1)
      ? [PLANE]
      : [];
  const direct = algorithm === null ? directCycles(call, axes) : Number.POSITIVE_INFINITY;
  let [best, cycles]: [Winograd | null, number] = [null, direct];
  for (const candidate of candidates) {
    const cost = cyclesOf(candidate, call, axes);
    if (cost < cycles) [best, cycles] = [candidate, cost];
  }
  return best;
}

/** Why Winograd's algorithm does not compute a convolution; null where it can. */
export function winogradLimit({ precision }: Engine, dtype: DType, g: ConvGeometry): string | null {
  const limit = fastLimit(precision, dtype, g);
  if (limit !== null) return limit;
  const [depth, height, width] = g.kernel;
  if (height !== 3 || width !== 3 || (depth !== 3 && depth !== 1))
    return `it takes kernels of 3×3×3 and 1×3×3, not ${g.kernel.join('×')}`;
  return null;
}

/** Whether an axis has `taps` neighbouring taps, and outputs side by side. */
const isDense = ({ step, outStep, taps }: ProblemAxis, count: number): boolean =>
  step === 1 &&
  outStep === 1 &&
  taps.length === count &&
  taps.every(({ at }, i) => at === taps[0].at + i);

export const tilesAlong = ({ count }: ProblemAxis, outputs: number): number =>
  Math.ceil(count / outputs);

/**
 * Sources and results of which hardly anything stays in a cache: transforms wait for memory. With 8
 * channels on both sides, a third is won over 64³, nothing over 128³, and a fifth lost over 160³
 * (`npm run bench -- patterns --mode=perf`).
 */
const LARGE_BYTES = 192 * 2 ** 20;

/**
 * Cycles for one image of one group: products, then transforms of inputs and outputs. The factors were
 * fitted to measurements of 8 to 64 channels over 8³ to 64³ (`npm run bench -- direct`).
 */
function cyclesOf(winograd: Winograd, { from, to }: WinogradCall, [D, H, W]: Axes): number {
  const units =
    tilesAlong(D, winograd.depth.outputs) *
    tilesAlong(H, winograd.height.outputs) *
    tilesAlong(W, UNIT_OUTPUTS);
  const points = pointsOf(winograd);
  const padded = Math.ceil(to / 4) * 4;
  // The weights are transformed for every call.
  const weights = from * padded * points * 0.6;
  const bytes = 4 * (from + to) * D.count * H.count * W.count;
  const perTransform = bytes > LARGE_BYTES ? 14 : 5;
  return units * points * (0.6 * from * padded + perTransform * (from + to)) + weights;
}

function directCycles({ from, to }: WinogradCall, [D, H, W]: Axes): number {
  const taps = D.taps.length * H.taps.length * W.taps.length;
  return (taps * from * to * D.count * H.count * Math.ceil(W.count / 4)) / 1.5;
}
