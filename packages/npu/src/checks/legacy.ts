// The bounds of the older kernels (TBE) that graph operators of the first generation run.

import { type ConvGeometry, type DType, type Refusal, volume } from '@voxgrad/core';
import { SOURCES, type SourceKey } from '../profile/sources.js';
import { inputOperator, type Route, weightOperator } from '../routing/route.js';
import { AXIS_NAMES, type Axis, DHW, HW } from './units.js';

export interface LegacyBound {
  /** The parameter as CANN's messages call it. */
  readonly name: string;
  readonly check: string;
  readonly axes: readonly Axis[];
  readonly range: readonly [low: number, high: number];
  readonly of: (g: ConvGeometry, axis: Axis) => number;
}

export const LEGACY_SOURCE: SourceKey = 'tbe';

/** Of Conv3DBackpropFilter. Chips before Ascend910B take kernels up to 255 only, and have no 3D backward. */
export const LEGACY_FILTER_BOUNDS: readonly LegacyBound[] = [
  { name: 'x', check: 'size', axes: HW, range: [1, 4096], of: (g, a) => g.input[a] },
  { name: 'out_backprop', check: 'size', axes: HW, range: [1, 4096], of: (g, a) => g.output[a] },
  { name: 'filter', check: 'kernel', axes: HW, range: [1, 511], of: (g, a) => g.kernel[a] },
  { name: 'filter', check: 'kernel', axes: [0], range: [1, 255], of: (g, a) => g.kernel[a] },
  { name: 'stride', check: 'stride', axes: DHW, range: [1, 63], of: (g, a) => g.stride[a] },
  {
    name: 'pad',
    check: 'padding',
    axes: DHW,
    range: [0, 255],
    of: (g, a) => Math.max(...g.padding[a]),
  },
  { name: 'dilation', check: 'dilation', axes: HW, range: [1, 255], of: (g, a) => g.dilation[a] },
  { name: 'dilation', check: 'dilation', axes: [0], range: [1, 1], of: (g, a) => g.dilation[a] },
];

/** Of Conv3DBackpropInput: stride_h·stride_w. Source: tbe. */
export const LEGACY_STRIDE_PLANE = 256;
/** Of Conv3DBackpropInput: taps of the kernel. Source: tbe. */
export const LEGACY_TAPS = 343;

const isFirstGeneration = (operator: string) => !operator.endsWith('V2');

const refusal = (
  check: string,
  operator: string,
  name: string,
  where: string,
  range: string,
  value: number,
): Refusal => ({
  check,
  message: `In op[${operator}], the size of [${name}] on [${where}] dimension should be in range [${range}], but it is [${value}].`,
  code: 'E62003',
  source: SOURCES[LEGACY_SOURCE],
});

/** Why a graph operator of the first generation does not compute dw of `g`. */
export function checkLegacyWeight(g: ConvGeometry, dtype: DType, route: Route): Refusal[] {
  const operator = weightOperator(g, dtype);
  if (route.kind !== 'acl_op' || !isFirstGeneration(operator)) return [];
  return LEGACY_FILTER_BOUNDS.flatMap(({ name, check, axes, range: [low, high], of }) =>
    axes.flatMap((axis) => {
      const value = of(g, axis);
      if (value >= low && value <= high) return [];
      return [
        refusal(check, operator, name, AXIS_NAMES[axis].toUpperCase(), `${low}, ${high}`, value),
      ];
    }),
  );
}

/** Why a graph operator of the first generation does not compute dx of `g`. */
export function checkLegacyInput(g: ConvGeometry, dtype: DType, route: Route): Refusal[] {
  const operator = inputOperator(g, dtype);
  if (route.kind !== 'acl_op' || !isFirstGeneration(operator)) return [];
  const plane = g.stride[1] * g.stride[2];
  const taps = volume(g.kernel);
  return [
    ...(plane > LEGACY_STRIDE_PLANE
      ? [refusal('stride', operator, 'stride', 'H*W', `1, ${LEGACY_STRIDE_PLANE}`, plane)]
      : []),
    ...(taps > LEGACY_TAPS
      ? [refusal('kernel', operator, 'filter', 'D*H*W', `1, ${LEGACY_TAPS}`, taps)]
      : []),
  ];
}
