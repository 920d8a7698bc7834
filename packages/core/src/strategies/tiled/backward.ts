// The backward of a convolution in pieces that the device's kernels take. Input and weight gradient
// may be split differently, because a device's limits differ between them; one call computes both
// where the same pieces suit both. dx pieces overlap and are added where they do, dw is the sum over
// pieces, db is summed once.

import type { Capabilities, ConvKernelName, Refusal } from '../../device/device.js';
import {
  type ConvCall,
  type ConvGeometry,
  convWork,
  inputShape,
  type Needs,
  weightShape,
} from '../../ops/conv/geometry.js';
import { sum } from '../../ops/reduce.js';
import { Tensor } from '../../tensor/tensor.js';
import { fusedBackward } from '../fused.js';
import { remembered } from '../remembered.js';
import { type ConvBackwardStrategy, type ConvBackwardTensors, supportOf } from '../types.js';
import { runWeightKernel } from '../weight-kernel.js';
import { describeSplit, unfixable } from './describe.js';
import { type Piece, Pieces, pieces, type Split, summed, wholePiece } from './pieces.js';
import { findSplit, overheadOf } from './search.js';
import { NOT_NEEDED, takesWhole, UNNEEDED_COST } from './unneeded.js';
import {
  inputWindow,
  outputWindow,
  put,
  runPiece,
  weightWindow,
  withMargins,
  withoutMargins,
} from './windows.js';

/** Some of the gradients, by one kernel on the pieces of one split. */
export interface Pass {
  readonly kernel: Exclude<ConvKernelName, 'convForward'>;
  readonly needs: Needs;
  readonly split: Split;
}

export type BackwardPlan =
  | { readonly passes: readonly Pass[] }
  | { readonly refusals: readonly Refusal[] };

const INPUT: Needs = [true, false, false];
const WEIGHT: Needs = [false, true, false];
const BOTH: Needs = [true, true, false];

/** The call of one piece of a pass. */
export const backwardPiece = (call: ConvCall, needs: Needs, geometry: ConvGeometry): ConvCall => ({
  ...call,
  bias: false,
  needs,
  geometry,
});

const GRADIENTS = ['input gradient', 'weight gradient', 'bias gradient'];

/** `input gradient and weight gradient` */
export const namesOf = (needs: Needs): string => GRADIENTS.filter((_, i) => needs[i]).join(' and ');

/** Pieces have shorter loops and more edges than the whole. */
const PIECEWISE = 1.1;

function costOf(g: ConvGeometry, { needs, split }: Pass): number {
  const gradients = Number(needs[0]) + Number(needs[1]);
  return PIECEWISE * gradients * convWork(g) + overheadOf(g, split.grid, gradients);
}

const totalCost = (g: ConvGeometry, passes: readonly Pass[]): number =>
  passes.reduce((total, pass) => total + costOf(g, pass), 0);

/** One pass by the first of `kernels` that a split makes fit. */
function planPass(
  call: ConvCall,
  capabilities: Capabilities,
  needs: Needs,
  kernels: readonly Pass['kernel'][],
): Pass | readonly Refusal[] {
  let refusals: readonly Refusal[] = [];
  for (const kernel of kernels) {
    const check = (geometry: ConvGeometry) =>
      capabilities.checkConv(kernel, backwardPiece(call, needs, geometry));
    const needed = !takesWhole('convBackward', call, capabilities);
    const search = findSplit(call.geometry, check, { needed });
    if ('split' in search) return { kernel, needs, split: search.split };
    if (refusals.length === 0) refusals = search.refusals;
  }
  return refusals;
}

const isPass = (planned: Pass | readonly Refusal[]): planned is Pass => 'kernel' in planned;

/** One pass for both gradients, by pieces that suit one of them. */
function joined(
  call: ConvCall,
  capabilities: Capabilities,
  passes: readonly Pass[],
): readonly Pass[] | undefined {
  const fits = (split: Split) =>
    Array.from(new Pieces(call.geometry).kinds(split)).every(({ piece }) =>
      takesWhole('convBackward', backwardPiece(call, BOTH, piece.geometry), capabilities),
    );
  const found = passes.find(({ split }) => fits(split));
  return found && [{ kernel: 'convBackward', needs: BOTH, split: found.split }];
}

function planPasses(call: ConvCall, capabilities: Capabilities): BackwardPlan {
  const { geometry: g, needs } = call;
  const planned = [
    ...(needs[0] ? [planPass(call, capabilities, INPUT, ['convBackward'])] : []),
    ...(needs[1] ? [planPass(call, capabilities, WEIGHT, ['convBackward', 'convWeight'])] : []),
  ];
  const apart = planned.filter(isPass);
  if (apart.length === planned.length) {
    const together = apart.length === 2 ? joined(call, capabilities, apart) : undefined;
    const better = together && totalCost(g, together) < totalCost(g, apart);
    return { passes: better ? together : apart };
  }
  // A device may compute both gradients in one call and refuse them one by one.
  const both = needs[0] && needs[1] ? planPass(call, capabilities, BOTH, ['convBackward']) : [];
  if (isPass(both)) return { passes: [both] };
  return {
    refusals: planned.flatMap((refusals, i) =>
      isPass(refusals) ? [] : unfixable(`the ${GRADIENTS[needs[0] ? i : 1]}`, refusals),
    ),
  };
}

/** How a backward is split; gradients of the bias alone need no kernel. */
export const planTiledBackward = remembered(planPasses);

/** The gradients of one piece. */
function pieceGradients(
  call: ConvCall,
  { kernel, needs }: Pass,
  piece: Piece,
  { gradOutput, input, weight }: ConvBackwardTensors,
): readonly (Tensor | null)[] {
  const part = backwardPiece(call, needs, piece.geometry);
  const gradient = outputWindow(gradOutput, piece);
  const x = needs[1] && input ? withMargins(inputWindow(input, piece), piece) : null;
  if (kernel === 'convWeight' && x) return [null, runWeightKernel(part, gradient, x)];
  const w = needs[0] && weight ? weightWindow(weight, piece) : null;
  return fusedBackward.run(part, { gradOutput: gradient, input: x, weight: w }, needs);
}

/** The sum of the weight gradients of the pieces, each computed by `gradient`. */
export function tiledWeight(
  { geometry: g, ...call }: ConvCall,
  split: Split,
  { gradOutput, input }: { readonly gradOutput: Tensor; readonly input: Tensor },
  gradient: (piece: ConvCall, gradOutput: Tensor, input: Tensor) => Tensor,
): Tensor {
  const dw = Tensor.filled(weightShape(g), 0, gradOutput.dtype, gradOutput.device);
  const add = summed(g, split.grid).weight;
  for (const piece of pieces(g, split))
    runPiece(() => {
      const part = backwardPiece({ ...call, geometry: g }, WEIGHT, piece.geometry);
      const x = withMargins(inputWindow(input, piece), piece);
      put(weightWindow(dw, piece), gradient(part, outputWindow(gradOutput, piece), x), { add });
    });
  return dw;
}

/** Runs a pass; a gradient that it does not compute is null. */
export function runPass(
  call: ConvCall,
  pass: Pass,
  tensors: ConvBackwardTensors,
): [input: Tensor | null, weight: Tensor | null] {
  const { geometry: g } = call;
  const only = wholePiece(g, pass.split);
  if (only) {
    const [input = null, weight = null] = pieceGradients(call, pass, only, tensors);
    return [input, weight];
  }
  const { dtype, device } = tensors.gradOutput;
  const zeros = (shape: readonly number[]) => Tensor.filled(shape, 0, dtype, device);
  const dx = pass.needs[0] ? zeros(inputShape(g)) : null;
  const dw = pass.needs[1] ? zeros(weightShape(g)) : null;
  const isSum = summed(g, pass.split.grid);
  for (const piece of pieces(g, pass.split))
    runPiece(() => {
      const [input, weight] = pieceGradients(call, pass, piece, tensors);
      if (dx && input)
        put(inputWindow(dx, piece), withoutMargins(input, piece), { add: isSum.input });
      if (dw && weight) put(weightWindow(dw, piece), weight, { add: isSum.weight });
    });
  return [dx, dw];
}

/** `input gradient in 3 pieces along width (64 outputs) by convBackward` */
const describePass = (g: ConvGeometry, { kernel, needs, split }: Pass): string =>
  `${namesOf(needs)} ${describeSplit(g, split)} by ${kernel}`;

export const tiledBackward: ConvBackwardStrategy = {
  op: 'conv3d',
  name: 'tiled',
  kind: 'tiled',
  supports(call, capabilities) {
    if (takesWhole('convBackward', call, capabilities)) return NOT_NEEDED;
    const plan = planTiledBackward(call, capabilities);
    return 'passes' in plan
      ? { ok: true, reasons: plan.passes.map((pass) => describePass(call.geometry, pass)) }
      : supportOf(plan.refusals, '');
  },
  cost(call, capabilities) {
    const { geometry } = call;
    if (takesWhole('convBackward', call, capabilities)) return UNNEEDED_COST;
    const plan = planTiledBackward(call, capabilities);
    return 'passes' in plan ? totalCost(geometry, plan.passes) : Number.POSITIVE_INFINITY;
  },
  run(call, tensors, needs) {
    const plan = planTiledBackward(call, tensors.gradOutput.device.capabilities);
    if ('refusals' in plan)
      throw new Error(`tiled: no split fits: ${plan.refusals.map((r) => r.message).join('; ')}`);
    const parts = plan.passes.map((pass) => runPass(call, pass, tensors));
    const found = (i: 0 | 1) => parts.reduce<Tensor | null>((t, part) => t ?? part[i], null);
    return [found(0), found(1), needs[2] ? sum(tensors.gradOutput, [0, 2, 3, 4]) : null];
  },
};
