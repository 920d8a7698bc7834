// Ten small operations one after the other, by tensors of voxgrad and by TensorFlow.js itself.

import * as tf from '@tensorflow/tfjs-core';
import type { Tensor } from '@voxgrad/core';

const PAIRS = 5;

export function ourChain(x: Tensor): Tensor {
  let y = x;
  for (let k = 0; k < PAIRS; k++) y = y.mul(x).tanh();
  return y;
}

export function theirChain(x: tf.Tensor): tf.Tensor {
  let y = x;
  for (let k = 0; k < PAIRS; k++) y = tf.tanh(tf.mul(y, x));
  return y;
}
