// From anything that load() takes to an open file of a known format.

import { CheckpointError } from './error.js';
import type { Checkpoint, Format, OpenFormat } from './format.js';
import { openNpy, openNpz } from './numpy/read.js';
import { openSafetensors } from './safetensors/read.js';
import { sniff } from './sniff.js';
import { type CheckpointSource, nameOf, openSource, type SourceOptions } from './source.js';
import { openTfjsLayers } from './tfjs-layers/read.js';
import { openTorchLegacy } from './torch/legacy.js';
import { openTorchZip } from './torch/read.js';
import { openTorchTar } from './torch/tar.js';

const READERS: Readonly<Record<Format, OpenFormat>> = {
  'torch-zip': openTorchZip,
  'torch-legacy': openTorchLegacy,
  'torch-tar': openTorchTar,
  safetensors: openSafetensors,
  npy: openNpy,
  npz: openNpz,
  'tfjs-layers': openTfjsLayers,
};

/** Opens `source` for as long as `use` runs; errors name the source. */
export async function withCheckpoint<T>(
  source: CheckpointSource,
  options: SourceOptions,
  use: (checkpoint: Checkpoint, size: number) => Promise<T>,
): Promise<T> {
  try {
    const opened = await openSource(source, options);
    try {
      const format = await sniff(opened);
      return await use(await READERS[format](opened), opened.size);
    } finally {
      await opened.close();
    }
  } catch (error) {
    if (error instanceof CheckpointError) throw error.in(nameOf(source));
    throw error;
  }
}
