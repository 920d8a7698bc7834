// The eleven training-size calls of seismic networks, and the dense layers of a U-Net, that the suites
// measure. Published are the names and kernels of train04 and train05, the volume 296×296×168, and that
// both crash the native backward on Ascend; the other nine are this project's choice.

import { dilatedKernel } from '@voxgrad/core';
import type { ConvDescription } from '@voxgrad/npu';

export interface Pattern {
  readonly name: string;
  readonly input: readonly [n: number, c: number, d: number, h: number, w: number];
  readonly weight: readonly [co: number, ci: number, kd: number, kh: number, kw: number];
  readonly stride: number;
  readonly padding: number;
  readonly dilation: number;
  readonly groups: number;
}

type Row = readonly [
  name: string,
  input: Pattern['input'],
  weight: Pattern['weight'],
  rest?: Partial<Omit<Pattern, 'name' | 'input' | 'weight'>>,
];

const rows = (list: readonly Row[]): readonly Pattern[] =>
  list.map(([name, input, weight, rest]) => ({
    ...{ name, input, weight, stride: 1, padding: 0, dilation: 1, groups: 1 },
    ...rest,
  }));

export const PATTERNS: readonly Pattern[] = rows([
  ['train01_k3_stem', [1, 1, 296, 296, 168], [7, 1, 3, 3, 3], { padding: 1 }],
  ['train02_k3_c7', [1, 7, 296, 296, 168], [7, 7, 3, 3, 3], { padding: 1 }],
  ['train03_dw_k5_g7', [1, 7, 296, 296, 168], [7, 1, 5, 5, 5], { padding: 2, groups: 7 }],
  ['train04_dw_k7_g7', [1, 7, 168, 296, 296], [7, 1, 7, 7, 7], { padding: 3, groups: 7 }],
  ['train05_dw_k9_g7', [1, 7, 296, 296, 168], [7, 1, 9, 9, 9], { padding: 4, groups: 7 }],
  ['train06_k1_c7_14', [1, 7, 296, 296, 168], [14, 7, 1, 1, 1]],
  ['train07_k3_s2', [1, 14, 256, 256, 160], [28, 14, 3, 3, 3], { stride: 2, padding: 1 }],
  ['train08_k3_d2', [1, 16, 160, 160, 160], [16, 16, 3, 3, 3], { padding: 2, dilation: 2 }],
  ['train09_k3_g4', [1, 32, 160, 160, 160], [32, 8, 3, 3, 3], { padding: 1, groups: 4 }],
  ['train10_k3_c32', [1, 32, 160, 160, 160], [32, 32, 3, 3, 3], { padding: 1 }],
  ['train11_k2_s2_down', [1, 16, 192, 192, 192], [32, 16, 2, 2, 2], { stride: 2 }],
]);

/** Plain layers, where a device's own kernels have the least to fear. */
export const DENSE: readonly Pattern[] = rows([
  ['dense_c8_k3', [1, 8, 64, 64, 64], [8, 8, 3, 3, 3], { padding: 1 }],
  ['dense_c16_32_k3', [1, 16, 48, 48, 48], [32, 16, 3, 3, 3], { padding: 1 }],
  ['dense_c64_k3', [1, 64, 24, 24, 24], [64, 64, 3, 3, 3], { padding: 1 }],
  ['dense_c32_16_k1', [1, 32, 64, 64, 64], [16, 32, 1, 1, 1]],
  ['dense_c16_k5', [1, 16, 32, 32, 32], [16, 16, 5, 5, 5], { padding: 2 }],
]);

/** The pattern with each axis of the volume divided by `scale`, but a few outputs long. */
export function scaled(pattern: Pattern, scale: number): Pattern {
  const [n, c, ...volume] = pattern.input;
  const [d, h, w] = volume.map((size, a) => {
    const kernel = dilatedKernel(pattern.weight[a + 2], pattern.dilation);
    return Math.min(size, Math.max(Math.round(size / scale), kernel + 2 * pattern.stride));
  });
  return { ...pattern, input: [n, c, d, h, w] };
}

/** The pattern as planners and `strategies.explain` take it. */
export const describePattern = ({ name: _, ...call }: Pattern): ConvDescription => call;
