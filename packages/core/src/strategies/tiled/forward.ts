// A forward convolution in pieces that the device's kernel takes.

import type { Capabilities, Refusal } from '../../device/device.js';
import {
  type ConvCall,
  type ConvGeometry,
  convWork,
  outputShape,
} from '../../ops/conv/geometry.js';
import { Tensor } from '../../tensor/tensor.js';
import { fusedForward } from '../fused.js';
import { remembered } from '../remembered.js';
import { type ConvForwardStrategy, type ConvForwardTensors, supportOf } from '../types.js';
import { describeSplit, unfixable } from './describe.js';
import { pieces, type Split, summed } from './pieces.js';
import { findSplit, overheadOf, type Search, splitOf } from './search.js';
import { NOT_NEEDED, takesWhole, UNNEEDED_COST } from './unneeded.js';
import { inputWindow, outputWindow, put, runPiece, weightWindow, withMargins } from './windows.js';

/** The call of one piece. */
export const forwardPiece = (call: ConvCall, geometry: ConvGeometry): ConvCall => ({
  ...call,
  bias: false,
  geometry,
});

const check =
  (call: ConvCall, capabilities: Capabilities) =>
  (geometry: ConvGeometry): readonly Refusal[] =>
    capabilities.checkConv('convForward', forwardPiece(call, geometry));

/** How a forward convolution is split; in two at least where there is anything to split. */
export const planTiledForward = remembered(
  (call: ConvCall, capabilities: Capabilities): Search =>
    findSplit(call.geometry, check(call, capabilities), {
      needed: !takesWhole('convForward', call, capabilities),
    }),
);

/** Runs `split`, its pieces on the device's kernel. */
export function runTiledForward(
  call: ConvCall,
  split: Split,
  { input, weight }: ConvForwardTensors,
): Tensor {
  const { geometry: g } = call;
  const y = Tensor.filled(outputShape(g), 0, input.dtype, input.device);
  const add = summed(g, split.grid).output;
  for (const piece of pieces(g, split))
    runPiece(() => {
      const tensors = {
        input: withMargins(inputWindow(input, piece), piece),
        weight: weightWindow(weight, piece),
      };
      const part = fusedForward.run(forwardPiece(call, piece.geometry), tensors, call.needs);
      put(outputWindow(y, piece), part, { add });
    });
  return y;
}

/** Multiplications, the overhead of the pieces counted in. */
export const tiledForwardCost = ({ geometry: g }: ConvCall, { grid }: Split): number =>
  convWork(g) + overheadOf(g, grid);

export const tiledForward: ConvForwardStrategy = {
  op: 'conv3d.forward',
  name: 'tiled',
  kind: 'tiled',
  supports(call, capabilities) {
    if (takesWhole('convForward', call, capabilities)) return NOT_NEEDED;
    const plan = planTiledForward(call, capabilities);
    return 'split' in plan
      ? { ok: true, reasons: [`${describeSplit(call.geometry, plan.split)} by the forward kernel`] }
      : supportOf(unfixable('the forward', plan.refusals), '');
  },
  cost(call, capabilities) {
    if (takesWhole('convForward', call, capabilities)) return UNNEEDED_COST;
    const plan = planTiledForward(call, capabilities);
    return 'split' in plan ? tiledForwardCost(call, plan.split) : Number.POSITIVE_INFINITY;
  },
  run(call, tensors) {
    const { capabilities } = tensors.input.device;
    return runTiledForward(call, splitOf(planTiledForward(call, capabilities), 'forward'), tensors);
  },
};
