// Where the largest element of each window stands: the device's kernel, or one comparison of whole
// tensors for each place in a window.

import type { PoolGeometry } from '../device/device.js';
import { where } from '../ops/binary.js';
import { volume } from '../ops/conv/geometry.js';
import { gather } from '../ops/indexing.js';
import type { DType } from '../tensor/dtype.js';
import { Tensor } from '../tensor/tensor.js';
import { passes } from './cost-model.js';
import type { Operation } from './operation.js';
import { poolTaps, tapPositions } from './pool-taps.js';
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
    for (const tap of poolTaps(geometry)) {
      // A last element twice changes neither the first maximum nor the last NaN.
      const here = tapPositions(geometry, tap, planes);
      const found = gather(flat, 1, here);
      const better: Tensor | null = best && found.gt(best).logicalOr(found.ne(found));
      positions = better && positions ? where(better, here, positions) : here;
      best = better && best ? where(better, found, best) : found;
    }
    return (positions ?? tapPositions(geometry, [0, 0, 0], planes)).contiguous();
  },
};

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
