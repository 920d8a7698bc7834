// torch.save before PyTorch 1.6 (and with `_use_new_zipfile_serialization=False`): five pickles in
// a row (magic number, version, system, the object, the storages' keys), then for each key its
// number of elements and its raw bytes (`_legacy_load` in torch/serialization.py).

import { CheckpointError } from '../error.js';
import type { Checkpoint } from '../format.js';
import type { Source } from '../source.js';
import { ByteReader } from './bytes.js';
import { torchCheckpoint } from './checkpoint.js';
import type { StorageFile } from './storages.js';
import { moduleClass, storageOf } from './tensors.js';
import type { CallContext, PyValue, StorageRef } from './values.js';
import { PickleStream } from './windows.js';

const MAGIC = 0x1950a86a20f9469cfc6cn;
const VERSION = 1001;

/** Each storage begins with its number of elements. */
const COUNT_BYTES = 8;

/** Opens a file of the format before zip. */
export async function openTorchLegacy(source: Source): Promise<Checkpoint> {
  const stream = new PickleStream(source);
  if ((await stream.next()) !== MAGIC)
    throw corrupt('does not begin with the magic number of torch.save', 0);
  const version = await stream.next();
  if (version !== VERSION)
    throw corrupt(`is of format version ${String(version)}, not ${VERSION}`, stream.offset);
  await stream.next(); // The system that wrote it. Whatever its byte order, the data is little-endian.
  let refs = new StorageTable();
  const object = await stream.next(() => {
    refs = new StorageTable();
    return { persistentLoad: (id, context) => refs.load(id, context) };
  });
  const keys = await stream.next();
  if (!Array.isArray(keys)) throw corrupt('does not list its storages', stream.offset);
  const file = await locate(source, keys, refs.all, stream.offset);
  return torchCheckpoint('torch-legacy', object, file);
}

/** The storages that a pickle names; one entry stands for all of one key. */
class StorageTable {
  readonly all = new Map<string, StorageRef>();

  load(id: PyValue, context: CallContext): PyValue {
    const type = moduleClass(id);
    if (type !== undefined) return type;
    const ref = storageOf(id, context);
    const known = this.all.get(String(ref.key));
    // Each tensor was checked against its own.
    if (known !== undefined && (known.length !== ref.length || known.type !== ref.type))
      throw context.error(`storage ${ref.key} is described in two ways`);
    this.all.set(String(ref.key), ref);
    return ref;
  }
}

/** Finds the storages, which follow each other in the order of `keys` from `start` on. */
async function locate(
  source: Source,
  keys: readonly PyValue[],
  refs: ReadonlyMap<string, StorageRef>,
  start: number,
): Promise<StorageFile> {
  const places = new Map<string, { readonly begin: number; readonly length: number }>();
  let at = start;
  for (const key of keys) {
    const ref = typeof key === 'string' ? refs.get(key) : undefined;
    if (typeof key !== 'string' || ref === undefined || places.has(key))
      throw corrupt('lists a storage that no tensor names, or lists it twice', at);
    const count = new ByteReader(await source.read(at, COUNT_BYTES), undefined).u64();
    if (count !== ref.length)
      throw corrupt(`storage ${key} has ${count} elements, but ${ref.length} are expected`, at);
    const length = count * ref.type.unit;
    at += COUNT_BYTES;
    places.set(key, { begin: at, length });
    at += length;
    if (at > source.size)
      throw corrupt(
        `storage ${key} ends at byte ${at}, but the file at byte ${source.size}; the download or ` +
          'copy may be incomplete',
        at - length,
      );
  }
  for (const key of refs.keys())
    if (!places.has(key)) throw corrupt(`storage ${key} is missing`, at);
  const placeOf = (key: string) => places.get(key) ?? { begin: 0, length: 0 };
  return {
    source,
    bigEndian: false,
    placeOf: (key) => ({ begin: placeOf(key).begin }),
    read: (key) => source.read(placeOf(key).begin, placeOf(key).length),
    readPart: (key, begin, end) => source.read(placeOf(key).begin + begin, end - begin),
  };
}

const corrupt = (text: string, offset: number) => new CheckpointError('CORRUPT', text, { offset });
