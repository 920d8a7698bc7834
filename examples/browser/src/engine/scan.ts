// A volume in the worker: read from a file, or made up.

import { fromHost, type HostArray, type Tensor } from '@voxgrad/core';
import { readNifti } from '@voxgrad/data';
import type { Normalization, Triple, VolumeInfo } from '../shared/protocol.js';

/** What is known of a volume beside its elements. */
export type ScanInfo = Omit<VolumeInfo, 'grey'>;

export interface Scan {
  readonly info: ScanInfo;
  /** Row-major `[x, y, z]`. */
  readonly voxels: Float32Array<ArrayBuffer>;
  readonly statistics: Statistics;
}

interface Statistics {
  readonly least: number;
  readonly largest: number;
  readonly mean: number;
  readonly deviation: number;
}

export const voxelsOf = ([x, y, z]: Triple): number => x * y * z;

/**
 * A NIfTI volume of three axes; of more, the first of each further one.
 * @throws Error for anything else
 */
export async function readScan(file: File): Promise<Scan> {
  const { data, spacing, affine, slope, inter, header } = await readNifti(file, { device: 'cpu' });
  const [x, y, z, ...further] = data.shape;
  if (data.ndim < 3 || Math.min(x, y, z) < 2)
    throw new Error(
      `${file.name} is no volume: it has the shape [${data.shape.join(', ')}], and three axes of at ` +
        'least 2 voxels are needed. Stack slices to one NIfTI file first.',
    );
  const frames = further.reduce((a, b) => a * b, 1);
  const shape: Triple = [x, y, z];
  // Elements lie x fastest in the file, so the first frame is the beginning of the storage.
  const stored = data.storage.array as ArrayLike<number>;
  const info: ScanInfo = {
    name: file.name,
    shape,
    spacing: [spacing[0] || 1, spacing[1] || 1, spacing[2] || 1],
    unit: header.unit === 'unknown' ? 'mm' : header.unit,
    affine,
    type: header.type,
    note: frames > 1 ? `It holds ${frames} volumes; the first one is shown.` : '',
  };
  return scanOf(info, rowMajor(stored, shape, slope, inter));
}

/** From x fastest to z fastest, scaled. */
function rowMajor(
  stored: ArrayLike<number | bigint>,
  [X, Y, Z]: Triple,
  slope: number,
  inter: number,
): Float32Array<ArrayBuffer> {
  const voxels = new Float32Array(X * Y * Z);
  // By blocks of y and z, so that neither side strides over pages all the time.
  const BLOCK = 16;
  for (let x0 = 0; x0 < X; x0 += BLOCK)
    for (let y = 0; y < Y; y++)
      for (let z0 = 0; z0 < Z; z0 += BLOCK)
        for (let x = x0; x < Math.min(X, x0 + BLOCK); x++)
          for (let z = z0; z < Math.min(Z, z0 + BLOCK); z++)
            voxels[(x * Y + y) * Z + z] = Number(stored[x + X * (y + Y * z)]) * slope + inter;
  return voxels;
}

/**
 * A head-like volume of nested ellipsoids with noise, `edge` voxels along each axis; the same one
 * every time.
 */
export function syntheticScan(edge: number): Scan {
  const voxels = new Float32Array(edge ** 3);
  let seed = 1;
  // Numerical Recipes' linear congruence: good enough for grain.
  const noise = () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return seed / 2 ** 32 - 0.5;
  };
  const inside = (p: Triple, centre: Triple, radii: Triple): boolean =>
    ((p[0] - centre[0]) / radii[0]) ** 2 +
      ((p[1] - centre[1]) / radii[1]) ** 2 +
      ((p[2] - centre[2]) / radii[2]) ** 2 <
    1;
  let at = 0;
  for (let i = 0; i < edge; i++)
    for (let j = 0; j < edge; j++)
      for (let k = 0; k < edge; k++) {
        const p: Triple = [(2 * i) / edge - 1, (2 * j) / edge - 1, (2 * k) / edge - 1];
        const fold = 0.04 * Math.sin(14 * p[0]) * Math.sin(13 * p[1]) * Math.sin(12 * p[2]);
        let value = 8;
        if (inside(p, [0, 0, 0], [0.72, 0.86, 0.76])) value = 60;
        if (inside(p, [0, 0, 0], [0.64 + fold, 0.78 + fold, 0.68 + fold])) value = 120;
        if (inside(p, [0, 0, 0], [0.5 + 2 * fold, 0.64 + 2 * fold, 0.54 + 2 * fold])) value = 190;
        if (inside(p, [0.14, 0, 0.05], [0.08, 0.26, 0.12])) value = 40;
        if (inside(p, [-0.14, 0, 0.05], [0.08, 0.26, 0.12])) value = 40;
        voxels[at++] = Math.max(0, value + 24 * noise());
      }
  const info: ScanInfo = {
    name: `synthetic ${edge}³`,
    shape: [edge, edge, edge],
    spacing: [1, 1, 1],
    unit: 'mm',
    affine: [
      [1, 0, 0, 0],
      [0, 1, 0, 0],
      [0, 0, 1, 0],
      [0, 0, 0, 1],
    ],
    type: 'float32',
    note: '',
  };
  return scanOf(info, voxels);
}

function scanOf(info: ScanInfo, voxels: Float32Array<ArrayBuffer>): Scan {
  let [least, largest, sum, squares] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0, 0];
  for (let i = 0; i < voxels.length; i++) {
    const v = voxels[i];
    if (!Number.isFinite(v)) {
      voxels[i] = 0; // many tools write NaN outside of a mask
      continue;
    }
    if (v < least) least = v;
    if (v > largest) largest = v;
    sum += v;
    squares += v * v;
  }
  const mean = sum / voxels.length;
  const deviation = Math.sqrt(Math.max(squares / voxels.length - mean * mean, 0));
  return { info, voxels, statistics: { least, largest, mean, deviation } };
}

/** Grey values for display, from the 0.5th to the 99.8th percentile. */
export function greyOf({ voxels, statistics: { least, largest } }: Scan): Uint8Array<ArrayBuffer> {
  const BINS = 1024;
  const bins = new Uint32Array(BINS);
  const scale = (BINS - 1) / (largest - least || 1);
  for (let i = 0; i < voxels.length; i++) bins[Math.floor((voxels[i] - least) * scale)]++;
  const percentile = (part: number): number => {
    let left = part * voxels.length;
    let bin = 0;
    while (bin < BINS - 1 && left > bins[bin]) left -= bins[bin++];
    return least + bin / scale;
  };
  const [low, high] = [percentile(0.005), percentile(0.998)];
  const step = 255 / (high - low || 1);
  const grey = new Uint8ClampedArray(voxels.length);
  for (let i = 0; i < voxels.length; i++) grey[i] = (voxels[i] - low) * step;
  return new Uint8Array(grey.buffer);
}

/** The input of a network: `[1, 1, x, y, z]`. */
export function inputOf(
  { info, voxels, statistics }: Scan,
  how: Normalization,
): { readonly input: Tensor; readonly said: string } {
  const { least, largest, mean, deviation } = statistics;
  const [shift, factor, said] = {
    max: [0, 1 / (largest || 1), `divided by ${largest}, the largest voxel`],
    minmax: [least, 1 / (largest - least || 1), `from [${least}, ${largest}] to [0, 1]`],
    zscore: [mean, 1 / (deviation || 1), 'to mean 0 and deviation 1'],
    none: [0, 1, 'as they are'],
  }[how] as [number, number, string];
  // Division and not a product with the inverse, where PyTorch programs divide.
  const scaled =
    how === 'max' ? voxels.map((v) => v / (largest || 1)) : voxels.map((v) => (v - shift) * factor);
  const input = fromHost(scaled as HostArray, 'float32', [1, 1, ...info.shape]);
  return { input, said };
}
