// Slices of tensors as pixels, and pixels as PNG.

import { encode } from 'fast-png';
import type { Tensor } from 'voxgrad';

/** Rows of red, green and blue bytes. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

export type Colour = readonly [red: number, green: number, blue: number];

/** Colours at equal distances from the lowest value to the highest. */
const PALETTES = {
  grey: [
    [0, 0, 0],
    [255, 255, 255],
  ],
  seismic: [
    [33, 76, 150],
    [247, 247, 247],
    [170, 40, 45],
  ],
  heat: [
    [13, 8, 60],
    [130, 30, 130],
    [235, 105, 60],
    [250, 240, 130],
  ],
  viridis: [
    [68, 1, 84],
    [59, 82, 139],
    [33, 145, 140],
    [94, 201, 98],
    [253, 231, 37],
  ],
} as const satisfies Record<string, readonly Colour[]>;

export interface ShadeOptions {
  readonly palette?: keyof typeof PALETTES;
  /** Values of the first and the last colour; by default the least and the greatest of the slice. */
  readonly range?: readonly [low: number, high: number];
}

const numbersOf = (slice: Tensor): number[] => Array.from(slice.dataSync(), Number);

/** A slice `[height, width]` in the colours of a palette. */
export function shade(slice: Tensor, { palette = 'grey', range }: ShadeOptions = {}): Pixels {
  const values = numbersOf(slice);
  const [height, width] = slice.shape;
  const [low, high] = range ?? [Math.min(...values), Math.max(...values)];
  const colours = PALETTES[palette];
  const data = Uint8Array.from(
    values.flatMap((value) => {
      const at = Math.min(Math.max((value - low) / (high - low || 1), 0), 1) * (colours.length - 1);
      const below = Math.min(Math.floor(at), colours.length - 2);
      return colours[below].map((c, i) => c + (colours[below + 1][i] - c) * (at - below));
    }),
  );
  return { width, height, data };
}

/** Mixes a colour into the pixels where a slice `[height, width]` says how much, from 0 to 1. */
export function tint(pixels: Pixels, amount: Tensor, colour: Colour): Pixels {
  const amounts = numbersOf(amount);
  const data = pixels.data.map((byte, i) => {
    const mix = Math.min(Math.max(amounts[Math.floor(i / 3)], 0), 1);
    return byte + (colour[i % 3] - byte) * mix;
  });
  return { ...pixels, data };
}

/** Each pixel as a square of so many. */
export function enlarge(pixels: Pixels, factor: number): Pixels {
  const [width, height] = [pixels.width * factor, pixels.height * factor];
  const data = new Uint8Array(width * height * 3);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const from = Math.floor(y / factor) * pixels.width + Math.floor(x / factor);
      data.set(pixels.data.subarray(from * 3, from * 3 + 3), (y * width + x) * 3);
    }
  return { width, height, data };
}

/** Pictures of one height from left to right, white between them. */
export function sideBySide(pictures: readonly Pixels[], gap = 6): Pixels {
  const height = pictures[0].height;
  const width = pictures.reduce((sum, { width }) => sum + width + gap, -gap);
  const data = new Uint8Array(width * height * 3).fill(255);
  let left = 0;
  for (const picture of pictures) {
    for (let y = 0; y < height; y++)
      data.set(
        picture.data.subarray(y * picture.width * 3, (y + 1) * picture.width * 3),
        (y * width + left) * 3,
      );
    left += picture.width + gap;
  }
  return { width, height, data };
}

export const toPng = (pixels: Pixels): Uint8Array => encode({ ...pixels, channels: 3 });
