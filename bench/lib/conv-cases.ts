// The convolutions that the goals name.

import {
  type ConvGeometry,
  fromHost,
  inputShape,
  numelOf,
  outputShape,
  type Tensor,
  volume,
  weightShape,
} from '@voxgrad/core';
import type { WasmDevice } from '@voxgrad/wasm';
import type { FloatDType } from '../../packages/wasm/src/emit/lanes.js';

export interface ConvCase {
  readonly name: string;
  readonly depthwise: boolean;
  readonly geometry: ConvGeometry;
}

function caseOf(name: string, inC: number, outC: number, groups: number, k: number, n: number) {
  const pad = [(k - 1) / 2, (k - 1) / 2] as const;
  const geometry: ConvGeometry = {
    spatialRank: 3,
    batch: 1,
    inChannels: inC,
    outChannels: outC,
    groups,
    input: [n, n, n],
    output: [n, n, n],
    kernel: [k, k, k],
    stride: [1, 1, 1],
    dilation: [1, 1, 1],
    padding: [pad, pad, pad],
  };
  return { name, depthwise: groups > 1, geometry };
}

export const depthwise = (k: number, edge: number, channels = 7): ConvCase =>
  caseOf(`depthwise k${k} ${edge}³ ×${channels}`, channels, channels, channels, k, edge);

export const dense = (from: number, to: number, edge: number): ConvCase =>
  caseOf(`dense k3 ${from}→${to} ${edge}³`, from, to, 1, 3, edge);

export const GOAL_CASES: readonly ConvCase[] = [
  depthwise(7, 64),
  depthwise(9, 64),
  dense(16, 32, 32),
  dense(64, 64, 32),
];

/** Multiplications and additions of one pass, as a direct convolution has them. */
export const convFlops = (g: ConvGeometry): number =>
  2 * g.outChannels * (g.inChannels / g.groups) * volume(g.kernel) * g.batch * volume(g.output);

export const PASSES = ['forward', 'input', 'weight'] as const;
export type PassName = (typeof PASSES)[number];

/** Elements that are the same in every run, of mean 0. */
export function noise(length: number, dtype: FloatDType, seed: number) {
  const values = dtype === 'float32' ? new Float32Array(length) : new Float64Array(length);
  let state = seed;
  for (let i = 0; i < length; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    values[i] = state / 2 ** 31 - 1;
  }
  return values;
}

export function operands({ geometry: g }: ConvCase, dtype: FloatDType) {
  const [x, weight, gradOutput] = [inputShape(g), weightShape(g), outputShape(g)].map(
    (shape, i): Tensor =>
      fromHost(noise(numelOf(shape), dtype, i + 1), dtype, shape, { device: 'cpu' }),
  );
  return { x, weight, gradOutput };
}

/** Runs one pass on a device, and returns the storage of its result. */
export function runPass(
  { kernels }: WasmDevice,
  pass: PassName,
  g: ConvGeometry,
  { x, weight, gradOutput }: ReturnType<typeof operands>,
) {
  const result =
    pass === 'forward'
      ? kernels.convForward?.(x, weight, g)
      : pass === 'weight'
        ? kernels.convWeight?.(x, gradOutput, g)
        : kernels.convBackward?.(gradOutput, null, weight, g, [true, false, false])[0];
  if (!result) throw new Error(`the device has no kernel for the ${pass} pass`);
  return result;
}
