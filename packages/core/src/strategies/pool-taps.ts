// The windows of a pooling one place at a time: what compositions of pools are made of.

import type { PoolGeometry } from '../device/device.js';
import type { Triple } from '../ops/conv/geometry.js';
import { expand } from '../ops/views.js';
import { Storage } from '../tensor/storage.js';
import { Tensor } from '../tensor/tensor.js';

/** The most elements that windows have along each axis. */
export const windowSizes = ({ windows }: PoolGeometry): Triple => {
  const most = ({ starts, ends, step }: PoolGeometry['windows'][number]) =>
    starts.reduce((size, start, i) => Math.max(size, Math.ceil((ends[i] - start) / step)), 1);
  return [most(windows[0]), most(windows[1]), most(windows[2])];
};

/** Every place in the largest window. */
export function* poolTaps(geometry: PoolGeometry): Generator<Triple> {
  const [depth, height, width] = windowSizes(geometry);
  for (let d = 0; d < depth; d++)
    for (let h = 0; h < height; h++) for (let w = 0; w < width; w++) yield [d, h, w];
}

/** The last place of each window along an axis. */
const lastOf = ({ starts, ends, step }: PoolGeometry['windows'][number]): number[] =>
  starts.map((start, i) => Math.max(Math.ceil((ends[i] - start) / step) - 1, 0));

/** One number for each window, from what its three axes give. */
function eachWindow<T>(axes: readonly (readonly T[])[], visit: (d: T, h: T, w: T) => void): void {
  const [deep, high, wide] = axes;
  for (const d of deep) for (const h of high) for (const w of wide) visit(d, h, w);
}

const rowFor = (planes: Tensor, storage: Storage): Tensor => {
  const { device } = planes;
  const row = new Tensor({ device, shape: [1, storage.length], storage });
  return expand(row, [planes.shape[0], storage.length]);
};

/**
 * The flat position of one tap of every window, for each plane, int64. A window that is too short for
 * it repeats its last element there.
 */
export function tapPositions(
  { input, windows }: PoolGeometry,
  tap: Triple,
  planes: Tensor,
): Tensor {
  const along = windows.map((axis, a) => {
    const last = lastOf(axis);
    return axis.starts.map((start, i) => start + axis.step * Math.min(tap[a], last[i]));
  });
  const positions: bigint[] = [];
  eachWindow(along, (d, h, w) => positions.push(BigInt((d * input[1] + h) * input[2] + w)));
  return rowFor(planes, new Storage('int64', BigInt64Array.from(positions)));
}

/** Whether each window has the tap, for each plane, bool. */
export function hasTap({ windows }: PoolGeometry, tap: Triple, planes: Tensor): Tensor {
  const along = windows.map((axis, a) =>
    axis.starts.map((start, i) => start + axis.step * tap[a] < axis.ends[i]),
  );
  const has: number[] = [];
  eachWindow(along, (d, h, w) => has.push(Number(d && h && w)));
  return rowFor(planes, new Storage('bool', Uint8Array.from(has)));
}
