// What aclnnConvolution and aclnnConvolutionBackward take at all, whatever the sizes in memory.

import {
  type ConvGeometry,
  inputShape,
  outputShape,
  type Refusal,
  weightShape,
} from '@voxgrad/core';
import type { NpuProfile } from '../profile/profile.js';
import { SOURCES, type SourceKey } from '../profile/sources.js';
import { innerError } from '../profile/versions.js';
import { AXIS_NAMES, type Axis, DHW, HW } from './units.js';

export interface Bound {
  readonly check: 'kernel' | 'stride' | 'padding' | 'dilation';
  /** The parameter as CANN's messages call it. */
  readonly name: string;
  readonly axes: readonly Axis[];
  readonly range: readonly [low: number, high: number];
}

export interface Bounds {
  readonly operator: string;
  readonly perAxis: readonly Bound[];
  readonly groups: readonly [low: number, high: number];
  /** Largest size of any dimension of input, weight and output. */
  readonly size: number;
  readonly source: SourceKey;
}

export const FORWARD_BOUNDS: Bounds = {
  operator: 'Conv3DV2',
  perAxis: [
    { check: 'kernel', name: 'filter', axes: HW, range: [1, 511] },
    { check: 'stride', name: 'stride', axes: HW, range: [1, 63] },
    { check: 'padding', name: 'pad', axes: HW, range: [0, 255] },
    { check: 'dilation', name: 'dilation', axes: HW, range: [1, 255] },
  ],
  groups: [1, 65535],
  size: 1_000_000,
  source: 'doc_fwd',
};

/** Written down for Atlas A2 and A3. */
export const BACKWARD_BOUNDS: Bounds = {
  operator: 'ConvolutionBackward',
  perAxis: [
    { check: 'kernel', name: 'filter', axes: HW, range: [1, 255] },
    { check: 'stride', name: 'stride', axes: HW, range: [1, 63] },
    { check: 'padding', name: 'pad', axes: HW, range: [0, 255] },
    { check: 'dilation', name: 'dilation', axes: DHW, range: [1, 255] },
  ],
  groups: [1, 65535],
  size: Number.POSITIVE_INFINITY,
  source: 'doc_bwd',
};

const parameterOf = (g: ConvGeometry, check: Bound['check'], axis: Axis): number =>
  check === 'padding' ? Math.max(...g.padding[axis]) : g[check][axis];

/** Why the parameters of `g` are outside `bounds`. */
export function checkBounds(bounds: Bounds, g: ConvGeometry, { cann }: NpuProfile): Refusal[] {
  const refuse = (check: string, text: string): Refusal => ({
    check,
    ...innerError(cann, bounds.operator, text),
    source: SOURCES[bounds.source],
  });
  const refusals: Refusal[] = [];
  for (const { check, name, axes, range } of bounds.perAxis)
    for (const axis of axes) {
      const [low, high] = range;
      const value = parameterOf(g, check, axis);
      if (value >= low && value <= high) continue;
      const parameter = `${name}_${AXIS_NAMES[axis]}`;
      const text =
        `${parameter} is invalid, current is ${value}, ${parameter} support range ` +
        `[${low}, ${high}]`;
      refusals.push(refuse(check, text));
    }
  const [low, high] = bounds.groups;
  if (g.groups < low || g.groups > high)
    refusals.push(
      refuse('groups', `Groups [${g.groups}] is invalid, it should be in range: [${low}, ${high}]`),
    );
  if (bounds.size === Number.POSITIVE_INFINITY) return refusals;
  const largest = Math.max(...inputShape(g), ...weightShape(g), ...outputShape(g));
  if (largest > bounds.size)
    refusals.push(
      refuse(
        'size',
        `a dimension of size ${largest} is invalid, support range [1, ${bounds.size}]`,
      ),
    );
  return refusals;
}

/** torch_npu passes one padding per axis. */
export function checkSymmetry(g: ConvGeometry, source: SourceKey): Refusal[] {
  const axis = DHW.find((a) => g.padding[a][0] !== g.padding[a][1]);
  if (axis === undefined) return [];
  const [low, high] = g.padding[axis];
  return [
    {
      check: 'padding',
      message:
        `the interface takes one padding per axis, but pad_${AXIS_NAMES[axis]} is ` +
        `${low} before and ${high} after; pad the input first`,
      source: SOURCES[source],
    },
  ];
}

/** Chips that have no native backward. */
export function checkBackwardSupport(g: ConvGeometry, { soc }: NpuProfile): Refusal[] {
  const api = 'aclnnConvolutionBackward';
  const refuse = (text: string, source: string): Refusal[] => [
    { check: 'soc', message: text, source },
  ];
  const products = SOURCES.doc_bwd_products;
  if (soc.backward === 'none')
    return refuse(`${api} is not supported on ${soc.name} (${soc.family})`, products);
  if (g.spatialRank < 3) return [];
  if (soc.backward === 'no3d')
    return refuse(`${api} does not support 3D on ${soc.name} (${soc.family})`, products);
  if (soc.backward === 'undocumented')
    return refuse(`no source says that ${api} runs 3D on ${soc.name}`, SOURCES[soc.sources[0]]);
  return [];
}
