// Who sets stream attributes without being asked, and what a process prints for it.

import type { Logged } from '../messages/log.js';
import { compareCann } from '../profile/cann-order.js';
import type { NpuProfile } from '../profile/profile.js';
import { refusedAttribute, runtimeEra, STREAM_ATTRIBUTES } from './attributes.js';

/** The first CANN whose operator library asks for CACHE_OP_INFO. Source: streamcall. */
export const ASKS_FROM = '8.5.0';

/**
 * What a launch of an aclnn operator prints: since 8.5.0 it asks the runtime for attribute 4, and one
 * that is older, because it comes first in the library path, complains. The launch goes on. null where
 * the runtime knows the attribute.
 */
export function complaintOfLaunch({ cann, runtime }: NpuProfile): Logged | null {
  const id = STREAM_ATTRIBUTES.CACHE_OP_INFO;
  const { end } = runtimeEra(runtime.version);
  if (compareCann(cann.version, ASKS_FROM) < 0 || id < end || end === 1) return null;
  return { level: 'error', ...refusedAttribute(id, runtime.version, 'Get') };
}
