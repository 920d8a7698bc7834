// Storage formats that a backward does not take. Graph operators read the format of a tensor's storage,
// aclnn goes by the number of dimensions and refuses internal formats.

import type { ConvFormats, Needs, Refusal } from '@voxgrad/core';
import { formatId, isInternal, type StorageFormat } from '../formats/formats.js';
import type { NpuProfile } from '../profile/profile.js';
import { SOURCES } from '../profile/sources.js';
import { innerError } from '../profile/versions.js';
import type { Route } from '../routing/route.js';

/**
 * A graph operator's node as logs call it: its type and its number in the graph, which reports give as
 * nothing, 2 and 3. The number here is that of the incident (inferred for other programs).
 */
const FILTER_NODE = 'Conv3DBackpropFilter2';

/** Why the backward of tensors with `formats` does not run on `route`. */
export function checkFormats(
  formats: ConvFormats | undefined,
  [, weight]: Needs,
  route: Route,
  { cann }: NpuProfile,
): Refusal[] {
  if (!formats) return [];
  if (route.kind === 'acl_op')
    return weight && formats.input === 'ND'
      ? [
          {
            check: 'format',
            ...innerError(cann, FILTER_NODE, 'illegal format of x.'),
            source: SOURCES.illegal_format,
          },
        ]
      : [];
  return Object.entries(formats).flatMap(([name, format]: [string, string | undefined]) =>
    format !== undefined && isInternal(format) ? [onlyNcdhw(name, format)] : [],
  );
}

/** Under which name the text calls a tensor is inferred. */
const onlyNcdhw = (name: string, format: StorageFormat): Refusal => ({
  check: 'format',
  message: `In 3D scenes, the ${name} format only supports NCDHW, but received ${format}.`,
  code: 'EZ1001',
  source: SOURCES.format_check,
});

/** What heals a refusal of this file, in words. */
export const FORMAT_REMEDY = `formatCast(x, 'NCDHW'), which is npu_format_cast(x, ${formatId('NCDHW')})`;
