// The plain description of a convolution call, as users write it for `explain` and read it in a
// trace, and the checked one that strategies see.

import { argumentError } from '../errors.js';
import type { ConvFormats, Needs } from '../ops/conv/geometry.js';
import {
  type ConvCall,
  type ConvGeometry,
  type ConvOptions,
  convGeometry,
  inputShape,
  type Padding,
  type SpatialRank,
  weightShape,
} from '../ops/conv/geometry.js';
import { checkDType, type DType } from '../tensor/dtype.js';
import { describe } from '../tensor/shape.js';

/** A convolution as users write it, by shapes and options. */
export interface ConvCallLike extends ConvOptions {
  readonly input: readonly number[];
  readonly weight: readonly number[];
  readonly dtype?: DType;
  readonly bias?: boolean;
  readonly needs?: Needs;
  /** Storage formats of the tensors, on devices that have some: `{ input: 'ND' }`. */
  readonly formats?: ConvFormats;
}

export const isConvOp = (op: string): boolean => /^conv(Transpose)?[123]d(\.forward)?$/.test(op);

/** A call as strategies see it, which needs no checks any more. */
function isChecked(call: object | null | undefined): call is ConvCall {
  const geometry: unknown = call && 'geometry' in call ? call.geometry : null;
  return (
    typeof geometry === 'object' &&
    geometry !== null &&
    GEOMETRY_FIELDS.every((field) => field in geometry)
  );
}

const GEOMETRY_FIELDS = Object.keys({
  ...{ spatialRank: 3, batch: 1, inChannels: 1, outChannels: 1, groups: 1 },
  ...{ input: 1, kernel: 1, output: 1, stride: 1, padding: 1, dilation: 1 },
} satisfies Record<keyof ConvGeometry, unknown>);

/** @param call as users write it, or one that has been checked before */
export function normalizeConvCall(op: string, call: ConvCallLike | ConvCall): ConvCall {
  if (isChecked(call)) return call;
  if (!Array.isArray(call?.input) || !Array.isArray(call.weight))
    throw argumentError(
      `explain('${op}'): expected a call { input: number[], weight: number[], stride, padding, … }, but got ${describe(call)}`,
    );
  const rank = (call.weight.length - 2) as SpatialRank;
  if (rank < 1 || rank > 3)
    throw argumentError(
      `explain('${op}'): expected a weight of 3, 4 or 5 dims, but got ${describe(call.weight)}`,
    );
  return {
    geometry: convGeometry(`conv${rank}d`, rank, call.input, call.weight, null, call),
    dtype: checkDType(call.dtype ?? 'float32'),
    bias: call.bias ?? false,
    needs: call.needs ?? [true, true, call.bias ?? false],
    formats: call.formats,
  };
}

/** The call as users write it, of the rank that they used. */
export function plainConvCall(
  call: ConvCall,
): Required<Omit<ConvCallLike, 'formats'>> & Pick<ConvCallLike, 'formats'> {
  const { geometry: g } = call;
  const own = <T>(triple: readonly T[]): T[] => triple.slice(3 - g.spatialRank);
  const shape = (full: readonly number[]) => [...full.slice(0, 2), ...own(full.slice(2))];
  const symmetric = g.padding.every(([lo, hi]) => lo === hi);
  const padding: Padding = symmetric ? own(g.padding.map(([lo]) => lo)) : own(g.padding);
  return {
    input: shape(inputShape(g)),
    weight: shape(weightShape(g)),
    stride: own(g.stride),
    padding,
    dilation: own(g.dilation),
    groups: g.groups,
    dtype: call.dtype,
    bias: call.bias,
    needs: call.needs,
    ...(call.formats ? { formats: call.formats } : {}),
  };
}
