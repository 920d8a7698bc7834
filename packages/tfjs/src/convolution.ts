import { AXES, type ConvGeometry, type Storage, samePadding, type View } from '@voxgrad/core';
import type { Tfjs } from './device.js';
import { toChannelsFirst, toChannelsLast, toFilter } from './layout.js';

/**
 * `conv(x, w)` of one group, `[N, Ci, D, H, W]` and `[Co, Ci, kD, kH, kW]`, with the padding made
 * explicit. Either the strides or the dilations must be 1, which tfjs requires.
 */
export function convForward(tf: Tfjs, x: View, weight: View, g: ConvGeometry): Storage {
  const [input, filter] = [toChannelsLast(x), toFilter(weight)];
  const y = tf.tidy(() => {
    const whole = tf.tensor5d(input.data, input.shape);
    const kernel = tf.tensor5d(filter.data, filter.shape);
    const convolve = (from: typeof whole, padding: 'same' | 'valid') =>
      tf.conv3d(from, kernel, [...g.stride], padding, 'NDHWC', [...g.dilation]);
    if (isSame(g)) return convolve(whole, 'same');
    const [d, h, w] = g.padding.map(([lo, hi]): [number, number] => [lo, hi]);
    return convolve(tf.pad(whole, [[0, 0], d, h, w, [0, 0]]), 'valid');
  });
  try {
    // An output padding beyond the stride makes more positions than the geometry asks for.
    return toChannelsFirst(Float32Array.from(y.dataSync()), y.shape, g.output);
  } finally {
    y.dispose();
  }
}

/** Whether the padding is what tfjs calls 'same'; it then skips the zeros instead of reading them. */
const isSame = (g: ConvGeometry): boolean =>
  AXES.every((a) => {
    const [lo, hi] = samePadding(g.kernel[a], g.dilation[a]);
    return g.stride[a] === 1 && g.padding[a][0] === lo && g.padding[a][1] === hi;
  });
