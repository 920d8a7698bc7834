// Bytes of L1 of some 'same' convolutions with stride 1 on Ascend910B1, computed from the formulas
// that `source` names and not run on hardware: the values next to every threshold, and those where
// the channels come to need a second block.

import type { DType } from '@voxgrad/core';
import type { SourceKey } from '../../src/index.js';

export interface L1Vector {
  readonly kernel: number;
  readonly size: readonly [d: number, h: number, w: number];
  readonly channels: number;
  readonly groups: number;
  readonly dtype: DType;
  readonly input: { readonly aL1: number; readonly bL1: number; readonly fillZero: number };
  readonly runs: boolean;
  readonly weight: number;
  readonly forward: number;
  readonly source: readonly SourceKey[];
}

const source = ['dx_check', 'dw_check', 'fwd_check'] as const;

type Row = readonly [
  ...call: [kernel: number, w: number, channels: number, dtype: DType],
  ...input: [aL1: number, bL1: number, fillZero: number, runs: boolean],
  ...others: [weight: number, forward: number],
];

const fromRow =
  (d: number, h: number) =>
  ([kernel, w, channels, dtype, aL1, bL1, fillZero, runs, weight, forward]: Row): L1Vector => ({
    ...{ kernel, size: [d, h, w], channels, groups: channels, dtype },
    ...{ input: { aL1, bL1, fillZero }, runs, weight, forward, source },
  });

const BY_WIDTH: readonly Row[] = [
  [3, 16, 7, 'float32', 4608, 4608, 0, true, 4096, 2560],
  [5, 296, 7, 'float32', 284160, 12800, 0, true, 114688, 56832],
  [7, 278, 7, 'float32', 498176, 25088, 0, true, 143360, 71168],
  [7, 279, 7, 'float32', 499968, 25088, 0, false, 143872, 71424],
  [9, 167, 7, 'float32', 480960, 41472, 0, true, 107904, 53440],
  [9, 168, 7, 'float32', 483840, 41472, 0, false, 108544, 53760],
  [11, 64, 7, 'float32', 270336, 61952, 0, true, 46080, 24576],
  [11, 160, 7, 'float32', 675840, 61952, 0, false, 113664, 61440],
  [7, 278, 7, 'float16', 498176, 25088, 512, true, 71680, 71168],
  [7, 279, 7, 'float16', 499968, 25088, 512, false, 71936, 71424],
  [9, 167, 7, 'float16', 480960, 41472, 512, true, 53952, 53440],
  [9, 168, 7, 'float16', 483840, 41472, 512, false, 54272, 53760],
];

const BY_CHANNELS: readonly Row[] = [
  [9, 296, 1, 'float32', 852480, 41472, 0, false, 190464, 94720],
  [9, 296, 8, 'float32', 852480, 41472, 0, false, 190464, 94720],
  [9, 296, 9, 'float32', 94720, 41472, 0, true, 190464, 94720],
  [9, 296, 64, 'float32', 94720, 41472, 0, true, 190464, 94720],
  [9, 296, 16, 'float16', 852480, 41472, 512, false, 95232, 94720],
  [9, 296, 17, 'float16', 94720, 41472, 512, true, 95232, 94720],
];

export const L1_VECTORS: readonly L1Vector[] = [
  ...BY_WIDTH.map(fromRow(296, 296)),
  ...BY_CHANNELS.map(fromRow(168, 296)),
];

/** Widest depthwise 'same' convolution whose input gradient runs in 512 KiB of L1 (dx_check). */
export const WIDTH_THRESHOLDS: readonly (readonly [kernel: number, width: number])[] = [
  [5, 532],
  [7, 278],
  [9, 167],
  [11, 109],
];
