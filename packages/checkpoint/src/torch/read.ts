// A .pt file: unpickle the description, check every storage that it names, read them, build.

import type { Device } from '@voxgrad/core';
import { CheckpointError } from '../error.js';
import type { Source } from '../source.js';
import type { Loaded } from '../value.js';
import { materialize } from './materialize.js';
import { Storages } from './storages.js';
import { storageOf } from './tensors.js';
import { unpickle } from './unpickler.js';
import type { StorageRef } from './values.js';
import { type Archive, MAX_WORD_BYTES, openArchive } from './zip.js';

/** A data.pkl beyond this is no description of tensors. */
const MAX_PICKLE_BYTES = 512 * 2 ** 20;

export interface ReadOptions {
  readonly device: Device;
  readonly stripPrefixes: boolean;
}

/** Reads the object in a zip archive of torch.save. */
export async function readTorchZip(source: Source, options: ReadOptions): Promise<Loaded> {
  const archive = await openArchive(source);
  const refs: StorageRef[] = [];
  const { value } = unpickle(await archive.read('data.pkl', MAX_PICKLE_BYTES), {
    entry: archive.fullName('data.pkl'),
    persistentLoad(id, context) {
      const ref = storageOf(id, context);
      refs.push(ref);
      return ref;
    },
  });
  // All sizes first: a file that lies is refused before it costs memory.
  const names = new Set(refs.flatMap((ref) => entryOf(ref, archive)));
  const storages = new Storages(await isBigEndian(archive));
  for (const name of names) storages.add(name, await archive.read(`data/${name}`));
  return materialize(value, { storages, ...options });
}

/** The storage's key, after its entry has been found to have the announced size. */
function entryOf({ key, type, length }: StorageRef, archive: Archive): string[] {
  if (typeof key !== 'string' || type.unsupported !== undefined) return [];
  const name = `data/${key}`;
  const size = archive.sizeOf(name);
  const expected = length * type.unit;
  if (size !== undefined && size !== expected)
    throw new CheckpointError(
      'CORRUPT',
      `has ${size} bytes, but the pickle says ${length} elements of ${type.name}, ${expected} bytes`,
      { entry: archive.fullName(name) },
    );
  if (size === undefined)
    throw new CheckpointError('CORRUPT', 'is named in the pickle, but missing from the archive', {
      entry: archive.fullName(name),
    });
  return [key];
}

/** The `byteorder` entry came with PyTorch 2.1; before, files were written little-endian. */
async function isBigEndian(archive: Archive): Promise<boolean> {
  if (archive.sizeOf('byteorder') === undefined) return false;
  const order = new TextDecoder().decode(await archive.read('byteorder', MAX_WORD_BYTES)).trim();
  if (order === 'little' || order === 'big') return order === 'big';
  throw new CheckpointError('CORRUPT', `says ${JSON.stringify(order)}, not little or big`, {
    entry: archive.fullName('byteorder'),
  });
}
