// The forward convolution: operator Conv3DV2.

import { type ConvGeometry, type DType, dilatedKernel, type Refusal } from '@voxgrad/core';
import type { NpuProfile } from '../profile/profile.js';
import { SOURCES } from '../profile/sources.js';
import { innerError } from '../profile/versions.js';
import { BLOCK, CHANNEL_BYTES, channelBlock } from './units.js';

/** Source: opsinfo. */
const OPERATOR = 'Conv3DV2';
/** Taps of a plane times c0 that the load instruction can count. Source: load3d. */
const LOAD3D_LIMIT = 65535;

/**
 * Smallest load of the forward convolution, in bytes of L1. There is no factor for the kernel's
 * depth, which is why an input gradient composed of a forward fits where the native one does not:
 *
 *   aL1 = ((⌊16 / Wo⌋ + 1)·sH + khDil)·Wi·32
 *
 * Source: fwd_check.
 */
export function forwardL1(g: ConvGeometry): number {
  const rows = Math.floor(BLOCK / g.output[2]) + 1;
  const dilatedH = dilatedKernel(g.kernel[1], g.dilation[1]);
  return (rows * g.stride[1] + dilatedH) * g.input[2] * CHANNEL_BYTES;
}

/** Why the forward convolution of `g` does not run. */
export function checkForward(g: ConvGeometry, dtype: DType, profile: NpuProfile): Refusal[] {
  const { soc, cann } = profile;
  const refusals: Refusal[] = [];
  if (cann.forwardGroups !== 'any' && g.groups !== 1 && g.groups !== g.inChannels)
    refusals.push({
      check: 'groups',
      message: 'Conv3dv2 only supports groups = 1 or groups = cin',
      code: 'EZ1001',
      source: SOURCES.old_groups,
    });
  const plane = g.kernel[1] * g.kernel[2] * channelBlock(dtype);
  if (plane > LOAD3D_LIMIT)
    refusals.push({
      check: 'kernel',
      ...innerError(cann, OPERATOR, `min posK[${plane}] excced limit[${LOAD3D_LIMIT}].`),
      source: SOURCES.load3d,
    });
  const need = forwardL1(g);
  if (need > soc.l1)
    refusals.push({
      check: 'L1',
      // A kernel here has no bias, so the second number is always 0.
      ...innerError(
        cann,
        OPERATOR,
        `L1 min tiling excced L1 size. min al1:${need}, min bias l1: 0`,
      ),
      needBytes: need,
      limitBytes: soc.l1,
      source: SOURCES.fwd_check,
    });
  return refusals;
}
