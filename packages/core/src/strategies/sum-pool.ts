// Sums over windows, and the adjoint that spreads each number over its window: the device's kernel, or
// one gathered (or scattered) addition of whole tensors for each place in a window.

import type { PoolGeometry } from '../device/device.js';
import { where } from '../ops/binary.js';
import { volume } from '../ops/conv/geometry.js';
import { gather } from '../ops/indexing.js';
import { scatterAdd } from '../ops/scatter.js';
import { Tensor } from '../tensor/tensor.js';
import { passes } from './cost-model.js';
import { type PoolCall, type PoolTensors, poolOperation, readsOf, tapsOf } from './pool-call.js';
import { hasTap, poolTaps, tapPositions } from './pool-taps.js';
import type { Strategy } from './types.js';

/** Returns `[planes, oD, oH, oW]`; spread `[planes, D, H, W]`. */
export type SumPoolStrategy = Strategy<PoolCall, PoolTensors, Tensor>;

type Kernel = 'sumPool' | 'spreadPool';

const fused = (kernel: Kernel): SumPoolStrategy => ({
  op: `${kernel}.forward`,
  name: 'fused',
  kind: 'fused',
  supports: () => ({ ok: true, reasons: ['the device has a kernel for it'] }),
  cost: (call, capabilities) => passes(capabilities, 1, readsOf(call)),
  run: (_, { planes, geometry }) =>
    new Tensor({
      device: planes.device,
      shape: [planes.shape[0], ...(kernel === 'sumPool' ? geometry.output : geometry.input)],
      storage: planes.device.kernels[kernel](planes, geometry),
    }),
});

const composite = (kernel: Kernel, run: SumPoolStrategy['run']): SumPoolStrategy => ({
  op: `${kernel}.forward`,
  name: 'composite',
  kind: 'composite',
  supports: (call) => ({ ok: true, reasons: [`${tapsOf(call)} additions of whole tensors`] }),
  cost: (call, capabilities) => passes(capabilities, 5 * tapsOf(call), 8 * readsOf(call)),
  run,
});

const zeros = (like: Tensor, shape: readonly number[]): Tensor =>
  Tensor.filled(shape, 0, like.dtype, like.device);

/** `part` where a window has the tap; a product with 0 would turn what is infinite into NaN. */
const within = (geometry: PoolGeometry, tap: Parameters<typeof hasTap>[1], part: Tensor): Tensor =>
  where(hasTap(geometry, tap, part), part, zeros(part, []));

const sumByTaps = composite('sumPool', (_, { planes, geometry }) => {
  const flat = planes.reshape(planes.shape[0], -1);
  let total = zeros(planes, [planes.shape[0], volume(geometry.output)]);
  for (const tap of poolTaps(geometry))
    total = total.add(within(geometry, tap, gather(flat, 1, tapPositions(geometry, tap, planes))));
  return total.reshape(planes.shape[0], ...geometry.output);
});

const spreadByTaps = composite('spreadPool', (_, { planes, geometry }) => {
  const flat = planes.reshape(planes.shape[0], -1);
  let total = zeros(planes, [planes.shape[0], volume(geometry.input)]);
  for (const tap of poolTaps(geometry))
    total = scatterAdd(total, 1, tapPositions(geometry, tap, planes), within(geometry, tap, flat));
  return total.reshape(planes.shape[0], ...geometry.input);
});

export const sumPoolOperations = [
  poolOperation('sumPool.forward'),
  poolOperation('spreadPool.forward'),
];
export const sumPoolStrategies = [
  ...[fused('sumPool'), sumByTaps],
  ...[fused('spreadPool'), spreadByTaps],
];
