// All checks of one convolution call, in the order in which the stack meets them: chip, interface
// (dtype, padding), documented bounds, then the tiling of each operator.

import type { ConvCall, ConvKernelName, Refusal } from '@voxgrad/core';
import type { NpuProfile } from '../profile/profile.js';
import {
  BACKWARD_BOUNDS,
  checkBackwardSupport,
  checkBounds,
  checkDType,
  checkSymmetry,
  FORWARD_BOUNDS,
} from './bounds.js';
import { checkForward } from './forward.js';
import { checkInputGradient } from './input-gradient.js';
import { checkWeightGradient } from './weight-gradient.js';

/** Why `kernel` does not run on `call`; empty if it runs. */
export function checkConv(
  kernel: ConvKernelName,
  call: ConvCall,
  profile: NpuProfile,
): readonly Refusal[] {
  const { geometry: g, dtype } = call;
  const backward = kernel !== 'convForward';
  if (backward) {
    const unsupported = checkBackwardSupport(g, profile);
    if (unsupported.length > 0) return unsupported;
  }
  // Sizes in bytes mean nothing for a dtype that is not computed.
  const wrongType = checkDType(dtype, profile);
  if (wrongType.length > 0) return wrongType;

  const refusals = checkSymmetry(g, backward ? 'doc_bwd' : 'doc_fwd');
  // The operators and formulas below are those of 3D; 1D and 2D have their own.
  if (g.spatialRank < 3) return refusals;

  if (!backward) {
    refusals.push(...checkBounds(FORWARD_BOUNDS, g, profile));
    refusals.push(...checkForward(g, dtype, profile));
    return refusals;
  }
  const [input, weight] = kernel === 'convWeight' ? [false, true] : call.needs;
  if (profile.soc.backward === 'arch22') refusals.push(...checkBounds(BACKWARD_BOUNDS, g, profile));
  if (input) refusals.push(...checkInputGradient(g, dtype, profile));
  if (weight) refusals.push(...checkWeightGradient(g, dtype, profile));
  return refusals;
}
