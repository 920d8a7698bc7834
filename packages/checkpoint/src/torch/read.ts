// A .pt file of PyTorch 1.6 and later: unpickle the description, and check that every storage it
// names is there and as long as it says.

import { CheckpointError } from '../error.js';
import type { Checkpoint } from '../format.js';
import type { Source } from '../source.js';
import { torchCheckpoint } from './checkpoint.js';
import type { StoragePlace } from './describe.js';
import { storageOf } from './tensors.js';
import { unpickle } from './unpickler.js';
import type { StorageRef } from './values.js';
import { type Archive, MAX_WORD_BYTES, openArchive } from './zip.js';

/** Opens a zip archive of torch.save, or of torch.jit.save. */
export async function openTorchZip(source: Source): Promise<Checkpoint> {
  const archive = await openArchive(source);
  const refs: StorageRef[] = [];
  const { value } = unpickle(await archive.readPickle(), {
    entry: archive.fullName('data.pkl'),
    persistentLoad(id, context) {
      const ref = storageOf(id, context);
      refs.push(ref);
      return ref;
    },
  });
  // All sizes first: a file that lies is refused before it costs memory.
  const places = new Map<string, StoragePlace>();
  for (const ref of refs) {
    checkStorage(ref, archive);
    if (typeof ref.key === 'string' && !places.has(ref.key))
      places.set(ref.key, await archive.placeOf(`data/${ref.key}`));
  }
  return torchCheckpoint('torch-zip', value, {
    source,
    bigEndian: await isBigEndian(archive),
    placeOf: (key) => places.get(key) ?? {},
    read: (key) => archive.read(`data/${key}`),
    readPart: (key, begin, end) => archive.readPart(`data/${key}`, begin, end),
  });
}

function checkStorage({ key, type, length }: StorageRef, archive: Archive): void {
  if (typeof key !== 'string') return;
  const name = `data/${key}`;
  const size = archive.sizeOf(name);
  const expected = length * type.unit;
  if (size === undefined)
    throw new CheckpointError('CORRUPT', 'is named in the pickle, but missing from the archive', {
      entry: archive.fullName(name),
    });
  if (size !== expected)
    throw new CheckpointError(
      'CORRUPT',
      `has ${size} bytes, but the pickle says ${length} elements of ${type.name}, ${expected} bytes`,
      { entry: archive.fullName(name) },
    );
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
