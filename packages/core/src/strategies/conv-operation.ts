// Convolutions as the registry knows them: how their calls are written, told apart, sorted into classes
// that cost alike, and sampled.

import type { Device } from '../device/device.js';
import {
  type ConvCall,
  type ConvGeometry,
  convGeometry,
  convWork,
  inputShape,
  type Needs,
  outputShape,
  volume,
  weightShape,
} from '../ops/conv/geometry.js';
import type { DType } from '../tensor/dtype.js';
import { Tensor } from '../tensor/tensor.js';
import { type ConvCallLike, normalizeConvCall, plainConvCall } from './call.js';
import type { Operation } from './operation.js';
import type { ConvBackwardTensors, ConvForwardTensors } from './types.js';

/** Everything in a call, as a text. The tuples have fixed lengths, so commas tell them apart. */
function keyOf({ geometry: g, dtype, bias, needs, formats }: ConvCall): string {
  const sizes = `${g.batch},${g.inChannels},${g.outChannels},${g.groups},${g.input},${g.kernel},${g.output}`;
  const steps = `${g.stride},${g.padding},${g.dilation},${g.spatialRank}`;
  const layout = formats ? `${formats.input},${formats.weight},${formats.gradOutput}` : '';
  return `${dtype},${bias},${needs},${sizes},${steps},${layout}`;
}

type Kind = 'dense' | 'grouped' | 'depthwise';

const kindOf = (g: ConvGeometry): Kind => {
  if (g.groups === 1) return 'dense';
  return g.groups === g.inChannels ? 'depthwise' : 'grouped';
};

/** Kernels of one tap, of a few, and those whose taps are most of the work. */
const kernelOf = (g: ConvGeometry): string => {
  const taps = volume(g.kernel);
  if (taps === 1) return 'k1';
  return taps <= 27 ? 'k3' : 'large kernel';
};

/** Below, calls are mostly overhead. */
const SMALL_WORK = 3e5;

const wantedOf = (needs: Needs): string => {
  if (needs[0]) return needs[1] ? 'both' : 'input';
  return needs[1] ? 'weight' : 'bias';
};

function shapeClass({ geometry: g, needs }: ConvCall): string {
  const strided = g.stride.some((s) => s > 1) ? 'strided' : 'dense steps';
  const size = convWork(g) < SMALL_WORK ? 'small' : 'large';
  return `${kindOf(g)}, ${kernelOf(g)}, ${strided}, ${size}, ${wantedOf(needs)}`;
}

const CHANNELS: Readonly<Record<Kind, readonly [from: number, to: number, groups: number]>> = {
  dense: [8, 8, 1],
  grouped: [8, 8, 2],
  depthwise: [8, 8, 8],
};

/** Edges of the input of a small and a large sample, by kernel edge. */
const EDGES: readonly (readonly [kernel: number, small: number, large: number])[] = [
  [3, 5, 12],
  [1, 8, 24],
  [7, 3, 8],
];

/** The commonest first: a short calibration reaches those. */
function samplesFor(dtype: DType, needsList: readonly Needs[]): ConvCall[] {
  const calls: ConvCall[] = [];
  for (const which of [2, 1] as const)
    for (const stride of [1, 2])
      for (const edges of EDGES)
        for (const kind of ['dense', 'depthwise', 'grouped'] as const)
          for (const needs of needsList) {
            const [from, to, groups] = CHANNELS[kind];
            const [kernel, edge] = [edges[0], edges[which]];
            const input = [1, from, edge, edge, edge];
            const weight = [to, from / groups, kernel, kernel, kernel];
            const options = { stride, padding: (kernel - 1) / 2, groups };
            const geometry = convGeometry('conv3d', 3, input, weight, null, options);
            calls.push({ geometry, dtype, bias: false, needs });
          }
  return calls;
}

const filled = (shape: readonly number[], dtype: DType, device: Device): Tensor =>
  Tensor.filled(shape, 0.5, dtype, device);

const shared = {
  normalize: (op: string, call: object) => normalizeConvCall(op, call as ConvCallLike | ConvCall),
  plain: plainConvCall,
  key: keyOf,
  shapeClass,
  needs: (call: ConvCall) => call.needs,
};

const backwardTensors = (
  { geometry: g, dtype, needs }: ConvCall,
  device: Device,
): ConvBackwardTensors => ({
  gradOutput: filled(outputShape(g), dtype, device),
  input: needs[1] ? filled(inputShape(g), dtype, device) : null,
  weight: needs[0] ? filled(weightShape(g), dtype, device) : null,
});

/** `conv3d` names the backward: any of the three gradients. */
export const convBackwardOperation: Operation<ConvCall, ConvBackwardTensors> = {
  ...shared,
  op: 'conv3d',
  samples: (dtype) =>
    samplesFor(dtype, [
      [true, true, false],
      [true, false, false],
      [false, true, false],
    ]),
  tensors: backwardTensors,
};

/** The forward of a transposed convolution is the input gradient of a convolution. */
export const convTransposeOperation: Operation<ConvCall, ConvBackwardTensors> = {
  ...shared,
  op: 'convTranspose3d.forward',
  samples: (dtype) => samplesFor(dtype, [[true, false, false]]),
  tensors: backwardTensors,
};

export const convForwardOperation: Operation<ConvCall, ConvForwardTensors> = {
  ...shared,
  op: 'conv3d.forward',
  samples: (dtype) => samplesFor(dtype, [[true, true, false]]),
  tensors: ({ geometry: g, dtype }, device) => ({
    input: filled(inputShape(g), dtype, device),
    weight: filled(weightShape(g), dtype, device),
  }),
};
