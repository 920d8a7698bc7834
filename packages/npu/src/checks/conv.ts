// All checks of one convolution call, in the order in which the stack meets them: chip, interface
// (dtype, padding), documented bounds, what the route and the versions add (formats, defects), then the
// tiling of each operator.

import type { ConvCall, ConvKernelName, Needs, Refusal } from '@voxgrad/core';
import { checkFormats } from '../defects/formats.js';
import { checkNullGradient } from '../defects/null-gradient.js';
import type { NpuProfile } from '../profile/profile.js';
import { backwardRoute } from '../routing/route.js';
import {
  BACKWARD_BOUNDS,
  checkBackwardSupport,
  checkBounds,
  checkSymmetry,
  FORWARD_BOUNDS,
} from './bounds.js';
import { checkDType } from './dtypes.js';
import { checkForward } from './forward.js';
import { checkInputGradient } from './input-gradient.js';
import { checkLegacyInput, checkLegacyWeight } from './legacy.js';
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
  const wrongType = checkDType(kernel, dtype, profile);
  if (wrongType.length > 0) return wrongType;

  const refusals = checkSymmetry(g, backward ? 'doc_bwd' : 'doc_fwd');
  // The operators and formulas below are those of 3D; 1D and 2D have their own.
  if (g.spatialRank < 3) return refusals;

  if (!backward) {
    refusals.push(...checkBounds(FORWARD_BOUNDS, g, profile));
    refusals.push(...checkForward(g, dtype, profile));
    return refusals;
  }
  const needs: Needs = kernel === 'convWeight' ? [false, true, false] : call.needs;
  const [input, weight] = needs;
  const route = backwardRoute(profile, g);
  if (profile.soc.backward === 'arch22') refusals.push(...checkBounds(BACKWARD_BOUNDS, g, profile));
  refusals.push(...checkFormats(call.formats, needs, route, profile));
  refusals.push(...checkNullGradient(g, needs, route, profile));
  if (input) {
    refusals.push(...checkLegacyInput(g, dtype, route));
    refusals.push(...checkInputGradient(g, dtype, profile));
  }
  if (weight) {
    refusals.push(...checkLegacyWeight(g, dtype, route));
    refusals.push(...checkWeightGradient(g, dtype, profile));
  }
  return refusals;
}
