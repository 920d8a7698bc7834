// Where the largest element of each window stands: the device's kernel, or one comparison of whole
// tensors for each place in a window.

import { where } from '../ops/binary.js';
import { volume } from '../ops/conv/geometry.js';
import { gather } from '../ops/indexing.js';
import { Tensor } from '../tensor/tensor.js';
import { passes } from './cost-model.js';
import { type PoolCall, type PoolTensors, poolOperation, readsOf, tapsOf } from './pool-call.js';
import { poolTaps, tapPositions } from './pool-taps.js';
import type { Strategy } from './types.js';

/** Returns flat positions within D·H·W, int64 `[planes, oD·oH·oW]`: the first maximum, or the last NaN. */
export type MaxPoolStrategy = Strategy<PoolCall, PoolTensors, Tensor>;

const op = 'maxPool.forward';

const fused: MaxPoolStrategy = {
  op,
  name: 'fused',
  kind: 'fused',
  supports: () => ({ ok: true, reasons: ['the device has a kernel that finds maxima'] }),
  cost: (call, capabilities) => passes(capabilities, 1, readsOf(call)),
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
  supports: (call) => ({ ok: true, reasons: [`${tapsOf(call)} comparisons of whole tensors`] }),
  cost: (call, capabilities) => passes(capabilities, 6 * tapsOf(call), 12 * readsOf(call)),
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

export const maxPoolOperation = poolOperation(op);
export const maxPoolStrategies = [fused, composite];
