// A forward convolution out of what a device does take: the same call with explicit padding, one
// call per group, a dense call subsampled to the stride, pieces of any of these, or, where no
// convolution kernel helps, one matrix product per kernel tap.

import type { Capabilities } from '../device/device.js';
import { contiguous } from '../ops/cast.js';
import {
  AXES,
  type ConvCall,
  type ConvGeometry,
  convOutputSize,
  convWork,
  mapTriple,
  type Pair,
  volume,
} from '../ops/conv/geometry.js';
import { cat } from '../ops/join.js';
import { matmul } from '../ops/matmul.js';
import { padAxes } from '../ops/pad.js';
import { narrow, reshape, slice } from '../ops/views.js';
import { Tensor } from '../tensor/tensor.js';
import { convElements, passes } from './cost-model.js';
import { fusedForward } from './fused.js';
import { remembered } from './remembered.js';
import { describeSplit } from './tiled/describe.js';
import { planTiledForward, runTiledForward, tiledForwardCost } from './tiled/forward.js';
import type { Split } from './tiled/pieces.js';
import type { ConvForwardStrategy, ConvForwardTensors } from './types.js';

type Step = 'kernel' | 'pad' | 'groups' | 'subsample' | 'tiles' | 'taps';

/** How one convolution is taken apart: this step, then `inner` on its parts. */
export interface ForwardPlan {
  readonly step: Step;
  readonly call: ConvCall;
  readonly inner?: ForwardPlan;
  /** Of the step `tiles`, whose pieces all run on the kernel. */
  readonly split?: Split;
}

const WORDS: Record<Step, string> = {
  kernel: 'forward kernel',
  pad: 'explicit padding',
  groups: 'one call per group',
  subsample: 'a dense call subsampled to the stride',
  tiles: 'the forward kernel on pieces',
  taps: 'one matrix product per tap',
};

/** Whether no convolution kernel helps. */
export const isLastResort = ({ step, inner }: ForwardPlan): boolean =>
  inner ? isLastResort(inner) : step === 'taps';

/** The steps of a plan in words. */
export function describeForward({ step, call, inner, split }: ForwardPlan): string {
  if (inner) return `${WORDS[step]}, ${describeForward(inner)}`;
  return split ? `${WORDS[step]} ${describeSplit(call.geometry, split)}` : WORDS[step];
}

const withGeometry = (call: ConvCall, change: Partial<ConvGeometry>): ConvCall => ({
  ...call,
  geometry: { ...call.geometry, ...change },
});

function padded(call: ConvCall): ConvCall {
  const { geometry: g } = call;
  return withGeometry(call, {
    input: mapTriple((a) => g.input[a] + g.padding[a][0] + g.padding[a][1]),
    padding: mapTriple<Pair>(() => [0, 0]),
  });
}

function oneGroup(call: ConvCall): ConvCall {
  const { geometry: g } = call;
  return withGeometry(call, {
    inChannels: g.inChannels / g.groups,
    outChannels: g.outChannels / g.groups,
    groups: 1,
  });
}

function dense(call: ConvCall): ConvCall {
  const { geometry: g } = call;
  return withGeometry(call, {
    stride: [1, 1, 1],
    output: mapTriple((a) =>
      convOutputSize(g.input[a], g.kernel[a], 1, g.padding[a], g.dilation[a]),
    ),
  });
}

type Change = [step: Step, applies: (g: ConvGeometry) => boolean, change: typeof padded];

const PAD: Change = ['pad', (g) => g.padding.some(([lo, hi]) => lo > 0 || hi > 0), padded];
const GROUPS: Change = ['groups', (g) => g.groups > 1, oneGroup];
const SUBSAMPLE: Change = ['subsample', (g) => g.stride.some((s) => s > 1), dense];

const cheaper = (a: ForwardPlan, b: ForwardPlan | undefined): ForwardPlan =>
  b && forwardCost(b) <= forwardCost(a) ? b : a;

/** The cheapest way to whole calls of the device's kernel. */
function planWhole(call: ConvCall, capabilities: Capabilities): ForwardPlan | undefined {
  if (capabilities.checkConv('convForward', call).length === 0) return { step: 'kernel', call };
  let best: ForwardPlan | undefined;
  for (const [step, applies, change] of [PAD, GROUPS, SUBSAMPLE]) {
    const inner = applies(call.geometry) ? planWhole(change(call), capabilities) : undefined;
    if (inner) best = cheaper({ step, call, inner }, best);
  }
  return best;
}

/** The same after `changes`, then in pieces, which pad by themselves where they must. */
function planTiles(
  call: ConvCall,
  capabilities: Capabilities,
  [first, ...changes]: readonly Change[],
): ForwardPlan | undefined {
  if (first) {
    const [step, applies, change] = first;
    const inner = applies(call.geometry)
      ? planTiles(change(call), capabilities, changes)
      : undefined;
    return inner && { step, call, inner };
  }
  const plan = planTiledForward(call, capabilities);
  return 'split' in plan ? { step: 'tiles', call, split: plan.split } : undefined;
}

const BEFORE_TILES: readonly (readonly Change[])[] = [
  [],
  [GROUPS],
  [SUBSAMPLE],
  [GROUPS, SUBSAMPLE],
];

export const planForward = remembered((call: ConvCall, capabilities: Capabilities): ForwardPlan => {
  const whole = planWhole(call, capabilities);
  if (whole) return whole;
  for (const changes of BEFORE_TILES) {
    const plan = planTiles(call, capabilities, changes);
    if (plan) return plan;
  }
  return { step: 'taps', call };
});

function runPlan(plan: ForwardPlan, tensors: ConvForwardTensors): Tensor {
  const { step, call, inner } = plan;
  const { geometry: g } = call;
  const { input, weight } = tensors;
  if (step === 'kernel') return fusedForward.run(call, tensors, call.needs);
  if (step === 'tiles' && plan.split) return runTiledForward(call, plan.split, tensors);
  if (step === 'taps' || !inner) return byTaps(g, tensors);
  if (step === 'pad') return runPlan(inner, { input: padSpatial(input, g), weight });
  if (step === 'subsample')
    return AXES.reduce(
      (y, a) => slice(y, a + 2, 0, (g.output[a] - 1) * g.stride[a] + 1, g.stride[a]),
      runPlan(inner, tensors),
    );
  const { inChannels, outChannels } = inner.call.geometry;
  const parts = Array.from({ length: g.groups }, (_, group) =>
    runPlan(inner, {
      input: contiguous(narrow(input, 1, group * inChannels, inChannels)),
      weight: contiguous(narrow(weight, 0, group * outChannels, outChannels)),
    }),
  );
  return cat(parts, 1);
}

/** `x` with the padding of `g` as zeros around it. */
export const padSpatial = (x: Tensor, g: ConvGeometry): Tensor =>
  padAxes(x, [[0, 0], [0, 0], ...g.padding]);

/** For each kernel tap: its position, and the input elements that it meets (x is padded). */
export function* tapWindows(
  x: Tensor,
  g: ConvGeometry,
): Generator<{ position: [number, number, number]; window: Tensor }> {
  for (let d = 0; d < g.kernel[0]; d++)
    for (let h = 0; h < g.kernel[1]; h++)
      for (let w = 0; w < g.kernel[2]; w++) {
        const position: [number, number, number] = [d, h, w];
        const window = AXES.reduce((part, a) => {
          const from = position[a] * g.dilation[a];
          const end = from + (g.output[a] - 1) * g.stride[a] + 1;
          return slice(part, a + 2, from, end, g.stride[a]);
        }, x);
        yield { position, window };
      }
}

/** y = Σ over taps of W[tap] · x[tap's window], as matrix products over channels. */
function byTaps(g: ConvGeometry, { input, weight }: ConvForwardTensors): Tensor {
  const x = padSpatial(input, g);
  const [ci, co] = [g.inChannels / g.groups, g.outChannels / g.groups];
  let y = Tensor.filled([g.batch, g.groups, co, volume(g.output)], 0, x.dtype, x.device);
  for (const { position, window } of tapWindows(x, g)) {
    const [d, h, w] = position;
    const factor = reshape(weight.select(4, w).select(3, h).select(2, d), g.groups, co, ci);
    y = y.add(matmul(factor, reshape(window, g.batch, g.groups, ci, volume(g.output))));
  }
  return reshape(y, g.batch, g.outChannels, ...g.output);
}

export const compositeForward: ConvForwardStrategy = {
  op: 'conv3d.forward',
  name: 'composite',
  kind: 'composite',
  supports: (call, capabilities) => ({
    ok: true,
    reasons: [describeForward(planForward(call, capabilities))],
  }),
  cost(call, capabilities) {
    const plan = planForward(call, capabilities);
    return forwardCost(plan) + passes(capabilities, callsOf(plan), convElements(call.geometry));
  },
  run: (call, tensors) => runPlan(planForward(call, tensors.input.device.capabilities), tensors),
};

/** What each step costs over its inner work: extra passes over memory, calls, small products. */
const OVERHEAD: Record<Step, number> = {
  kernel: 1,
  pad: 1.1,
  groups: 1.25,
  subsample: 1.1,
  tiles: 1.1,
  taps: 3,
};

/** Calls of kernels that a plan makes; those of tiles are in their own cost. */
export function callsOf({ step, call, inner }: ForwardPlan): number {
  if (step === 'taps') return 3 * volume(call.geometry.kernel);
  if (!inner) return 1;
  return step === 'groups' ? call.geometry.groups * (2 + callsOf(inner)) : 1 + callsOf(inner);
}

/** Estimated multiplications of a plan. */
export function forwardCost({ step, call, inner, split }: ForwardPlan): number {
  if (split) return OVERHEAD[step] * tiledForwardCost(call, split);
  if (!inner) return OVERHEAD[step] * convWork(call.geometry);
  const parts = step === 'groups' ? call.geometry.groups : 1;
  return OVERHEAD[step] * parts * forwardCost(inner);
}
