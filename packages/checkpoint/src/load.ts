import { type DeviceLike, getDevice, type StateDict } from '@voxgrad/core';
import { CheckpointError } from './error.js';
import { readSafetensors } from './safetensors/read.js';
import { type Kind, sniff } from './sniff.js';
import { type CheckpointSource, nameOf, openSource, type Source } from './source.js';
import { findStateDict } from './state-dict.js';
import { readTorchLegacy } from './torch/legacy.js';
import { type ReadOptions, readTorchZip } from './torch/read.js';
import type { Loaded } from './value.js';

export interface LoadOptions {
  /** Where the tensors live; the default device if omitted. */
  device?: DeviceLike;
  /**
   * Takes wrappers' names out of the keys of state dicts: `module.` (DataParallel) from the front,
   * `_orig_mod.` (torch.compile) from anywhere, in whatever order they are nested.
   */
  stripPrefixes?: boolean;
}

const READERS: Record<Kind, (source: Source, options: ReadOptions) => Promise<Loaded>> = {
  'torch-zip': readTorchZip,
  'torch-legacy': readTorchLegacy,
  safetensors: readSafetensors,
};

/**
 * Reads a checkpoint: a `.pt` file of PyTorch (any version since 0.2) or a safetensors file, told
 * apart by content. Nothing in the file is run, and what would need to be is refused.
 *
 * @param source a path (in Node), a URL or http(s) address, a Blob, an ArrayBuffer or a view of one
 * @returns Python dicts as Maps (state dicts as `StateDict`), lists, tuples and `torch.Size` as
 *   arrays, tensors as `Tensor`; tensors that shared a storage still do. A safetensors file is a
 *   `StateDict`.
 * @throws CheckpointError saying what the file is, where it broke and what to do
 */
export async function load(source: CheckpointSource, options: LoadOptions = {}): Promise<Loaded> {
  const readOptions: ReadOptions = {
    device: getDevice(options.device),
    stripPrefixes: options.stripPrefixes ?? false,
  };
  return naming(source, async () => {
    const opened = await openSource(source);
    try {
      return await READERS[await sniff(opened)](opened, readOptions);
    } finally {
      await opened.close();
    }
  });
}

/**
 * Reads the state dict in a checkpoint, alone or under one of the keys that training scripts use
 * (`state_dict`, `model`, `model_state_dict`, `net`, `module`, `network_weights`, …).
 *
 * @param source as for {@link load}
 * @throws CheckpointError as {@link load}, and with the keys found if there is no state dict
 */
export async function loadStateDict(
  source: CheckpointSource,
  options: LoadOptions = {},
): Promise<StateDict> {
  const value = await load(source, options);
  return naming(source, async () => findStateDict(value));
}

/** Runs `read` so that its errors name `source`. */
async function naming<T>(source: CheckpointSource, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof CheckpointError) throw error.in(nameOf(source));
    throw error;
  }
}
