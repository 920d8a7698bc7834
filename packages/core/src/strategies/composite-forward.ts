// A forward convolution out of what a device does take: the same call with explicit padding, one
// call per group, a dense call subsampled to the stride, or, where no convolution kernel helps,
// one matrix product per kernel tap.

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
import { fusedForward } from './fused.js';
import type { ConvForwardStrategy, ConvForwardTensors } from './types.js';

type Step = 'kernel' | 'pad' | 'groups' | 'subsample' | 'taps';

/** How one convolution is taken apart: this step, then `inner` on its parts. */
export interface ForwardPlan {
  readonly step: Step;
  readonly call: ConvCall;
  readonly inner?: ForwardPlan;
}

const WORDS: Record<Step, string> = {
  kernel: 'forward kernel',
  pad: 'explicit padding',
  groups: 'one call per group',
  subsample: 'a dense call subsampled to the stride',
  taps: 'one matrix product per tap',
};

const endsInKernel = (plan: ForwardPlan): boolean =>
  plan.inner ? endsInKernel(plan.inner) : plan.step === 'kernel';

/** The steps of a plan in words. */
export const describeForward = (plan: ForwardPlan): string =>
  plan.inner ? `${WORDS[plan.step]}, ${describeForward(plan.inner)}` : WORDS[plan.step];

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

export function planForward(call: ConvCall, capabilities: Capabilities): ForwardPlan {
  if (capabilities.checkConv('convForward', call).length === 0) return { step: 'kernel', call };
  const { geometry: g } = call;
  const attempts: [Step, boolean, (call: ConvCall) => ConvCall][] = [
    ['pad', g.padding.some(([lo, hi]) => lo > 0 || hi > 0), padded],
    ['groups', g.groups > 1, oneGroup],
    ['subsample', g.stride.some((s) => s > 1), dense],
  ];
  const plans = attempts.flatMap(([step, applies, change]): ForwardPlan[] => {
    const inner = applies ? planForward(change(call), capabilities) : undefined;
    return inner && endsInKernel(inner) ? [{ step, call, inner }] : [];
  });
  return plans.reduce<ForwardPlan>(
    (best, plan) => (forwardCost(plan) < forwardCost(best) ? plan : best),
    { step: 'taps', call },
  );
}

function runPlan(plan: ForwardPlan, tensors: ConvForwardTensors): Tensor {
  const { step, call, inner } = plan;
  const { geometry: g } = call;
  const { input, weight } = tensors;
  if (step === 'kernel') return fusedForward.run(call, tensors, call.needs);
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
  cost: (call, capabilities) => forwardCost(planForward(call, capabilities)),
  run: (call, tensors) => runPlan(planForward(call, tensors.input.device.capabilities), tensors),
};

/** What each step costs over its inner work: extra passes over memory, calls, small products. */
const OVERHEAD: Record<Step, number> = {
  kernel: 1,
  pad: 1.1,
  groups: 1.25,
  subsample: 1.1,
  taps: 3,
};

/** Estimated multiplications of a plan. */
export function forwardCost({ step, call, inner }: ForwardPlan): number {
  if (!inner) return OVERHEAD[step] * convWork(call.geometry);
  const parts = step === 'groups' ? call.geometry.groups : 1;
  return OVERHEAD[step] * parts * forwardCost(inner);
}
