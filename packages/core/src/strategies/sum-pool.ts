// Sums over windows, and the adjoint that spreads each number over its window: the device's kernel, or
// one gathered (or scattered) addition of whole tensors for each place in a window.

import type { PoolGeometry } from '../device/device.js';
import { where } from '../ops/binary.js';
import { volume } from '../ops/conv/geometry.js';
import { gather } from '../ops/indexing.js';
import { scatterAdd } from '../ops/scatter.js';
import type { DType } from '../tensor/dtype.js';
import { Tensor } from '../tensor/tensor.js';
import { passes } from './cost-model.js';
import type { Operation } from './operation.js';
import { hasTap, poolTaps, tapPositions } from './pool-taps.js';
import { dtypeOf, sizeClass, sizesOf } from './sizes.js';
import type { Strategy } from './types.js';

/** `explain('sumPool', { input: [8, 16, 16, 16], output: [8, 8, 8], window: [2, 2, 2] })`. */
export interface SumPoolCall {
  /** `[planes, D, H, W]`, what the sums are of, or what is spread to. */
  readonly input: readonly number[];
  /** Windows along each axis. */
  readonly output: readonly number[];
  /** Most elements of a window along each axis. */
  readonly window: readonly number[];
  readonly dtype: DType;
}

export interface SumPoolTensors {
  /** `[planes, D, H, W]`; to be spread `[planes, oD, oH, oW]`. */
  readonly planes: Tensor;
  readonly geometry: PoolGeometry;
}

/** Returns `[planes, oD, oH, oW]`; spread `[planes, D, H, W]`. */
export type SumPoolStrategy = Strategy<SumPoolCall, SumPoolTensors, Tensor>;

type Kernel = 'sumPool' | 'spreadPool';

const taps = ({ window }: SumPoolCall): number => window.reduce((a, b) => a * b, 1);
const reads = (call: SumPoolCall): number =>
  taps(call) * [call.input[0], ...call.output].reduce((a, b) => a * b, 1);

const fused = (kernel: Kernel): SumPoolStrategy => ({
  op: `${kernel}.forward`,
  name: 'fused',
  kind: 'fused',
  supports: () => ({ ok: true, reasons: ['the device has a kernel for it'] }),
  cost: (call, capabilities) => passes(capabilities, 1, reads(call)),
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
  supports: (call) => ({ ok: true, reasons: [`${taps(call)} additions of whole tensors`] }),
  cost: (call, capabilities) => passes(capabilities, 5 * taps(call), 8 * reads(call)),
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

const operation = (kernel: Kernel): Operation<SumPoolCall, SumPoolTensors> => ({
  op: `${kernel}.forward`,
  normalize: (name, call) => ({
    input: sizesOf(name, call, 'input'),
    output: sizesOf(name, call, 'output'),
    window: sizesOf(name, call, 'window'),
    dtype: dtypeOf(call),
  }),
  plain: (call) => call,
  key: ({ input, output, window, dtype }) => `${dtype},${input},${output},${window}`,
  shapeClass: (call) => sizeClass(reads(call)),
});

export const sumPoolOperations = [operation('sumPool'), operation('spreadPool')];
export const sumPoolStrategies = [
  ...[fused('sumPool'), sumByTaps],
  ...[fused('spreadPool'), spreadByTaps],
];
