// How a tile lies in memory, and which tiles a volume is cut into.

import type { ConvGeometry, Triple } from '@voxgrad/core';
import { COLUMN_SIZES, ROW_SIZES, type Size } from './sizes.js';

/** Transforms along D and H, and along W in vectors. Real parts of a tile stand before imaginary ones. */
export interface Tile {
  readonly depth: Size;
  readonly height: Size;
  readonly width: Size;
  /** Bytes from row to row, depth to depth, and from real to imaginary parts. */
  readonly row: number;
  readonly plane: number;
  readonly imaginary: number;
  readonly bytes: number;
}

/** Points along each axis. */
export const pointsOf = ({ depth, height, width }: Tile): Triple => [
  depth.points,
  height.points,
  4 * width.points,
];

function tileOf(depth: Size, height: Size, width: Size): Tile {
  const row = 16 * width.points;
  // An odd number of cache lines, so that the depths of a column fall into different cache sets.
  const lines = Math.ceil((height.points * row) / 64);
  const plane = (lines + (lines % 2 === 0 ? 1 : 0)) * 64;
  const imaginary = depth.points * plane + 64;
  return { depth, height, width, row, plane, imaginary, bytes: 2 * imaginary };
}

/** A volume cut into tiles. */
export interface Tiling {
  readonly tile: Tile;
  /** Outputs of a tile along each axis. */
  readonly outputs: Triple;
  readonly counts: Triple;
}

/** For 1, 2, … tiles along an axis, the smallest size that takes `kernel` and its outputs. */
function candidates(sizes: readonly Size[], unit: number, outputs: number, kernel: number): Size[] {
  const found = new Set<Size>();
  for (let tiles = 1; tiles <= outputs; tiles++) {
    const wanted = Math.ceil(outputs / tiles) + kernel - 1;
    const size = sizes.find(({ points }) => points * unit >= wanted);
    if (size) found.add(size);
  }
  return [...found];
}

/** Additions and multiplications of the transform of one tile, with passes over memory in proportion. */
export function tileWork(tile: Tile): number {
  const [d, h, w] = pointsOf(tile);
  const points = d * h * w;
  return points * (2.5 * Math.log2(points) + 30);
}

/** The tiles of least work, or null where no size fits. */
export function tilingOf({ output, kernel, batch }: ConvGeometry): Tiling | null {
  let best: Tiling | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (const depth of candidates(COLUMN_SIZES, 1, output[0], kernel[0]))
    for (const height of candidates(COLUMN_SIZES, 1, output[1], kernel[1]))
      for (const width of candidates(ROW_SIZES, 4, output[2], kernel[2])) {
        const tile = tileOf(depth, height, width);
        const points = pointsOf(tile);
        const outputs: Triple = [
          points[0] - kernel[0] + 1,
          points[1] - kernel[1] + 1,
          points[2] - kernel[2] + 1,
        ];
        const counts: Triple = [
          Math.ceil(output[0] / outputs[0]),
          Math.ceil(output[1] / outputs[1]),
          Math.ceil(output[2] / outputs[2]),
        ];
        const pairs = Math.ceil((batch * counts[0] * counts[1] * counts[2]) / 2);
        const work = pairs * tileWork(tile);
        if (work < least) [best, least] = [{ tile, outputs, counts }, work];
      }
  return best;
}

/** Two tiles that are transformed together, as real and imaginary parts. */
export interface Pair {
  /** Image and first output of each; the second may be missing. */
  readonly first: Place;
  readonly second: Place | null;
}

export interface Place {
  readonly image: number;
  readonly at: Triple;
}

/** The tiles of all images, two by two. */
export function pairsOf({ outputs, counts }: Tiling, batch: number): Pair[] {
  const places: Place[] = [];
  for (let image = 0; image < batch; image++)
    for (let d = 0; d < counts[0]; d++)
      for (let h = 0; h < counts[1]; h++)
        for (let w = 0; w < counts[2]; w++)
          places.push({ image, at: [d * outputs[0], h * outputs[1], w * outputs[2]] });
  return Array.from({ length: Math.ceil(places.length / 2) }, (_, i) => ({
    first: places[2 * i],
    second: places[2 * i + 1] ?? null,
  }));
}
