// Tiling a call that the device takes whole: possible, for those who force it, and never the choice.

import type { Capabilities, ConvKernelName } from '../../device/device.js';
import type { ConvCall } from '../../ops/conv/geometry.js';
import type { Support } from '../types.js';

export const takesWhole = (
  kernel: ConvKernelName,
  call: ConvCall,
  capabilities: Capabilities,
): boolean => capabilities.checkConv(kernel, call).length === 0;

export const NOT_NEEDED: Support = {
  ok: true,
  reasons: ['the device takes the call whole; where forced, it runs in two pieces'],
};

/**
 * Never the cheapest: where the whole call is refused for another reason than its size (a kernel in
 * quarantine), pieces of it would run on the same kernel.
 */
export const UNNEEDED_COST = Number.POSITIVE_INFINITY;
