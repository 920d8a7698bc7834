// What tfjs holds once nothing of ours that is forgotten is counted: gradients wait for a collector.

import type * as tfjs from '@tensorflow/tfjs-core';

export interface Held {
  readonly tensors: number;
  readonly bytes: number;
}

/** `collect` runs a full garbage collection. */
export async function held(tf: typeof tfjs, collect: () => void): Promise<Held> {
  for (let i = 0; i < 3; i++) {
    collect();
    await new Promise((resolve) => setTimeout(resolve, 0)); // finalizers run between tasks
  }
  const { numTensors, numBytes } = tf.memory();
  return { tensors: numTensors, bytes: numBytes };
}
