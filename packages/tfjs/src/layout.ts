// NCDHW on our side, channels last on that of tfjs. All crossings are here, as strided copies on
// the host: tfjs's own transpose is the slower one on its CPU backend.

import { contiguousStrides, cpuKernels, Storage, type Triple, type View } from '@voxgrad/core';

type Shape5 = [number, number, number, number, number];

export interface ChannelsLast {
  readonly data: Float32Array;
  readonly shape: Shape5;
}

function arranged(view: View, order: Shape5): ChannelsLast {
  const axes = (list: readonly number[]): Shape5 => {
    const [a, b, c, d, e] = order.map((axis) => list[axis]);
    return [a, b, c, d, e];
  };
  const shape = axes(view.shape);
  const { storage, dtype, offset } = view;
  const moved = { storage, dtype, offset, shape, strides: axes(view.strides) };
  return { data: cpuKernels.copy(moved, 'float32').array as Float32Array, shape };
}

/** `[N, C, D, H, W]` → `[N, D, H, W, C]` */
export const toChannelsLast = (x: View): ChannelsLast => arranged(x, [0, 2, 3, 4, 1]);

/** `[Co, Ci, kD, kH, kW]` → `[kD, kH, kW, Ci, Co]` */
export const toFilter = (weight: View): ChannelsLast => arranged(weight, [2, 3, 4, 1, 0]);

/** `[N, D, H, W, C]` → `[N, C, …spatial]`, cut to `spatial` where there is more. */
export function toChannelsFirst(
  data: Float32Array<ArrayBuffer>,
  shape: readonly number[],
  spatial: Triple,
): Storage {
  const [n, , , , c] = shape;
  const [sn, sd, sh, sw, sc] = contiguousStrides(shape);
  const view: View = {
    storage: new Storage('float32', data),
    dtype: 'float32',
    shape: [n, c, ...spatial],
    strides: [sn, sc, sd, sh, sw],
    offset: 0,
  };
  return cpuKernels.copy(view, 'float32');
}
