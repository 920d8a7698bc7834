// Files of numpy.save (.npy, one array) and of numpy.savez (.npz, a zip archive of those).

import { type Device, isContiguous } from '@voxgrad/core';
import {
  type ArchiveEntry,
  dataStart,
  isStored,
  readDirectory,
  readEntry,
  readEntryStart,
} from '../archive.js';
import { dtypeFor } from '../elements.js';
import { CheckpointError } from '../error.js';
import type { Checkpoint, TensorInfo } from '../format.js';
import { type NamedTensor, namedTensors } from '../named-tensors.js';
import type { Source } from '../source.js';
import {
  checkNpyLength,
  NPY_PREAMBLE_BYTES,
  type NpyHeader,
  npyStart,
  readNpyHeader,
} from './npy.js';
import { tensorOf } from './tensor.js';

/** Opens a .npy file; it loads as a tensor. */
export async function openNpy(source: Source): Promise<Checkpoint> {
  const { header } = await headerFrom((length) => source.read(0, Math.min(length, source.size)));
  checkNpyLength(header, source.size - header.start);
  const info = infoOf('', header, [header.start, source.size]);
  return {
    format: 'npy',
    tensors: [info],
    async load({ device, wanted }) {
      if (!wanted('')) return null;
      const { start, type } = header;
      // Nothing is read of what cannot be loaded.
      const length = type === undefined ? 0 : source.size - start;
      return tensorOf(header, await source.read(start, length), device);
    },
  };
}

/** Opens a .npz file; it loads as a StateDict with the names of the arrays, in the order of the file. */
export async function openNpz(source: Source): Promise<Checkpoint> {
  const entries: NamedTensor[] = [];
  for (const entry of (await readDirectory(source)).values())
    entries.push(
      entry.filename.endsWith(SUFFIX) ? await arrayIn(source, entry) : { info: stranger(entry) },
    );
  return namedTensors('npz', entries, { source });
}

const SUFFIX = '.npy';

const stranger = ({ filename }: ArchiveEntry): TensorInfo => ({
  name: filename,
  dtype: 'unknown',
  shape: [],
  entry: filename,
  unreadable: 'is a file of another kind, not a NumPy array. Unpack it',
});

async function arrayIn(source: Source, entry: ArchiveEntry): Promise<NamedTensor> {
  const { filename, uncompressedSize } = entry;
  const { head, header } = await located(entry, async () => {
    const read = await headerFrom((length) => readEntryStart(source, entry, length));
    checkNpyLength(read.header, uncompressedSize - read.header.start);
    return read;
  });
  const name = filename.slice(0, -SUFFIX.length);
  const begin = isStored(entry) ? await dataStart(source, entry) : undefined;
  const bytes =
    begin === undefined ? undefined : ([begin + header.start, begin + uncompressedSize] as const);
  const info = { ...infoOf(name, header, bytes), entry: filename };
  if (info.unreadable !== undefined) return { info };
  const read = (device: Device) =>
    located(entry, async () => {
      const options = { checksum: true, head, begin };
      const { type } = header;
      // In a compressed file they may be many.
      if (type !== undefined && dtypeFor(type) !== type)
        source.expand(2 * (uncompressedSize - header.start), filename);
      return tensorOf(header, await readEntry(source, entry, options), device);
    });
  return { info, read };
}

/** A header comes with the preamble in most files; a longer one takes a second look. */
const LIKELY_HEADER_BYTES = 256;

/**
 * The header of an array, and all bytes up to its elements. `start` gives that many first bytes, or
 * all where there are fewer.
 */
async function headerFrom(
  start: (length: number) => Promise<Uint8Array>,
): Promise<{ head: Uint8Array; header: NpyHeader }> {
  const first = await start(Math.max(LIKELY_HEADER_BYTES, NPY_PREAMBLE_BYTES));
  const length = npyStart(first);
  const head = (length > first.length ? await start(length) : first).slice(0, length);
  return { head, header: readNpyHeader(head) };
}

function infoOf(name: string, header: NpyHeader, bytes?: TensorInfo['bytes']): TensorInfo {
  const { type, descr, shape, strides, unreadable } = header;
  return {
    name,
    dtype: type ?? descr,
    shape,
    ...(!isContiguous(shape, strides) && { strides }),
    ...(bytes !== undefined && { bytes }),
    ...(unreadable !== undefined && { unreadable }),
  };
}

/** Runs `read` so that its errors name the entry. */
async function located<T>({ filename }: ArchiveEntry, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof CheckpointError) || error.where.entry !== undefined) throw error;
    throw error.within(filename);
  }
}
