// jax-js with its wasm backend. Arrays are used up by what they are given to, unless `.ref` is.

import { arrayOf, type Numbers, type PeerCase } from '../lib/peer-case.js';
import { peerPackage } from './install.js';
import type { Peer, Prepared } from './peer.js';

interface JaxArray {
  readonly ref: JaxArray;
  blockUntilReady(): Promise<JaxArray>;
  data(): Promise<Numbers>;
  dispose(): void;
}

type Conv = (x: JaxArray, w: JaxArray) => JaxArray;

interface Jax {
  init(device: string): Promise<unknown>;
  defaultDevice(device: string): unknown;
  numpy: { array(values: Numbers, options: { shape: number[] }): JaxArray };
  lax: {
    convGeneralDilated(
      x: JaxArray,
      w: JaxArray,
      strides: number[],
      padding: (readonly [number, number])[],
      options: { featureGroupCount: number },
    ): JaxArray;
  };
  vjp(f: Conv, primals: JaxArray[]): [JaxArray, (dy: JaxArray) => [JaxArray, JaxArray]];
}

export async function jaxPeers(): Promise<Peer[]> {
  // It asks the navigator for a graphics card, and Node 20 has no navigator.
  if (globalThis.navigator === undefined) Object.assign(globalThis, { navigator: {} });
  const jax = await peerPackage<Jax>('@jax-js/jax', 'esm');
  if (!jax) return [];
  await jax.init('wasm');
  jax.defaultDevice('wasm');
  const refuses = ({ dtype }: PeerCase) => (dtype === 'float32' ? null : 'compared in float32');
  return [{ name: 'jax-js wasm', refuses, prepare: async (c) => prepare(jax, c) }];
}

function prepare(jax: Jax, c: PeerCase): Prepared {
  const { groups, padding } = c.geometry;
  const place = (t: PeerCase['data']['x'], shape: number[]) =>
    jax.numpy.array(arrayOf(t), { shape });
  const x = place(c.data.x, c.shapes.x);
  const w = place(c.data.weight, c.shapes.weight);
  const dy = place(c.data.gradOutput, c.shapes.out);
  const conv: Conv = (x, w) =>
    jax.lax.convGeneralDilated(x, w, [1, 1, 1], [...padding], { featureGroupCount: groups });
  const gradients = () => {
    const [y, pull] = jax.vjp(conv, [x.ref, w.ref]);
    return [y, ...pull(dy.ref)];
  };
  return {
    forward: async () => (await conv(x.ref, w.ref).blockUntilReady()).dispose(),
    both: async () => {
      for (const result of gradients()) (await result.blockUntilReady()).dispose();
    },
    values: async () => {
      const [forward, input, weight] = await Promise.all(gradients().map((t) => t.data()));
      return { forward, input, weight };
    },
  };
}
