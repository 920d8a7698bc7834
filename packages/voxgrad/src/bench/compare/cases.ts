// The contests of the suites, and what each should reach against whom.

import { dilatedKernel } from '@voxgrad/core';
import { PATTERNS, type Pattern, scaled } from '../patterns.js';
import type { ConvWork, Layer, NetWork } from '../peers/work.js';
import type { Contest, Goals } from './contest.js';

/** Peers in JavaScript that train. */
const TRAINERS = ['tfjs cpu', 'tfjs wasm', 'jax-js'];
const AHEAD_OF_TRAINERS = 50;

const PRECISIONS = ['exact', 'balanced', 'fast'] as const;

const ahead = (pass: 'forward' | 'train'): Goals =>
  Object.fromEntries(TRAINERS.map((peer) => [`${pass} balanced ${peer}`, AHEAD_OF_TRAINERS]));
const AHEAD: Goals = { ...ahead('forward'), ...ahead('train') };

export function convWork({ name: _, ...pattern }: Pattern): ConvWork {
  const { input, weight, stride, padding, dilation } = pattern;
  const volume = [0, 1, 2].map((a) => {
    const reach = dilatedKernel(weight[a + 2], dilation);
    return Math.floor((input[a + 2] + 2 * padding - reach) / stride) + 1;
  });
  return { kind: 'conv', ...pattern, output: [input[0], weight[0], ...volume] };
}

const pattern = (
  input: Pattern['input'],
  weight: Pattern['weight'],
  rest: Partial<Pattern>,
): Pattern => ({ name: '', input, weight, stride: 1, padding: 0, dilation: 1, groups: 1, ...rest });

const CHANNELS = 7;

function depthwise(k: number, volume: readonly [number, number, number], goals: Goals): Contest {
  const rest = { padding: (k - 1) / 2, groups: CHANNELS };
  const work = convWork(pattern([1, CHANNELS, ...volume], [CHANNELS, 1, k, k, k], rest));
  const name = `depthwise k${k}, ${CHANNELS} channels, ${volume.join('×')}`;
  return { name, work, goals: { ...AHEAD, ...goals } };
}

const against = (torch: number, onnx: number): Goals => ({
  'train balanced PyTorch': torch,
  'forward balanced onnxruntime': onnx,
});

/** Large depthwise kernels, for which no peer has more than plain loops. */
export const DEPTHWISE: readonly Contest[] = [
  depthwise(9, [32, 32, 32], {}),
  depthwise(7, [64, 64, 64], against(12, 4)),
  depthwise(9, [64, 64, 64], against(20, 6)),
  depthwise(9, [128, 128, 96], against(40, 12)),
];

/** The eleven patterns, each axis of the volume divided by `scale`. */
export const patternContests = (scale: number): readonly Contest[] =>
  PATTERNS.map((p) => {
    const small = scaled(p, scale);
    const name = `${p.name}, ${small.input.slice(2).join('×')}`;
    return { name, work: convWork(small), goals: AHEAD };
  });

/** Dense layers. PyTorch's run on vectors four times as wide. */
const DENSE_GOALS: Goals = {
  ...AHEAD,
  'train fast PyTorch': 0.9,
  'forward fast onnxruntime': 1,
  'train balanced PyTorch': 0.45,
  'forward balanced onnxruntime': 0.5,
};

export const DENSE_CONTESTS: readonly Contest[] = [32, 48, 64].flatMap((edge) =>
  (
    [
      [16, 32],
      [32, 32],
      [64, 64],
    ] as const
  ).map(([from, to]): Contest => {
    const small = pattern([1, from, edge, edge, edge], [to, from, 3, 3, 3], { padding: 1 });
    return {
      name: `dense k3 ${from}→${to}, ${edge}³`,
      work: convWork(small),
      precisions: PRECISIONS,
      goals: DENSE_GOALS,
    };
  }),
);

const RELU: Layer = { op: 'relu' };
const conv = (from: number, to: number, kernel: number, rest: object = {}): Layer => ({
  ...{ op: 'conv', in: from, out: to, kernel, padding: (kernel - 1) / 2 },
  ...rest,
});

const block = (from: number, to: number): Layer[] => [
  ...[conv(from, to, 3), { op: 'batchNorm', channels: to } as const, RELU],
  ...[conv(to, to, 3), { op: 'batchNorm', channels: to } as const, RELU],
];

/** Three levels: `base`, 2 · `base` and 4 · `base` channels. */
const uNet = (base: number): Layer[] => [
  ...[...block(1, base), { op: 'keep', as: 'fine' } as const],
  ...[{ op: 'maxPool', size: 2 } as const, ...block(base, 2 * base)],
  ...[{ op: 'keep', as: 'middle' } as const, { op: 'maxPool', size: 2 } as const],
  ...block(2 * base, 4 * base),
  ...[{ op: 'upConv', in: 4 * base, out: 2 * base, kernel: 2 } as const],
  ...[{ op: 'join', with: 'middle' } as const, ...block(4 * base, 2 * base)],
  ...[{ op: 'upConv', in: 2 * base, out: base, kernel: 2 } as const],
  ...[{ op: 'join', with: 'fine' } as const, ...block(2 * base, base), conv(base, 2, 1)],
];

const chain = (layers: readonly Layer[]): Layer[] =>
  layers.flatMap((layer, i) => (i === layers.length - 1 ? [layer] : [layer, RELU]));

const depthwiseLayer = (k: number): Layer => conv(CHANNELS, CHANNELS, k, { groups: CHANNELS });

/** The depthwise patterns between a stem and a head. */
const LARGE_KERNELS = chain([
  ...[conv(1, CHANNELS, 3), depthwiseLayer(5), depthwiseLayer(7), depthwiseLayer(9)],
  ...[conv(CHANNELS, 14, 1), conv(14, 2, 1)],
]);

/** All eleven, one after the other, with layers between that fit their channels. */
const ELEVEN = chain([
  ...[conv(1, CHANNELS, 3), conv(CHANNELS, CHANNELS, 3)],
  ...[depthwiseLayer(5), depthwiseLayer(7), depthwiseLayer(9), conv(CHANNELS, 14, 1)],
  ...[conv(14, 28, 3, { stride: 2 }), conv(28, 16, 1)],
  ...[conv(16, 16, 3, { dilation: 2, padding: 2 }), conv(16, 32, 2, { stride: 2, padding: 0 })],
  ...[conv(32, 32, 3, { groups: 4 }), conv(32, 32, 3), conv(32, 2, 1)],
]);

/** A published network of brain segmentation: nine dilated layers of five channels. */
const MESHNET = chain([
  ...[1, 2, 4, 8, 16, 8, 4, 2, 1].map((dilation, i) =>
    conv(i === 0 ? 1 : 5, 5, 3, { dilation, padding: dilation }),
  ),
  conv(5, 3, 1),
]);

const cube = (edge: number, channels = 1): number[] => [1, channels, edge, edge, edge];

const net = (
  layers: readonly Layer[],
  edge: number,
  [classes, step]: [number, number],
): NetWork => ({
  ...{ kind: 'net', layers, input: cube(edge), output: cube(edge / step, classes) },
});

/** Networks on volumes of `edge`³. */
export const modelContests = (edge: number): readonly Contest[] => [
  {
    name: `U-Net 16–64 channels, ${edge}³`,
    work: net(uNet(16), edge, [2, 1]),
    precisions: ['balanced', 'fast'],
    passes: ['train'],
    goals: { 'train balanced PyTorch': 1, 'train fast PyTorch': 1 },
  },
  {
    name: `depthwise k5, k7, k9, ${edge}³`,
    work: net(LARGE_KERNELS, edge, [2, 1]),
    goals: { ...AHEAD, 'train balanced PyTorch': 10 },
  },
  {
    name: `the eleven patterns, ${edge}³`,
    work: net(ELEVEN, edge, [2, 4]),
    goals: { ...AHEAD, 'train balanced PyTorch': 10 },
  },
  {
    name: `MeshNet, ${edge}³`,
    work: net(MESHNET, edge, [3, 1]),
    passes: ['forward'],
    goals: ahead('forward'),
  },
];
