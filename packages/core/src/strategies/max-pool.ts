// Where the largest element of each window stands: the device's kernel, or one comparison of whole
// tensors for each place in a window.

import type { PoolGeometry } from '../device/device.js';
import { where } from '../ops/binary.js';
import type { Triple } from '../ops/conv/geometry.js';
import { volume } from '../ops/conv/geometry.js';
import { gather } from '../ops/indexing.js';
import { expand } from '../ops/views.js';
import type { DType } from '../tensor/dtype.js';
import { Storage } from '../tensor/storage.js';
import { Tensor } from '../tensor/tensor.js';
import { passes } from './cost-model.js';
import type { Operation } from './operation.js';
import { dtypeOf, sizeClass, sizesOf } from './sizes.js';
import type { Strategy } from './types.js';

/** `explain('maxPool', { input: [8, 16, 16, 16], output: [8, 8, 8], window: [2, 2, 2] })`. */
export interface MaxPoolCall {
  /** `[planes, D, H, W]` */
  readonly input: readonly number[];
  readonly output: readonly number[];
  /** Most elements of a window along each axis. */
  readonly window: readonly number[];
  readonly dtype: DType;
}

export interface MaxPoolTensors {
  /** `[planes, D, H, W]` */
  readonly planes: Tensor;
  readonly geometry: PoolGeometry;
}

/** Returns flat positions within D·H·W, int64 `[planes, oD·oH·oW]`: the first maximum, or the last NaN. */
export type MaxPoolStrategy = Strategy<MaxPoolCall, MaxPoolTensors, Tensor>;

const op = 'maxPool.forward';

const reads = ({ input, output, window }: MaxPoolCall): number =>
  [input[0], ...output, ...window].reduce((a, b) => a * b, 1);

const fused: MaxPoolStrategy = {
  op,
  name: 'fused',
  kind: 'fused',
  supports: () => ({ ok: true, reasons: ['the device has a kernel that finds maxima'] }),
  cost: (call, capabilities) => passes(capabilities, 1, reads(call)),
  run: (_, { planes, geometry }) =>
    new Tensor({
      device: planes.device,
      shape: [planes.shape[0], volume(geometry.output)],
      storage: planes.device.kernels.maxPoolIndices(planes, geometry),
    }),
};

const composite: MaxPoolStrategy = {
  op,
  name: 'composite',
  kind: 'composite',
  supports: ({ window }) => ({
    ok: true,
    reasons: [`${window.reduce((a, b) => a * b, 1)} comparisons of whole tensors`],
  }),
  cost: (call, capabilities) =>
    passes(capabilities, 6 * call.window.reduce((a, b) => a * b, 1), 12 * reads(call)),
  run(_, { planes, geometry }) {
    const flat = planes.reshape(planes.shape[0], -1);
    let positions: Tensor | null = null;
    let best: Tensor | null = null;
    for (const tap of taps(windowSizes(geometry))) {
      const here = positionsOf(geometry, tap, planes);
      const found = gather(flat, 1, here);
      const better: Tensor | null = best && found.gt(best).logicalOr(found.ne(found));
      positions = better && positions ? where(better, here, positions) : here;
      best = better && best ? where(better, found, best) : found;
    }
    return (positions ?? positionsOf(geometry, [0, 0, 0], planes)).contiguous();
  },
};

/** The most elements that windows have along each axis. */
export const windowSizes = ({ windows }: PoolGeometry): Triple => {
  const most = ({ starts, ends, step }: PoolGeometry['windows'][number]) =>
    starts.reduce((size, start, i) => Math.max(size, Math.ceil((ends[i] - start) / step)), 1);
  return [most(windows[0]), most(windows[1]), most(windows[2])];
};

function* taps([depth, height, width]: Triple): Generator<Triple> {
  for (let d = 0; d < depth; d++)
    for (let h = 0; h < height; h++) for (let w = 0; w < width; w++) yield [d, h, w];
}

/**
 * The position of one tap of every window, for each plane. A window that is too short for it repeats
 * its last element there, which changes neither the first maximum nor the last NaN.
 */
function positionsOf({ input, windows }: PoolGeometry, tap: Triple, planes: Tensor): Tensor {
  const along = windows.map(({ starts, ends, step }, axis) =>
    starts.map((start, i) => {
      const last = Math.max(Math.ceil((ends[i] - start) / step) - 1, 0);
      return start + step * Math.min(tap[axis], last);
    }),
  );
  const [deep, high, wide] = along;
  const out = new BigInt64Array(deep.length * high.length * wide.length);
  let at = 0;
  for (const d of deep)
    for (const h of high)
      for (const w of wide) out[at++] = BigInt((d * input[1] + h) * input[2] + w);
  const { device } = planes;
  const row = new Tensor({ device, shape: [1, out.length], storage: new Storage('int64', out) });
  return expand(row, [planes.shape[0], out.length]);
}

export const maxPoolOperation: Operation<MaxPoolCall, MaxPoolTensors> = {
  op,
  normalize: (name, call) => ({
    input: sizesOf(name, call, 'input'),
    output: sizesOf(name, call, 'output'),
    window: sizesOf(name, call, 'window'),
    dtype: dtypeOf(call),
  }),
  plain: (call) => call,
  key: ({ input, output, window, dtype }) => `${dtype},${input},${output},${window}`,
  shapeClass: (call) => sizeClass(reads(call)),
};

export const maxPoolStrategies = [fused, composite];
