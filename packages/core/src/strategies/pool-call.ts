// What strategies are asked about pooling, whatever becomes of the windows.

import type { PoolGeometry } from '../device/device.js';
import type { DType } from '../tensor/dtype.js';
import { numelOf } from '../tensor/shape.js';
import type { Tensor } from '../tensor/tensor.js';
import type { Operation } from './operation.js';
import { dtypeOf, sizeClass, sizesOf } from './sizes.js';

/** `explain('maxPool', { input: [8, 16, 16, 16], output: [8, 8, 8], window: [2, 2, 2] })`. */
export interface PoolCall {
  /** `[planes, D, H, W]` */
  readonly input: readonly number[];
  /** Windows along each axis. */
  readonly output: readonly number[];
  /** Most elements of a window along each axis. */
  readonly window: readonly number[];
  readonly dtype: DType;
}

export interface PoolTensors {
  /** `[planes, D, H, W]`; to be spread `[planes, oD, oH, oW]`. */
  readonly planes: Tensor;
  readonly geometry: PoolGeometry;
}

/** Places in the largest window. */
export const tapsOf = ({ window }: PoolCall): number => numelOf(window);

/** Elements that all windows read. */
export const readsOf = (call: PoolCall): number =>
  tapsOf(call) * numelOf([call.input[0], ...call.output]);

export const poolOperation = (op: string): Operation<PoolCall, PoolTensors> => ({
  op,
  normalize: (name, call) => ({
    input: sizesOf(name, call, 'input'),
    output: sizesOf(name, call, 'output'),
    window: sizesOf(name, call, 'window'),
    dtype: dtypeOf(call),
  }),
  plain: (call) => call,
  key: ({ input, output, window, dtype }) => `${dtype},${input},${output},${window}`,
  shapeClass: (call) => sizeClass(readsOf(call)),
});
