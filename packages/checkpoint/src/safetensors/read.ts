import { StateDict, Tensor } from '@voxgrad/core';
import { CheckpointError } from '../error.js';
import { storageOver } from '../host.js';
import type { Source } from '../source.js';
import { stripPrefixes } from '../state-dict.js';
import type { ReadOptions } from '../torch/read.js';
import { ELEMENTS } from './dtypes.js';
import { readHeader, type TensorEntry } from './header.js';

/** Reads a safetensors file; the keys are in the order of the file. */
export async function readSafetensors(source: Source, options: ReadOptions): Promise<StateDict> {
  const dict = new StateDict();
  for (const entry of await readHeader(source)) {
    dict.set(entry.name, await readTensor(source, entry, options));
  }
  if (options.stripPrefixes) stripPrefixes(dict);
  return dict;
}

async function readTensor(
  source: Source,
  { name, element, shape, begin, length }: TensorEntry,
  { device }: ReadOptions,
): Promise<Tensor> {
  const dtype = ELEMENTS.get(element)?.dtype;
  if (dtype === undefined)
    throw new CheckpointError(
      'UNSUPPORTED',
      `has the dtype ${element}, which cannot be loaded. Convert it before saving`,
      { entry: name },
    );
  // A fresh buffer per tensor: in the file they need not be aligned to their element size.
  const { buffer } = await source.read(begin, length, name);
  return new Tensor({ storage: storageOver(dtype, buffer), device, shape });
}
