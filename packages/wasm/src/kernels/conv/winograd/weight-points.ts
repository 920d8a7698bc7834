// The weights of a pass, transformed: `[group][point][block of output channels][input channel][4]`.

import type { Call } from '../../../memory/call.js';
import type { Engine } from '../../engine.js';
import type { Pass } from '../pass.js';
import { pointsOf, type Winograd } from './algorithms.js';
import { TOGETHER } from './products-kernels.js';
import {
  WEIGHT_POINTS_ARGUMENTS,
  type WeightPointsArguments,
  weightPointsKernel,
} from './weights-kernels.js';

export interface WeightPoints {
  readonly pointer: number;
  /** Bytes from point to point, and from group to group. */
  readonly point: number;
  readonly group: number;
}

/** Room for weights of `outputs` times `inputs` channels in each group. */
export function weightRoom(
  call: Call,
  winograd: Winograd,
  groups: number,
  outputs: number,
  inputs: number,
): WeightPoints {
  // A little more than it takes, so that the points of one weight do not share cache sets.
  const point = Math.ceil(outputs / TOGETHER) * Math.ceil(inputs / 2) * 32 + 64;
  const group = pointsOf(winograd) * point;
  return { pointer: call.workspace(groups * group), point, group };
}

/** G·w for every pair of channels. */
export function weightPoints(
  engine: Engine,
  call: Call,
  winograd: Winograd,
  pass: Pass,
  weight: number,
): WeightPoints {
  const room = weightRoom(call, winograd, pass.groups, pass.to, pass.from);
  const flipped = pass.problems[0][2].taps[0].k !== 0;
  const inputs = Math.ceil(pass.from / 2) * 2;
  const kernel = weightPointsKernel(engine, { winograd, point: room.point, flipped });
  for (let group = 0; group < pass.groups; group++) {
    const args: WeightPointsArguments = {
      weights: weight + 4 * group * pass.weights.group,
      points: room.pointer + group * room.group,
      outChannels: pass.to,
      inChannels: pass.from,
      paddedInChannels: inputs,
      outStride: 4 * pass.weights.out,
      inStride: 4 * pass.weights.in,
    };
    engine.team.run(
      kernel,
      Math.ceil(pass.to / TOGETHER) * inputs,
      WEIGHT_POINTS_ARGUMENTS.map((name) => args[name]),
    );
  }
  return room;
}
