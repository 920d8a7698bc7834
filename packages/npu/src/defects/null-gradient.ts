// The null gradient of CANN before 8.5.1: computing dw as a matrix product, aclnnConvolutionBackward
// reads the shape of gradInput. A torch_npu that passes null for gradients that nobody wants makes it
// read through a null pointer, and the process dumps core.

import { type ConvGeometry, type Needs, type Refusal, sameShape } from '@voxgrad/core';
import { compareCann } from '../profile/cann-order.js';
import type { NpuProfile } from '../profile/profile.js';
import { SOURCES, type SourceKey } from '../profile/sources.js';
import type { Route } from '../routing/route.js';

/** The first CANN without it; that the fix went into this version is inferred. Source: dxnull. */
export const NULL_GRADIENT_FIXED = '8.5.1';

export const NULL_GRADIENT_SOURCES: readonly SourceKey[] = ['dxnull', 'oppl', 'incident'];

/** Whether torch_npu passes null for masked gradients to this CANN. Source: oppl. */
export function passesNull({ release, cann }: NpuProfile): boolean {
  if (release.nullMasked === 'from CANN 8.5.1')
    return compareCann(cann.version, NULL_GRADIENT_FIXED) >= 0;
  return release.nullMasked === 'always';
}

/**
 * Whether dw is computed as one matrix product: the kernel covers the input exactly
 * (CONV3D_BP_MM_FEATURE_MAP_EQ_KERNEL). Source: dxnull.
 */
export const kernelCoversInput = (g: ConvGeometry): boolean =>
  g.groups === 1 &&
  sameShape(g.kernel, g.input) &&
  g.output.every((size) => size === 1) &&
  g.dilation.every((d) => d === 1) &&
  g.padding.every(([lo, hi]) => lo === 0 && hi === 0);

/** Why the weight gradient of `g` alone does not run. */
export function checkNullGradient(
  g: ConvGeometry,
  [input, weight]: Needs,
  route: Route,
  profile: NpuProfile,
): Refusal[] {
  const { cann, release } = profile;
  if (route.kind !== 'aclnn' || input || !weight || !kernelCoversInput(g)) return [];
  if (!passesNull(profile) || compareCann(cann.version, NULL_GRADIENT_FIXED) >= 0) return [];
  const version = release.version ?? `of ${release.generation}`;
  return [
    {
      check: 'null gradient',
      // No code and no text: the process is gone.
      message:
        `core dump in aclnnConvolutionBackwardGetWorkspaceSize: gradInput is null, since torch_npu ` +
        `${version} passes null for gradients that nobody wants, and CANN ${cann.version} reads its ` +
        'shape where the kernel covers the whole input; CANN 8.5.1 or torch_npu 2.7.1.post4 heals it, ' +
        'and so does an input that requires its gradient',
      source: NULL_GRADIENT_SOURCES.map((key) => SOURCES[key]).join('; '),
    },
  ];
}
