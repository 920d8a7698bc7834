// onnxruntime-node, which infers only. The weights are constants of the model, which it may rearrange.

import { packageFrom, versionOf } from './packages.js';
import type { JsPeer, Numbers } from './server.js';

interface Session {
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
  run(feeds: Record<string, unknown>): Promise<Record<string, { data: Numbers }>>;
}

interface Onnx {
  InferenceSession: {
    create(model: Uint8Array, options: { intraOpNumThreads: number }): Promise<Session>;
  };
  Tensor: new (type: 'float32', data: Numbers, dims: readonly number[]) => unknown;
}

export const onnx: JsPeer = {
  refuses: () => null,
  prepare: async (work, data, { threads, from }) => {
    const library = await packageFrom<Onnx>(from, 'onnxruntime-node');
    const options = { intraOpNumThreads: threads };
    const session = await library.InferenceSession.create(data.model(), options);
    const [name] = session.inputNames;
    const feeds = { [name]: new library.Tensor('float32', data.x, work.input) };
    const run = async () => (await session.run(feeds))[session.outputNames[0]];
    return {
      version: versionOf(from, 'onnxruntime-node'),
      run: { forward: async () => void (await run()) },
      values: async () => ({ y: (await run()).data }),
    };
  },
};
