// The backward of a convolution in three small steps that need little but the forward one.
//
// dx  The gradient, spread by the stride (zeros between its elements), is convolved with the
//     flipped kernel, input and output channels exchanged; padding becomes dilation·(k−1) − padding
//     (negative: crop), and the tail that a stride left unused is padded back.
// dw  Batch and channels exchange places, and so do stride and dilation: the input is convolved
//     with the gradient as its kernel, and the result narrowed to the kernel's size (a stride may
//     leave more). A device with a weight-only backward runs that instead. Where a convolution with a
//     kernel as large as the gradient does not pass the device's check, tiles of the gradient may; else
//     each tap is one multiply-and-sum.
// db  The sum of the gradient over batch and space.
//
// Derivation of both: the adjoints of y[o] = Σₖ w[k] · x[s·o + d·k − p].

import type { Capabilities } from '../device/device.js';
import {
  AXES,
  type ConvCall,
  type ConvGeometry,
  convOutputSize,
  convWork,
  dilatedKernel,
  mapTriple,
  type Pair,
  volume,
  weightShape,
} from '../ops/conv/geometry.js';
import { stack } from '../ops/join.js';
import { matmul } from '../ops/matmul.js';
import { sum } from '../ops/reduce.js';
import { embed, flip, narrow, permute, reshape } from '../ops/views.js';
import { numelOf } from '../tensor/shape.js';
import { Tensor } from '../tensor/tensor.js';
import {
  callsOf,
  compositeForward,
  describeForward,
  type ForwardPlan,
  forwardCost,
  isLastResort,
  padSpatial,
  planForward,
  tapWindows,
} from './composite-forward.js';
import { convElements, passes } from './cost-model.js';
import { remembered } from './remembered.js';
import { tiledWeight } from './tiled/backward.js';
import { describeSplit } from './tiled/describe.js';
import type { Split } from './tiled/pieces.js';
import { findSplit, overheadOf } from './tiled/search.js';
import type { ConvBackwardStrategy, ConvBackwardTensors } from './types.js';
import { runWeightKernel } from './weight-kernel.js';

const SPATIAL = [2, 3, 4];

// ---- dx ----

interface InputPlan {
  /** The inner forward convolution. */
  readonly call: ConvCall;
  /** What is added (positive) or cut off (negative) around the spread gradient beforehand. */
  readonly margins: readonly [Pair, Pair, Pair];
}

/** The inner convolution of dx. */
export const planInput = remembered((call: ConvCall): InputPlan => {
  const g = call.geometry;
  const sides = mapTriple<Pair>((a) => {
    const reach = g.dilation[a] * (g.kernel[a] - 1);
    const [lo, hi] = g.padding[a];
    const tail =
      g.input[a] +
      lo +
      hi -
      dilatedKernel(g.kernel[a], g.dilation[a]) -
      (g.output[a] - 1) * g.stride[a];
    return [reach - lo, reach - hi + tail];
  });
  // Devices pad both sides alike, so the inner call pads what both sides share.
  const common = sides.map(([lo, hi]) => Math.max(0, Math.min(lo, hi)));
  const margins = mapTriple<Pair>((a) => [sides[a][0] - common[a], sides[a][1] - common[a]]);
  return {
    margins,
    call: {
      ...call,
      bias: false,
      geometry: {
        ...g,
        inChannels: g.outChannels,
        outChannels: g.inChannels,
        input: mapTriple((a) => spreadSize(g, a) + margins[a][0] + margins[a][1]),
        output: g.input,
        stride: [1, 1, 1],
        padding: mapTriple<Pair>((a) => [common[a], common[a]]),
      },
    },
  };
});

const spreadSize = (g: ConvGeometry, axis: 0 | 1 | 2) => (g.output[axis] - 1) * g.stride[axis] + 1;

const grown = (margins: readonly Pair[]): Pair[] =>
  margins.map(([lo, hi]) => [Math.max(lo, 0), Math.max(hi, 0)]);

/** Whether the spread gradient is another tensor than the gradient: a cropped one is a view of it. */
export const isSpread = (g: ConvGeometry, margins: readonly Pair[]): boolean =>
  AXES.some((a) => g.stride[a] > 1) || grown(margins).some(([lo, hi]) => lo > 0 || hi > 0);

/** The gradient with stride − 1 zeros between its elements, and `margins` applied. */
function spread(gradOutput: Tensor, g: ConvGeometry, margins: readonly Pair[]): Tensor {
  const grow = grown(margins);
  const [n, c] = gradOutput.shape;
  const wide = !isSpread(g, margins)
    ? gradOutput
    : embed(
        gradOutput,
        [n, c, ...AXES.map((a) => spreadSize(g, a) + grow[a][0] + grow[a][1])],
        [0, 0, ...grow.map(([lo]) => lo)],
        { steps: [1, 1, ...g.stride] },
      );
  return AXES.reduce((y, a) => {
    const [lo, hi] = margins[a].map((m) => Math.max(-m, 0));
    return lo + hi === 0 ? y : narrow(y, a + 2, lo, y.shape[a + 2] - lo - hi);
  }, wide);
}

/** `[Co, Ci/g, k]` → `[Ci, Co/g, k]`, flipped. */
function exchangedWeight(weight: Tensor, g: ConvGeometry): Tensor {
  const grouped = reshape(
    flip(weight, SPATIAL),
    g.groups,
    g.outChannels / g.groups,
    g.inChannels / g.groups,
    ...g.kernel,
  );
  return reshape(
    permute(grouped, 0, 2, 1, 3, 4, 5),
    g.inChannels,
    g.outChannels / g.groups,
    ...g.kernel,
  );
}

function inputGradient(call: ConvCall, gradOutput: Tensor, weight: Tensor): Tensor {
  const plan = planInput(call, gradOutput.device.capabilities);
  return compositeForward.run(
    plan.call,
    {
      input: spread(gradOutput, call.geometry, plan.margins),
      weight: exchangedWeight(weight, call.geometry),
    },
    call.needs,
  );
}

// ---- dw ----

/** How a weight gradient is composed. */
export type WeightPlan =
  | { readonly step: 'kernel' | 'taps' }
  | { readonly step: 'exchange'; readonly inner: ForwardPlan }
  | { readonly step: 'tiles'; readonly split: Split };

/** The forward convolution whose kernel is the gradient. */
export function exchangedCall(call: ConvCall): ConvCall {
  const g = call.geometry;
  return {
    ...call,
    bias: false,
    geometry: {
      ...g,
      batch: g.inChannels / g.groups,
      inChannels: g.groups * g.batch,
      outChannels: g.outChannels,
      kernel: g.output,
      stride: g.dilation,
      dilation: g.stride,
      output: mapTriple((a) =>
        convOutputSize(g.input[a], g.output[a], g.dilation[a], g.padding[a], g.stride[a]),
      ),
    },
  };
}

export const planWeight = remembered((call: ConvCall, capabilities: Capabilities): WeightPlan => {
  if (capabilities.checkConv('convWeight', call).length === 0) return { step: 'kernel' };
  const inner = planForward(exchangedCall(call), capabilities);
  if (!isLastResort(inner)) return { step: 'exchange', inner };
  const check = (geometry: ConvGeometry) =>
    capabilities.checkConv('convForward', exchangedCall({ ...call, geometry }));
  const tiled = findSplit(call.geometry, check, { needed: true });
  return 'split' in tiled ? { step: 'tiles', split: tiled.split } : { step: 'taps' };
});

function weightGradient(call: ConvCall, gradOutput: Tensor, input: Tensor): Tensor {
  const g = call.geometry;
  const { device, dtype } = gradOutput;
  if (g.batch === 0) return Tensor.filled(weightShape(g), 0, dtype, device); // an empty sum
  const plan = planWeight(call, device.capabilities);
  if (plan.step === 'kernel') return runWeightKernel(call, gradOutput, input);
  if (plan.step === 'exchange') return weightByExchange(call, gradOutput, input);
  if (plan.step === 'tiles')
    return tiledWeight(call, plan.split, { gradOutput, input }, weightByExchange);
  return weightByTaps(g, gradOutput, input);
}

function weightByExchange(call: ConvCall, gradOutput: Tensor, input: Tensor): Tensor {
  const g = call.geometry;
  const [ci, co] = [g.inChannels / g.groups, g.outChannels / g.groups];
  const x = permute(reshape(input, g.batch, g.groups, ci, ...g.input), 2, 1, 0, 3, 4, 5);
  const kernel = permute(reshape(gradOutput, g.batch, g.groups, co, ...g.output), 1, 2, 0, 3, 4, 5);
  const y = compositeForward.run(
    exchangedCall(call),
    {
      input: reshape(x, ci, g.groups * g.batch, ...g.input),
      weight: reshape(kernel, g.outChannels, g.batch, ...g.output),
    },
    call.needs,
  );
  const narrowed = AXES.reduce((part, a) => narrow(part, a + 2, 0, g.kernel[a]), y);
  return permute(narrowed, 1, 0, 2, 3, 4);
}

/** dw[tap] = Σ over batch and positions of gradient · input window, as matrix products. */
function weightByTaps(g: ConvGeometry, gradOutput: Tensor, input: Tensor): Tensor {
  const [ci, co] = [g.inChannels / g.groups, g.outChannels / g.groups];
  const positions = volume(g.output);
  const rows = (x: Tensor, channels: number) =>
    reshape(
      permute(reshape(x, g.batch, g.groups, channels, positions), 1, 2, 0, 3),
      g.groups,
      channels,
      g.batch * positions,
    );
  const gradient = rows(gradOutput, co);
  const taps = [...tapWindows(padSpatial(input, g), g)].map(({ window }) =>
    matmul(gradient, rows(window, ci).transpose(1, 2)),
  );
  return reshape(stack(taps, 3), weightShape(g));
}

// ---- the strategy ----

const WEIGHT_WORDS: Record<WeightPlan['step'], string> = {
  kernel: "the device's weight-only backward",
  exchange: 'a forward convolution with batch and channels exchanged',
  tiles: 'forward convolutions with batch and channels exchanged',
  taps: 'one multiply-and-sum per tap',
};

const describeWeight = (call: ConvCall, plan: WeightPlan): string =>
  'split' in plan
    ? `${WEIGHT_WORDS[plan.step]}, ${describeSplit(call.geometry, plan.split)}`
    : WEIGHT_WORDS[plan.step];

/** Estimated multiplications, extra passes over memory counted in. */
function weightCost(call: ConvCall, plan: WeightPlan): number {
  const work = convWork(call.geometry);
  if (plan.step === 'exchange') return 1.1 * forwardCost(plan.inner);
  if (plan.step === 'tiles') return 1.2 * (work + overheadOf(call.geometry, plan.split.grid));
  return plan.step === 'taps' ? 3 * work : work;
}

export const compositeBackward: ConvBackwardStrategy = {
  op: 'conv3d',
  name: 'composite',
  kind: 'composite',
  supports(call, capabilities) {
    const reasons: string[] = [];
    if (call.needs[0])
      reasons.push(
        `input gradient by ${describeForward(planForward(planInput(call, capabilities).call, capabilities))} over the spread gradient`,
      );
    if (call.needs[1])
      reasons.push(`weight gradient by ${describeWeight(call, planWeight(call, capabilities))}`);
    return { ok: true, reasons };
  },
  cost(call, capabilities) {
    const { geometry: g, needs } = call;
    const elements = convElements(g);
    let cost = 0;
    if (needs[0]) {
      const plan = planForward(planInput(call, capabilities).call, capabilities);
      // The weight is flipped; a strided gradient is filled with zeros and copied.
      const strided = g.stride.some((s) => s > 1);
      const spread = strided
        ? 2 * g.batch * g.outChannels * volume(mapTriple((a) => spreadSize(g, a)))
        : 0;
      const moved = elements + 2 * numelOf(weightShape(g)) + spread;
      const steps = callsOf(plan) + 1 + (strided ? 4 : 0);
      cost += 1.1 * forwardCost(plan) + passes(capabilities, steps, moved);
    }
    if (needs[1] && g.batch > 0)
      cost += weightCost(call, planWeight(call, capabilities)) + passes(capabilities, 1, elements);
    return needs[2] ? cost + passes(capabilities, 1, 0) : cost;
  },
  run: (call, { gradOutput, input, weight }: ConvBackwardTensors, needs) => [
    needs[0] && weight ? inputGradient(call, gradOutput, weight) : null,
    needs[1] && input ? weightGradient(call, gradOutput, input) : null,
    needs[2] ? sum(gradOutput, [0, 2, 3, 4]) : null,
  ],
};
