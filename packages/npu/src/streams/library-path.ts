// Which runtime a process loads: that of the first CANN installation in its library path.

import { argumentError, describe } from '@voxgrad/core';
import { isCannName } from '../profile/cann-order.js';

export interface Runtime {
  /** CANN version of the libruntime that is loaded. */
  readonly version: string;
  /** The entry of the library path that brings it; null where the path says nothing. */
  readonly entry: string | null;
  /** All CANN versions in the path, in order, each once. */
  readonly versions: readonly string[];
}

/**
 * CANN version in the name of a folder: `…/ascend-toolkit/8.2.RC1/lib64`, `…/cann-9.0.0/lib64`, or a
 * bare version. null for folders of something else, and for `latest`, which does not say. Before 8.5
 * the folder is called ascend-toolkit, since then cann. Source: setenv.
 */
export function cannOfEntry(entry: string): string | null {
  if (isCannName(entry)) return entry;
  const match = /(?:ascend-toolkit|cann|nnae|nnrt)[/_-]v?(\d[^/]*)/i.exec(entry);
  return match && isCannName(match[1]) ? match[1] : null;
}

/** The runtime that is loaded from `libraryPath`, or that of `cann` where no entry names one. */
export function loadedRuntime(
  cann: string,
  libraryPath: string | readonly string[] | undefined,
): Runtime {
  if (libraryPath === undefined) return { version: cann, entry: null, versions: [cann] };
  const entries = typeof libraryPath === 'string' ? libraryPath.split(':') : libraryPath;
  if (!Array.isArray(entries) || !entries.every((e) => typeof e === 'string'))
    throw argumentError(
      'npu(): libraryPath must be the value of LD_LIBRARY_PATH or a list of its entries (folders, or ' +
        `CANN versions), but got ${describe(libraryPath)}`,
    );
  const found = entries.flatMap((entry): { entry: string; version: string }[] => {
    const version = cannOfEntry(entry);
    return version === null ? [] : [{ entry, version }];
  });
  const [first] = found;
  if (!first) return { version: cann, entry: null, versions: [cann] };
  return { ...first, versions: [...new Set(found.map(({ version }) => version))] };
}
