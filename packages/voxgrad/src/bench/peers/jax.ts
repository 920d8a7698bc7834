// jax-js with its wasm backend. Arrays are used up by what they are given to, unless `.ref` is.

import { packageFrom, versionOf } from './packages.js';
import type { JsPeer, Numbers, Prepared, WorkData } from './server.js';
import type { ConvWork, NetWork, Work } from './work.js';

interface JaxArray {
  readonly ref: JaxArray;
  add(other: JaxArray): JaxArray;
  blockUntilReady(): Promise<JaxArray>;
  data(): Promise<Numbers>;
  dispose(): void;
}

type Conv = (x: JaxArray, w: JaxArray) => JaxArray;

interface Jax {
  init(device: string): Promise<unknown>;
  defaultDevice(device: string): unknown;
  numpy: { array(values: Numbers, options: { shape: readonly number[] }): JaxArray };
  nn: { relu(x: JaxArray): JaxArray };
  lax: {
    convGeneralDilated(
      x: JaxArray,
      w: JaxArray,
      strides: number[],
      padding: [number, number][],
      options: { rhsDilation: number[]; featureGroupCount: number },
    ): JaxArray;
  };
  vjp(f: Conv, primals: JaxArray[]): [JaxArray, (dy: JaxArray) => [JaxArray, JaxArray]];
}

const three = <T>(value: T): T[] => [value, value, value];

export const jax: JsPeer = {
  refuses: (work, threads) => (threads > 1 ? 'one thread only in Node' : refusal(work)),
  prepare: async (work, data, { from }) => {
    // It asks the navigator for a graphics card, and Node 20 has no navigator.
    if (globalThis.navigator === undefined) Object.assign(globalThis, { navigator: {} });
    const library = await packageFrom<Jax>(from, '@jax-js/jax');
    await library.init('wasm');
    library.defaultDevice('wasm');
    const version = versionOf(from, '@jax-js/jax');
    const prepare = work.kind === 'conv' ? convolution : network;
    return { version, ...prepare(library, work as never, data) };
  },
};

function refusal(work: Work): string | null {
  if (work.kind === 'conv') return null;
  const other = work.layers.find(({ op }) => op !== 'conv' && op !== 'relu');
  return other ? `${other.op} is not compared` : null;
}

interface Windows {
  readonly stride?: number;
  readonly padding?: number;
  readonly dilation?: number;
  readonly groups?: number;
}

function convolve(
  { lax }: Jax,
  x: JaxArray,
  w: JaxArray,
  { stride = 1, padding = 0, dilation = 1, groups = 1 }: Windows,
): JaxArray {
  const sides: [number, number][] = three([padding, padding]);
  const options = { rhsDilation: three(dilation), featureGroupCount: groups };
  return lax.convGeneralDilated(x, w, three(stride), sides, options);
}

const finished = async (results: readonly JaxArray[]) => {
  for (const result of results) (await result.blockUntilReady()).dispose();
};

function convolution(jax: Jax, work: ConvWork, data: WorkData): Omit<Prepared, 'version'> {
  const x = jax.numpy.array(data.x, { shape: work.input });
  const w = jax.numpy.array(data.weights[0], { shape: work.weight });
  const dy = jax.numpy.array(data.g, { shape: work.output });
  const conv: Conv = (x, w) => convolve(jax, x, w, work);
  const gradients = () => {
    const [y, pull] = jax.vjp(conv, [x.ref, w.ref]);
    return [y, ...pull(dy.ref)];
  };
  return {
    run: {
      forward: () => finished([conv(x.ref, w.ref)]),
      train: () => finished(gradients()),
    },
    values: async (pass): Promise<Record<string, Numbers>> => {
      if (pass === 'forward') return { y: await conv(x.ref, w.ref).data() };
      const [y, dx, dw0] = await Promise.all(gradients().map((t) => t.data()));
      return { y, dx, dw0 };
    },
  };
}

function network(jax: Jax, { layers, input }: NetWork, data: WorkData): Omit<Prepared, 'version'> {
  const x = jax.numpy.array(data.x, { shape: input });
  let next = 0;
  const steps = layers.map((layer): ((x: JaxArray) => JaxArray) => {
    if (layer.op !== 'conv') return (x) => jax.nn.relu(x);
    const { in: from, out, kernel: k, groups = 1 } = layer;
    const w = jax.numpy.array(data.weights[next], { shape: [out, from / groups, k, k, k] });
    const b = jax.numpy.array(data.weights[next + 1], { shape: [1, out, 1, 1, 1] });
    next += 2;
    return (x) => convolve(jax, x, w.ref, layer).add(b.ref);
  });
  const forward = () => steps.reduce((h, step) => step(h), x.ref);
  return {
    run: { forward: () => finished([forward()]) },
    values: async () => ({ y: await forward().data() }),
  };
}
