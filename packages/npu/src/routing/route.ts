// Which generation of operators computes the backward of a 3D convolution: the graph engine's
// (`acl_op`), which read the storage formats of their tensors, or aclnn's, which go by the number of
// dimensions.

import type { ConvGeometry, DType } from '@voxgrad/core';
import type { NpuProfile } from '../profile/profile.js';
import { SOURCES } from '../profile/sources.js';

export interface Route {
  readonly kind: 'acl_op' | 'aclnn';
  readonly why: string;
  readonly source: string;
}

/** Where torch_npu sends the backward of `g`. Source: oppl; for fewer than three axes inferred. */
export function backwardRoute(profile: NpuProfile, g: ConvGeometry): Route {
  const { release, allowInternalFormat, jitCompile } = profile;
  const route = (kind: Route['kind'], why: string): Route => ({ kind, why, source: SOURCES.oppl });
  if (g.spatialRank === 3 && release.alwaysAclnn3d)
    return route('aclnn', `torch_npu ${release.generation} sends every 3D backward to aclnn`);
  if (allowInternalFormat.on)
    return route('acl_op', `internal formats are allowed (${allowInternalFormat.why})`);
  if (jitCompile.on) return route('acl_op', `JIT compilation is on (${jitCompile.why})`);
  return route('aclnn', 'internal formats and JIT compilation are off');
}

/** float32 and grouped calls always take the V2 operator (IsConv3DBackpropInputV2 of ops-nn). */
export const inputOperator = (g: ConvGeometry, dtype: DType): string =>
  g.groups > 1 || dtype === 'float32' ? 'Conv3DBackpropInputV2' : 'Conv3DBackpropInput';

/** float32, dilated and grouped calls always take the V2 operator (IsConv3DBackpropFilterV2). */
export const weightOperator = (g: ConvGeometry, dtype: DType): string =>
  g.groups > 1 || dtype === 'float32' || g.dilation.some((d) => d > 1)
    ? 'Conv3DBackpropFilterV2'
    : 'Conv3DBackpropFilter';
