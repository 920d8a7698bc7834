// The CANN versions and what they change about a convolution.

import { VoxgradError } from '@voxgrad/core';
import { nearest } from './nearest.js';
import type { SourceKey } from './sources.js';

export interface CannEra {
  /** Newest first. */
  readonly versions: readonly string[];
  /** The code under which a failed tiling check is reported. */
  readonly innerError: 'EZ9999' | 'E69999';
  /** What the forward takes: any number of groups, or only 1 and the number of input channels. */
  readonly forwardGroups: 'any' | 'one or cin';
  readonly sources: readonly SourceKey[];
}

/** Newest first. The names are those of the compatibility table, with 9.0.1 and 8.5.1 added. */
export const CANN_ERAS: readonly CannEra[] = [
  {
    versions: ['9.1.0'],
    innerError: 'E69999',
    forwardGroups: 'any',
    sources: ['compat', 'dx_check'],
  },
  {
    versions: ['9.0.1', '9.0.0', '8.5.1', '8.5.0'],
    innerError: 'EZ9999',
    forwardGroups: 'any',
    sources: ['compat', 'dx_check', 'dxnull'],
  },
  {
    versions: ['8.3.RC1', '8.2.RC1', '8.1.RC1'],
    innerError: 'E69999',
    forwardGroups: 'any',
    sources: ['compat', 'dx_check', 'old_groups'],
  },
  {
    versions: [
      ...['8.0.0', '8.0.RC3', '8.0.RC2', '8.0.RC1', '7.0.0', '7.0.RC1'],
      ...['6.3.RC3.1', '6.3.RC3', '6.3.RC2', '6.3.RC1', '6.0.1', '6.0.RC1'],
      ...['5.1.RC2', '5.1.RC1', '5.0.4', '5.0.3', '5.0.2'],
    ],
    innerError: 'E69999',
    forwardGroups: 'one or cin',
    sources: ['compat', 'dx_check', 'old_groups'],
  },
];

export interface Cann extends Omit<CannEra, 'versions'> {
  readonly version: string;
}

/**
 * The CANN version called `version`, such as `8.2.RC1`.
 * @throws VoxgradError listing the known versions, and the most similar ones
 */
export function findCann(version: string): Cann {
  const found = CANN_ERAS.find((era) => era.versions.includes(version));
  if (found) {
    const { versions: _, ...era } = found;
    return { version, ...era };
  }
  const known = CANN_ERAS.flatMap((era) => era.versions);
  throw new VoxgradError(
    'ARGUMENT',
    `npu(): unknown CANN version ${JSON.stringify(version)}; known versions are ${known.join(', ')}; ` +
      `the nearest are ${nearest(String(version), known, 3).join(', ')}`,
  );
}

/**
 * A failed tiling check as the user reads it. Under E69999 the operator's name stands before the
 * text, and `lead` between the two (source: dx_check).
 */
export const innerError = (cann: Cann, operator: string, text: string, lead = '') => ({
  code: cann.innerError,
  message: cann.innerError === 'E69999' ? `op[${operator}], ${lead}${text}` : text,
});
