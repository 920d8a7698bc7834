// A page: a 3D convolution and a chain of small operations on webgl, by the tfjs device and by tfjs itself.

import * as tf from '@tensorflow/tfjs-core';
import '@tensorflow/tfjs-backend-webgl';
import { certify, conv3d, type Device, fromHost, noGrad, scope } from '@voxgrad/core';
import '@voxgrad/core/methods';
import { createTfjsDevice } from '@voxgrad/tfjs';
import { interleaved, type Run } from '../../packages/voxgrad/src/bench/measure.js';
import { ourChain, theirChain } from '../lib/tfjs-chain.js';

export interface WebglReport {
  /** Milliseconds of one call, and the ratio of the two. */
  readonly rows: readonly {
    readonly name: string;
    readonly ours: number;
    readonly theirs: number;
    readonly ratio: number;
  }[];
}

const random = (length: number) => Float32Array.from({ length }, (_, i) => Math.sin(1.3 * i));

/** Both end when the sums of the channels that they made have been read. */
function convolution(device: Device): Record<'ours' | 'theirs', Run> {
  const [from, to, edge] = [16, 32, 32];
  const [x, w] = [random(from * edge ** 3), random(to * from * 27)];
  const ours = [
    fromHost(x, 'float32', [1, from, edge, edge, edge], { device }),
    fromHost(w, 'float32', [to, from, 3, 3, 3], { device }),
  ];
  const theirs = [
    tf.tensor5d(x, [1, edge, edge, edge, from]),
    tf.tensor5d(w, [3, 3, 3, from, to]),
  ] as const;
  return {
    ours: async () => {
      const sum = scope(() =>
        noGrad(() => conv3d(ours[0], ours[1], null, { padding: 1 }).sum([0, 2, 3, 4])),
      );
      await sum.data();
      sum.storage.release();
    },
    theirs: async () => {
      const sum = tf.tidy(() => tf.sum(tf.conv3d(theirs[0], theirs[1], 1, 'same'), [0, 1, 2, 3]));
      await sum.data();
      sum.dispose();
    },
  };
}

function chain(device: Device): Record<'ours' | 'theirs', Run> {
  const data = random(4096);
  const x = fromHost(data, 'float32', [64, 64], { device });
  const raw = tf.tensor2d(data, [64, 64]);
  return {
    ours: async () => {
      const y = scope(() => noGrad(() => ourChain(x)));
      await y.data();
      y.storage.release();
    },
    theirs: async () => {
      const y = tf.tidy(() => theirChain(raw));
      await y.data();
      y.dispose();
    },
  };
}

tf.env().set('WEBGL_CPU_FORWARD', false); // small tensors would be computed by another backend
await tf.setBackend('webgl');
await tf.ready();
const device = createTfjsDevice(tf);
await certify(device);

const rows: WebglReport['rows'][number][] = [];
const cases = {
  '16 → 32 at 32³, forward': convolution(device),
  'ten operations on 64 × 64': chain(device),
};
for (const [name, runs] of Object.entries(cases)) {
  const { ms, ratio } = await interleaved<'ours' | 'theirs'>(runs, { rounds: 7, slowMs: 60_000 });
  rows.push({ name, ours: ms.ours, theirs: ms.theirs, ratio: ratio('ours', 'theirs') });
}
const report: WebglReport = { rows };
Object.assign(globalThis, { report });
