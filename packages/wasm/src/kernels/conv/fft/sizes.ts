// Lengths of transforms, and the order in which they leave frequencies.

import { RADICES } from './dft.js';

/** A transform of `radices[0] · radices[1]` points in two passes, in place. */
export interface Size {
  readonly points: number;
  readonly radices: readonly [number, number];
}

/** The two radices that are nearest to each other, or null. */
function factor(points: number): Size | null {
  const pairs = [1, ...RADICES].flatMap((a) => {
    const b = points / a;
    return b >= a && RADICES.includes(b) ? [[a, b] as const] : [];
  });
  const best = pairs.at(-1);
  return best ? { points, radices: best } : null;
}

const sizes = (step: number, most: number): Size[] =>
  Array.from({ length: most / step }, (_, i) => factor((i + 1) * step)).filter(
    (size): size is Size => size !== null,
  );

/** Along D and H. */
export const COLUMN_SIZES: readonly Size[] = sizes(1, 144);

/** Along W, counted in vectors: four of them are transformed across their lanes together. */
export const ROW_SIZES: readonly Size[] = sizes(4, 36);

/** The frequency at each place: place k₁·r₂ + k₂ holds k₁ + r₁·k₂. */
export const frequencies = ({ points, radices: [a, b] }: Size): number[] =>
  Array.from({ length: points }, (_, place) => Math.floor(place / b) + a * (place % b));

/** e^(−2πi·jk/N) for j < r₂, then k = 1 … r₁ − 1: real and imaginary part in turn. */
export function twiddles({ points, radices: [a, b] }: Size): number[] {
  return Array.from({ length: b }, (_, j) =>
    Array.from({ length: a - 1 }, (_, i) => {
      const angle = (-2 * Math.PI * j * (i + 1)) / points;
      return [Math.cos(angle), Math.sin(angle)];
    }),
  ).flat(2);
}

/** e^(−2πi·jk/4M) for the frequency k of each vector of a row and its lanes j; real parts, then imaginary. */
export function laneTwiddles(size: Size): number[] {
  return frequencies(size).flatMap((k) => {
    const angles = [0, 1, 2, 3].map((j) => (-2 * Math.PI * j * k) / (4 * size.points));
    return [...angles.map(Math.cos), ...angles.map(Math.sin)];
  });
}
