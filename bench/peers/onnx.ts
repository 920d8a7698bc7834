// onnxruntime-node, which infers only.

import { arrayOf, type Numbers, type PeerCase } from '../lib/peer-case.js';
import { peerPackage } from './install.js';
import { convModel } from './onnx-model.js';
import type { Peer, Prepared } from './peer.js';

interface Session {
  run(feeds: Record<string, unknown>): Promise<{ y: { data: Numbers } }>;
}

interface Onnx {
  InferenceSession: {
    create(model: Uint8Array, options: { intraOpNumThreads: number }): Promise<Session>;
  };
  Tensor: new (type: 'float32', data: Numbers, dims: number[]) => unknown;
}

export async function onnxPeers(): Promise<Peer[]> {
  const onnx = await peerPackage<Onnx>('onnxruntime-node', 'cjs');
  if (!onnx) return [];
  const refuses = ({ dtype }: PeerCase) => (dtype === 'float32' ? null : 'compared in float32');
  return [{ name: 'onnxruntime-node', refuses, prepare: (c) => prepare(onnx, c) }];
}

async function prepare(onnx: Onnx, c: PeerCase): Promise<Prepared> {
  const model = convModel(c.geometry, c.shapes);
  const session = await onnx.InferenceSession.create(model, { intraOpNumThreads: 1 });
  const feeds = {
    x: new onnx.Tensor('float32', arrayOf(c.data.x), c.shapes.x),
    w: new onnx.Tensor('float32', arrayOf(c.data.weight), c.shapes.weight),
  };
  return {
    forward: () => session.run(feeds),
    values: async () => ({ forward: (await session.run(feeds)).y.data }),
  };
}
