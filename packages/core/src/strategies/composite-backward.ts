// The backward of a convolution in three small steps that need little but the forward one.
//
// dx  The gradient, spread by the stride (zeros between its elements), is convolved with the
//     flipped kernel, input and output channels exchanged; padding becomes dilation·(k−1) − padding
//     (negative: crop), and the tail that a stride left unused is padded back.
// dw  Batch and channels exchange places, and so do stride and dilation: the input is convolved
//     with the gradient as its kernel, and the result narrowed to the kernel's size (a stride may
//     leave more). A device with a weight-only backward runs that instead; where no convolution of
//     that size passes the device's check, each tap is one multiply-and-sum.
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
import { Tensor } from '../tensor/tensor.js';
import {
  compositeForward,
  describeForward,
  forwardCost,
  padSpatial,
  planForward,
  tapWindows,
} from './composite-forward.js';
import { deviceError } from './device-error.js';
import { fusedForward } from './fused.js';
import type { ConvBackwardStrategy, ConvBackwardTensors, ConvForwardTensors } from './types.js';

const SPATIAL = [2, 3, 4];

// ---- dx ----

interface InputPlan {
  /** The inner forward convolution. */
  readonly call: ConvCall;
  /** What is added (positive) or cut off (negative) around the spread gradient beforehand. */
  readonly margins: readonly [Pair, Pair, Pair];
}

function planInput(call: ConvCall): InputPlan {
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
}

const spreadSize = (g: ConvGeometry, axis: 0 | 1 | 2) => (g.output[axis] - 1) * g.stride[axis] + 1;

/** The gradient with stride − 1 zeros between its elements, and `margins` applied. */
function spread(gradOutput: Tensor, g: ConvGeometry, margins: readonly Pair[]): Tensor {
  const grow = margins.map(([lo, hi]) => [Math.max(lo, 0), Math.max(hi, 0)]);
  const plain = AXES.every((a) => g.stride[a] === 1 && grow[a][0] === 0 && grow[a][1] === 0);
  const [n, c] = gradOutput.shape;
  const wide = plain
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
  const plan = planInput(call);
  return forward(plan.call, {
    input: spread(gradOutput, call.geometry, plan.margins),
    weight: exchangedWeight(weight, call.geometry),
  });
}

/** A forward convolution by the device's kernel, or composed where it refuses. */
function forward(call: ConvCall, tensors: ConvForwardTensors): Tensor {
  const strategy = fusedForward.supports(call, tensors.input.device.capabilities).ok
    ? fusedForward
    : compositeForward;
  return strategy.run(call, tensors, call.needs);
}

// ---- dw ----

type WeightStep = 'kernel' | 'exchange' | 'taps';

/** The forward convolution whose kernel is the gradient. */
function exchangedCall(call: ConvCall): ConvCall {
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

function weightStep(call: ConvCall, capabilities: Capabilities): WeightStep {
  if (capabilities.checkConv('convWeight', call).length === 0) return 'kernel';
  const plan = planForward(exchangedCall(call), capabilities);
  return plan.step === 'taps' ? 'taps' : 'exchange';
}

function weightGradient(call: ConvCall, gradOutput: Tensor, input: Tensor): Tensor {
  const g = call.geometry;
  const { device, dtype } = gradOutput;
  const shape = weightShape(g);
  if (g.batch === 0) return Tensor.filled(shape, 0, dtype, device); // an empty sum
  const step = weightStep(call, device.capabilities);
  if (step === 'kernel') {
    const run = device.kernels.convWeight ?? deviceError(device, 'convWeight');
    return new Tensor({ device, shape, storage: run(input, gradOutput, g) });
  }
  return step === 'exchange'
    ? weightByExchange(call, gradOutput, input)
    : weightByTaps(g, gradOutput, input);
}

function weightByExchange(call: ConvCall, gradOutput: Tensor, input: Tensor): Tensor {
  const g = call.geometry;
  const [ci, co] = [g.inChannels / g.groups, g.outChannels / g.groups];
  const x = permute(reshape(input, g.batch, g.groups, ci, ...g.input), 2, 1, 0, 3, 4, 5);
  const kernel = permute(reshape(gradOutput, g.batch, g.groups, co, ...g.output), 1, 2, 0, 3, 4, 5);
  const y = forward(exchangedCall(call), {
    input: reshape(x, ci, g.groups * g.batch, ...g.input),
    weight: reshape(kernel, g.outChannels, g.batch, ...g.output),
  });
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

const STEP_WORDS: Record<WeightStep, string> = {
  kernel: "the device's weight-only backward",
  exchange: 'a forward convolution with batch and channels exchanged',
  taps: 'one multiply-and-sum per tap',
};

export const compositeBackward: ConvBackwardStrategy = {
  op: 'conv3d',
  name: 'composite',
  kind: 'composite',
  supports(call, capabilities) {
    const reasons: string[] = [];
    if (call.needs[0])
      reasons.push(
        `input gradient by ${describeForward(planForward(planInput(call).call, capabilities))} over the spread gradient`,
      );
    if (call.needs[1])
      reasons.push(`weight gradient by ${STEP_WORDS[weightStep(call, capabilities)]}`);
    return { ok: true, reasons };
  },
  cost(call, capabilities) {
    const { geometry, needs } = call;
    let cost = 0;
    if (needs[0]) cost += 1.1 * forwardCost(planForward(planInput(call).call, capabilities));
    if (needs[1]) {
      const step = weightStep(call, capabilities);
      if (step === 'kernel') cost += convWork(geometry);
      else if (step === 'taps') cost += 3 * convWork(geometry);
      else cost += 1.1 * forwardCost(planForward(exchangedCall(call), capabilities));
    }
    return cost;
  },
  run: (call, { gradOutput, input, weight }: ConvBackwardTensors, needs) => [
    needs[0] && weight ? inputGradient(call, gradOutput, weight) : null,
    needs[1] && input ? weightGradient(call, gradOutput, input) : null,
    needs[2] ? sum(gradOutput, [0, 2, 3, 4]) : null,
  ],
};
