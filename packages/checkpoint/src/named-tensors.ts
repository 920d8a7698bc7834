// What the formats have in common that hold tensors by name and nothing else.

import { type Device, StateDict, type Tensor } from '@voxgrad/core';
import { CheckpointError } from './error.js';
import type { Checkpoint, Format, TensorInfo } from './format.js';
import type { Source } from './source.js';
import { stripPrefixes } from './state-dict.js';

export interface NamedTensor {
  readonly info: TensorInfo;
  /**
   * Reads it; missing for those that are `unreadable`.
   * @throws CheckpointError with code UNSUPPORTED for elements that turn out to be
   */
  readonly read?: (device: Device) => Promise<Tensor>;
}

/**
 * A file of named tensors, which loads as a StateDict in their order; `source` is what their `bytes`
 * are places in, if they are read by those.
 */
export const namedTensors = (
  format: Format,
  entries: readonly NamedTensor[],
  { metadata, source }: { metadata?: Checkpoint['metadata']; source?: Source } = {},
): Checkpoint => ({
  format,
  tensors: entries.map(({ info }) => info),
  metadata,
  async load({ device, wanted, report, stripPrefixes: strip }) {
    const dict = new StateDict();
    source?.plan(
      entries.flatMap(({ info: { name, bytes }, read }) =>
        read === undefined || bytes === undefined || !wanted(name)
          ? []
          : [{ offset: bytes[0], length: bytes[1] - bytes[0] }],
      ),
    );
    for (const { info, read } of entries) {
      if (!wanted(info.name)) continue;
      if (read === undefined) {
        report(info);
        continue;
      }
      try {
        dict.set(info.name, await read(device));
      } catch (error) {
        // Elements may turn out to have no counterpart, as a large uint64 does.
        if (!(error instanceof CheckpointError) || error.code !== 'UNSUPPORTED') throw error;
        report({ ...info, unreadable: error.text });
      }
    }
    if (strip) stripPrefixes(dict);
    return dict;
  },
});
