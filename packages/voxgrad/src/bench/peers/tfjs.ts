// TensorFlow.js with its cpu and wasm backends. Its convolutions have the channels last, the same padding
// on all sides only as 'same' and 'valid', and no groups in three dimensions.

import { packageFrom, versionOf } from './packages.js';
import type { JsPeer, Numbers, Prepared, WorkData } from './server.js';
import type { ConvWork, Layer, NetWork, Work } from './work.js';

interface TfTensor {
  transpose(axes: number[]): TfTensor;
  add(other: TfTensor): TfTensor;
  relu(): TfTensor;
  pad(paddings: [number, number][]): TfTensor;
  data(): Promise<Numbers>;
  dispose(): void;
}

/** The part of the library that is used. */
interface Tf {
  setBackend(name: string): Promise<boolean>;
  ready(): Promise<void>;
  tensor(values: Numbers, shape: readonly number[]): TfTensor;
  conv3d(
    x: TfTensor,
    filter: TfTensor,
    strides: number,
    pad: 'valid' | 'same',
    dataFormat: 'NDHWC',
    dilations: number,
  ): TfTensor;
  grads(
    f: (x: TfTensor, w: TfTensor) => TfTensor,
  ): (args: TfTensor[], dy: TfTensor) => [TfTensor, TfTensor];
  tidy<T>(body: () => T): T;
}

/** NCDHW → NDHWC and back; [out, in, D, H, W] → [D, H, W, in, out] and back. */
const CHANNELS_LAST = [0, 2, 3, 4, 1];
const CHANNELS_FIRST = [0, 4, 1, 2, 3];
const FILTER = [2, 3, 4, 1, 0];
const FILTER_BACK = [4, 3, 0, 1, 2];

export const tfjs = (backend: 'cpu' | 'wasm'): JsPeer => ({
  refuses: (work, threads) => (threads > 1 ? 'one thread only in Node' : refusal(work)),
  prepare: async (work, data, { from }) => {
    const tf = await packageFrom<Tf>(from, '@tensorflow/tfjs');
    if (backend === 'wasm') await packageFrom(from, '@tensorflow/tfjs-backend-wasm');
    await tf.setBackend(backend);
    await tf.ready();
    const version = versionOf(from, '@tensorflow/tfjs');
    return { version, ...(work.kind === 'conv' ? convolution : network)(tf, work as never, data) };
  },
});

function refusal(work: Work): string | null {
  const layers = work.kind === 'conv' ? [work] : work.layers;
  for (const layer of layers) {
    if ('groups' in layer && (layer.groups ?? 1) > 1) return 'no groups in three dimensions';
    if ('op' in layer && !['conv', 'relu'].includes(layer.op)) return `${layer.op} is not compared`;
  }
  return null;
}

/** `same` where it means the padding that is asked for, explicit zeros otherwise. */
function convolve(
  tf: Tf,
  x: TfTensor,
  w: TfTensor,
  {
    kernel,
    stride = 1,
    padding = 0,
    dilation = 1,
  }: Omit<Layer & { op: 'conv' }, 'op' | 'in' | 'out'>,
): TfTensor {
  const same = stride === 1 && 2 * padding === dilation * (kernel - 1);
  const sides: [number, number] = [padding, padding];
  const padded = same || padding === 0 ? x : x.pad([[0, 0], sides, sides, sides, [0, 0]]);
  return tf.conv3d(padded, w, stride, same ? 'same' : 'valid', 'NDHWC', dilation);
}

function convolution(tf: Tf, work: ConvWork, data: WorkData): Omit<Prepared, 'version'> {
  const place = (values: Numbers, shape: readonly number[], axes: number[]) =>
    tf.tidy(() => tf.tensor(values, shape).transpose(axes));
  const x = place(data.x, work.input, CHANNELS_LAST);
  const w = place(data.weights[0], work.weight, FILTER);
  const dy = place(data.g, work.output, CHANNELS_LAST);
  const conv = (x: TfTensor, w: TfTensor) =>
    convolve(tf, x, w, { ...work, kernel: work.weight[2] });
  // Both backends compute at once; nothing has to be waited for.
  const timed = (body: () => TfTensor[]) => async () => {
    for (const result of tf.tidy(body)) result.dispose();
  };
  const read = (t: TfTensor, axes: number[]) => t.transpose(axes).data();
  return {
    run: {
      forward: timed(() => [conv(x, w)]),
      train: timed(() => tf.grads(conv)([x, w], dy)),
    },
    values: async (pass): Promise<Record<string, Numbers>> => {
      const y = await read(conv(x, w), CHANNELS_FIRST);
      if (pass === 'forward') return { y };
      const [dx, dw] = tf.grads(conv)([x, w], dy);
      return { y, dx: await read(dx, CHANNELS_FIRST), dw0: await read(dw, FILTER_BACK) };
    },
  };
}

function network(tf: Tf, { layers, input }: NetWork, data: WorkData): Omit<Prepared, 'version'> {
  const x = tf.tidy(() => tf.tensor(data.x, input).transpose(CHANNELS_LAST));
  let next = 0;
  const steps = layers.map((layer): ((x: TfTensor) => TfTensor) => {
    if (layer.op !== 'conv') return (x) => x.relu();
    const { in: from, out, kernel: k } = layer;
    const w = tf.tidy(() => tf.tensor(data.weights[next], [out, from, k, k, k]).transpose(FILTER));
    const b = tf.tensor(data.weights[next + 1], [out]);
    next += 2;
    return (x) => convolve(tf, x, w, layer).add(b);
  });
  const forward = () => tf.tidy(() => steps.reduce((h, step) => step(h), x));
  return {
    run: { forward: async () => forward().dispose() },
    values: async () => ({ y: await forward().transpose(CHANNELS_FIRST).data() }),
  };
}
