// torch.save before PyTorch 1.6 (and with `_use_new_zipfile_serialization=False`): five pickles in
// a row (magic number, version, system, the object, the storages' keys), then for each key its
// number of elements and its raw bytes (`_legacy_load` in torch/serialization.py).

import { CheckpointError } from '../error.js';
import type { Source } from '../source.js';
import type { Loaded } from '../value.js';
import { ByteReader } from './bytes.js';
import { materialize } from './materialize.js';
import type { ReadOptions } from './read.js';
import { Storages } from './storages.js';
import { storageOf } from './tensors.js';
import { unpickle } from './unpickler.js';
import type { PyValue, StorageRef } from './values.js';

const MAGIC = 0x1950a86a20f9469cfc6cn;
const VERSION = 1001;

/** Reads the object in a file of the format before zip. */
export async function readTorchLegacy(source: Source, options: ReadOptions): Promise<Loaded> {
  const bytes = await source.read(0, source.size);
  const refs = new Map<string, StorageRef>();
  let start = 0;
  const next = (withStorages = false): PyValue => {
    const { value, end } = unpickle(bytes, {
      start,
      persistentLoad: withStorages
        ? (id, context) => {
            const ref = storageOf(id, context);
            const known = refs.get(String(ref.key));
            // One entry stands for all of them, and each tensor was checked against its own.
            if (known !== undefined && (known.length !== ref.length || known.type !== ref.type))
              throw context.error(`storage ${ref.key} is described in two ways`);
            refs.set(String(ref.key), ref);
            return ref;
          }
        : undefined,
    });
    start = end;
    return value;
  };

  if (next() !== MAGIC) throw corrupt('does not begin with the magic number of torch.save', 0);
  const version = next();
  if (version !== VERSION) throw corrupt(`is of format version ${version}, not ${VERSION}`, start);
  next(); // The system that wrote it. Its byte order does not matter: the data is little-endian.
  const object = next(true);
  const keys = next();
  if (!Array.isArray(keys)) throw corrupt('does not list its storages', start);
  const storages = readStorages(new ByteReader(bytes, undefined, start), keys, refs);
  return materialize(object, { storages, ...options });
}

function readStorages(
  input: ByteReader,
  keys: readonly PyValue[],
  refs: ReadonlyMap<string, StorageRef>,
): Storages {
  const storages = new Storages();
  const missing = new Set(refs.keys());
  for (const key of keys) {
    const ref = typeof key === 'string' ? refs.get(key) : undefined;
    if (typeof key !== 'string' || ref === undefined || !missing.delete(key))
      throw input.error('lists a storage that no tensor names, or lists it twice');
    const at = input.offset;
    const length = input.u64();
    if (length !== ref.length)
      throw input.error(
        `storage ${key} has ${length} elements, but ${ref.length} are expected`,
        at,
      );
    storages.add(key, input.copy(length * ref.type.unit));
  }
  for (const key of missing) throw input.error(`storage ${key} is missing`);
  return storages;
}

const corrupt = (text: string, offset: number) => new CheckpointError('CORRUPT', text, { offset });
