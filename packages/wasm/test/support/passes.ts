// Convolutions whose results are compared bit by bit.

import {
  type ConvGeometry,
  type Device,
  inputShape,
  outputShape,
  weightShape,
} from '@voxgrad/core';
import { defined, filled } from '../../../core/test/support/numbers.js';

/** A 3×3×3 convolution that keeps the size, but for what is given. */
export const geometry = (g: Partial<ConvGeometry>): ConvGeometry => ({
  spatialRank: 3,
  batch: 2,
  groups: 1,
  inChannels: 5,
  outChannels: 7,
  input: [9, 10, 22],
  output: [9, 10, 22],
  kernel: [3, 3, 3],
  stride: [1, 1, 1],
  dilation: [1, 1, 1],
  padding: [
    [1, 1],
    [1, 1],
    [1, 1],
  ],
  ...g,
});

/** The output and all gradients, as text. */
export function passes({ kernels }: Device, g: ConvGeometry, dtype: 'float32' | 'float64') {
  const [x, w, gy] = [inputShape(g), weightShape(g), outputShape(g)].map((shape) =>
    filled(shape).to(dtype),
  );
  const [dx, dw, db] = defined(kernels.convBackward)(gy, x, w, g, [true, true, true]);
  // Bytes as text: -0 and 0 differ, and comparing it is fast.
  return [defined(kernels.convForward)(x, w, g), dx, dw, db].map((storage) => {
    const { buffer, byteOffset, byteLength } = defined(storage).array;
    return Buffer.from(buffer, byteOffset, byteLength).toString('latin1');
  });
}
