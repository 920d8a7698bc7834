// The forward convolution by tfjs: NCDHW on our side, NDHWC on theirs, padding made explicit.

import type { Rank, Tensor5D } from '@tensorflow/tfjs-core';
import { type ConvGeometry, Storage, type View } from '@voxgrad/core';
import type { Tfjs } from './device.js';

/** Elements of a view in row-major order, as tfjs takes them. */
export type ReadFloats = (view: View) => Float32Array;

const TO_CHANNELS_LAST = [0, 2, 3, 4, 1];
const TO_CHANNELS_FIRST = [0, 4, 1, 2, 3];
/** `[Co, Ci, kD, kH, kW]` → `[kD, kH, kW, Ci, Co]` */
const TO_FILTER = [2, 3, 4, 1, 0];

type Rank5 = Rank.R5;
type Shape5 = [number, number, number, number, number];

const shape5 = ({ shape: [n, c, d, h, w] }: View): Shape5 => [n, c, d, h, w];

/**
 * `conv(x, w)` of one group, `[N, Ci, D, H, W]` and `[Co, Ci, kD, kH, kW]`. Either the strides or
 * the dilations must be 1, which tfjs requires.
 */
export function convForward(
  tf: Tfjs,
  read: ReadFloats,
  x: View,
  weight: View,
  g: ConvGeometry,
): Storage {
  const result = tf.tidy(() => {
    const arranged = (view: View, order: number[]): Tensor5D =>
      tf.transpose(tf.tensor<Rank5>(read(view), shape5(view)), order);
    const input = arranged(x, TO_CHANNELS_LAST);
    const filter = arranged(weight, TO_FILTER);
    const padding = [[0, 0], ...g.padding.map(([lo, hi]) => [lo, hi]), [0, 0]] as [
      number,
      number,
    ][];
    const padded = padding.some(([lo, hi]) => lo + hi > 0) ? tf.pad(input, padding) : input;
    const y = tf.conv3d(padded, filter, [...g.stride], 'valid', 'NDHWC', [...g.dilation]);
    return tf.transpose(y, TO_CHANNELS_FIRST);
  });
  try {
    return new Storage('float32', Float32Array.from(result.dataSync()));
  } finally {
    result.dispose();
  }
}
