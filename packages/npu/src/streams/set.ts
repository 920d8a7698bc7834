import { argumentError, describe, VoxgradError } from '@voxgrad/core';
import type { NpuProfile } from '../profile/profile.js';
import { SOURCES } from '../profile/sources.js';
import {
  findAttribute,
  refusedAttribute,
  runtimeEra,
  STREAM_ATTRIBUTES,
  type StreamAttribute,
} from './attributes.js';

/** What became of an attribute. */
export interface StreamSetting {
  readonly applied: boolean;
  readonly id: number;
  /** Why it was left alone, as torch_npu would warn; null where it was applied. */
  readonly reason: string | null;
  readonly source: string;
}

/**
 * Sets an attribute of the current stream on `attributes`. By name, only what the loaded runtime takes
 * is set, and the rest is left alone with a reason; by raw id, as a caller that asks nobody does, the
 * runtime answers.
 * @throws VoxgradError with the code and text of the loaded runtime, for a raw id out of its range
 */
export function setStreamAttribute(
  { runtime }: NpuProfile,
  attributes: Map<number, unknown>,
  attribute: StreamAttribute | `ACL_STREAM_ATTR_${StreamAttribute}` | number,
  value: unknown,
): StreamSetting {
  const { end, sources } = runtimeEra(runtime.version);
  if (typeof attribute === 'number') {
    if (!Number.isInteger(attribute))
      throw argumentError(
        `setStreamAttribute(): an id must be an integer, but got ${describe(attribute)}`,
      );
    if (attribute < 1 || attribute >= end) {
      const { code, message } = refusedAttribute(attribute, runtime.version);
      throw new VoxgradError(code, code === 'DEVICE' ? message : `${code}: ${message}`);
    }
    attributes.set(attribute, value);
    return { applied: true, id: attribute, reason: null, source: SOURCES[sources[0]] };
  }
  const name = findAttribute(attribute);
  const id = STREAM_ATTRIBUTES[name];
  if (id < end) {
    attributes.set(id, value);
    return { applied: true, id, reason: null, source: SOURCES[sources[0]] };
  }
  const known = end === 1 ? 'none' : `[1, ${end})`;
  const warning =
    name === 'CACHE_OP_INFO'
      ? 'Report shape function is disabled due to incompatible CANN version. '
      : '';
  const reason = `${warning}${name} is attribute ${id}, and the runtime of CANN ${runtime.version} has ${known}`;
  return { applied: false, id, reason, source: SOURCES.cache_op_info };
}
