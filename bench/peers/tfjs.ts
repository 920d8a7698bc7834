// TensorFlow.js with its cpu and wasm backends. Its convolutions have the channels last.

import { arrayOf, type Numbers, type PeerCase } from '../lib/peer-case.js';
import { peerPackage } from './install.js';
import type { Peer, Prepared } from './peer.js';

interface TfTensor {
  transpose(axes: number[]): TfTensor;
  dataSync(): Numbers;
  dispose(): void;
}

/** The part of the library that is used. */
interface Tf {
  setBackend(name: string): Promise<boolean>;
  ready(): Promise<void>;
  tensor(values: Numbers, shape: number[]): TfTensor;
  conv3d(x: TfTensor, filter: TfTensor, strides: number, pad: 'same'): TfTensor;
  grads(
    f: (x: TfTensor, w: TfTensor) => TfTensor,
  ): (args: TfTensor[], dy: TfTensor) => [TfTensor, TfTensor];
  tidy<T>(body: () => T): T;
  env(): { set(name: string, value: unknown): void };
}

/** NCDHW → NDHWC and back; [out, in, D, H, W] → [D, H, W, in, out] and back. */
const CHANNELS_LAST = [0, 2, 3, 4, 1];
const CHANNELS_FIRST = [0, 4, 1, 2, 3];
const FILTER = [2, 3, 4, 1, 0];
const FILTER_BACK = [4, 3, 0, 1, 2];

export async function tfjsPeers(): Promise<Peer[]> {
  const tf = await peerPackage<Tf>('@tensorflow/tfjs', 'cjs');
  if (!tf) return [];
  const wasm = await peerPackage<object>('@tensorflow/tfjs-backend-wasm', 'cjs');
  return ['cpu', ...(wasm ? ['wasm'] : [])].map((backend) => ({
    name: `tfjs ${backend}`,
    refuses: ({ depthwise, dtype }) =>
      dtype !== 'float32' ? 'float32 only' : depthwise ? 'no groups in three dimensions' : null,
    prepare: (c) => prepare(tf, backend, c),
  }));
}

async function prepare(tf: Tf, backend: string, c: PeerCase): Promise<Prepared> {
  await tf.setBackend(backend);
  await tf.ready();
  const place = (t: PeerCase['data']['x'], shape: number[], axes: number[]) =>
    tf.tidy(() => tf.tensor(arrayOf(t), shape).transpose(axes));
  const x = place(c.data.x, c.shapes.x, CHANNELS_LAST);
  const w = place(c.data.weight, c.shapes.weight, FILTER);
  const dy = place(c.data.gradOutput, c.shapes.out, CHANNELS_LAST);
  const conv = (x: TfTensor, w: TfTensor) => tf.conv3d(x, w, 1, 'same');
  // Nothing is read here: both backends compute at once. A switch of backends costs nothing.
  const on = async (body: () => TfTensor[]) => {
    await tf.setBackend(backend);
    for (const result of body()) result.dispose();
  };
  return {
    forward: () => on(() => [conv(x, w)]),
    both: () => on(() => tf.grads(conv)([x, w], dy)),
    values: async () => {
      await tf.setBackend(backend);
      const [dx, dw] = tf.grads(conv)([x, w], dy);
      const read = (t: TfTensor, axes: number[]) => t.transpose(axes).dataSync();
      return {
        forward: read(conv(x, w), CHANNELS_FIRST),
        input: read(dx, CHANNELS_FIRST),
        weight: read(dw, FILTER_BACK),
      };
    },
  };
}
