// Attributes of a stream, and which of them each version of the runtime takes.

import { argumentError, describe } from '@voxgrad/core';
import { compareCann } from '../profile/cann-order.js';
import { nearest } from '../profile/nearest.js';
import { SOURCES, type SourceKey } from '../profile/sources.js';

/** `aclrtStreamAttr`. Source: stream. */
export const STREAM_ATTRIBUTES = {
  FAILURE_MODE: 1,
  FLOAT_OVERFLOW_CHECK: 2,
  USER_CUSTOM_TAG: 3,
  CACHE_OP_INFO: 4,
  PRIORITY: 5,
} as const;

export const STREAM_ATTRIBUTES_SOURCE: SourceKey = 'stream';

export type StreamAttribute = keyof typeof STREAM_ATTRIBUTES;

export const STREAM_ATTRIBUTE_NAMES = Object.keys(STREAM_ATTRIBUTES) as StreamAttribute[];

export interface RuntimeEra {
  /** The first CANN version with this row, and the last that a source names. */
  readonly from: string;
  readonly to: string;
  /** The attributes are 1 … end − 1; an end of 1 means that there is no such interface. */
  readonly end: number;
  readonly sources: readonly SourceKey[];
}

/**
 * Newest first. What lies between two rows belongs to the older one (inferred): the build that added
 * attribute 4 is not known closer than between 8.5.0.alpha002 and 8.5.0-beta.1.
 */
export const RUNTIME_ERAS: readonly RuntimeEra[] = [
  { from: '9.1.0-beta.2.pre', to: '9.1.0', end: 6, sources: ['stream', 'stream91'] },
  { from: '8.5.0-beta.1', to: '9.1.0-beta.1', end: 5, sources: ['stream'] },
  {
    from: '8.2.RC1.alpha003',
    to: '8.5.0.alpha002',
    end: 4,
    sources: ['stream82', 'stream83', 'stream85'],
  },
  { from: '5.0.2', to: '8.1.RC1', end: 1, sources: ['stream_none'] },
];

/** The row of a version of CANN's runtime. */
export function runtimeEra(version: string): RuntimeEra {
  const found = RUNTIME_ERAS.find(({ from }) => compareCann(version, from) >= 0);
  return found ?? RUNTIME_ERAS[RUNTIME_ERAS.length - 1];
}

/** The first runtime that says EE1003 where older ones say EE1001. Source: streammsg. */
const NEW_TEXT = '8.5.0';

export interface StreamRefusal {
  readonly code: string;
  readonly message: string;
  readonly source: string;
}

/**
 * What a runtime of `version` says to an attribute id that it does not know.
 * @param call `Get` or `Set`; the name of the setter is inferred from that of the getter
 */
export function refusedAttribute(
  id: number,
  version: string,
  call: 'Get' | 'Set' = 'Set',
): StreamRefusal {
  const { end, sources } = runtimeEra(version);
  if (end === 1)
    return {
      code: 'DEVICE',
      message:
        `the runtime of CANN ${version} has no stream attributes (aclrtStreamAttr begins with ` +
        '8.2.RC1.alpha003), so that nothing can be set there',
      source: SOURCES[sources[0]],
    };
  const source = SOURCES.streammsg;
  if (compareCann(version, NEW_TEXT) >= 0) {
    const message =
      `rtsStream${call}Attribute failed because value ${id} for parameter stmAttrId is invalid. ` +
      `Expected value: [1, ${end}).`;
    return { code: 'EE1003', message, source };
  }
  const message =
    `The argument is invalid.Reason: Invalid stream attribute ID: ${id}, Supported stream attribute ` +
    `IDs: [1, ${end}).`;
  return { code: 'EE1001', message, source };
}

/** The attribute that `name` means, with or without `ACL_STREAM_ATTR_`. */
export function findAttribute(name: unknown): StreamAttribute {
  const plain = typeof name === 'string' ? name.replace(/^ACL_STREAM_ATTR_/, '') : '';
  const found = STREAM_ATTRIBUTE_NAMES.find((known) => known === plain);
  if (found) return found;
  throw argumentError(
    `setStreamAttribute(): no attribute is called ${describe(name)}; the nearest known names are ` +
      nearest(plain, STREAM_ATTRIBUTE_NAMES, 3).join(', '),
  );
}
