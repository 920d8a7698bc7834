// Zip archives, of which .pt and .npz files are two kinds: which entries they have (the directory is
// read in zip-directory.ts), and what those hold.

import { fastCrc32 } from './crc32.js';
import { CheckpointError, reason } from './error.js';
import { nodeStream, nodeZlib } from './files.js';
import type { Source } from './source.js';
import { type ArchiveEntry, readZipDirectory } from './zip-directory.js';

export type { ArchiveEntry } from './zip-directory.js';

/** The files in a zip archive, by name and in the order of its directory. */
export async function readDirectory(source: Source): Promise<Map<string, ArchiveEntry>> {
  const entries = new Map<string, ArchiveEntry>();
  for (const entry of await readZipDirectory(source)) {
    if (entries.has(entry.filename))
      throw new CheckpointError('CORRUPT', 'is in the archive twice', { entry: entry.filename });
    entries.set(entry.filename, entry);
  }
  refuseOverlaps([...entries.values()], source.size);
  return entries;
}

/** Entries that claim the same bytes would make much of little, and one of them is a lie. */
function refuseOverlaps(entries: readonly ArchiveEntry[], size: number): void {
  const sorted = [...entries].sort((a, b) => a.offset - b.offset);
  for (const [i, { filename, offset, compressedSize }] of sorted.entries()) {
    const end = offset + LOCAL_HEADER_BYTES + compressedSize;
    const next = sorted[i + 1];
    if (next !== undefined && end > next.offset)
      throw new CheckpointError('CORRUPT', `claims bytes of ${JSON.stringify(next.filename)}`, {
        entry: filename,
      });
    if (end > size)
      throw new CheckpointError(
        'CORRUPT',
        `announces ${compressedSize} bytes, but the file has ${size}`,
        { entry: filename },
      );
  }
}

export interface EntryOptions {
  /** Whether to compare the checksum. */
  readonly checksum: boolean;
  /** Bytes beyond which it is refused. */
  readonly limit?: number;
  /** Its beginning, which is known and left out of what is returned. */
  readonly head?: Uint8Array;
  /** Where a stored content begins, if that is known but for its checksum. */
  readonly begin?: number;
}

const NOTHING = new Uint8Array();

/** The content of `entry`, in a buffer of its own. */
export async function readEntry(
  source: Source,
  entry: ArchiveEntry,
  options: EntryOptions,
): Promise<Uint8Array<ArrayBuffer>> {
  const { checksum, limit = Number.POSITIVE_INFINITY, head = NOTHING, begin } = options;
  const where = { entry: entry.filename };
  if (entry.uncompressedSize > limit)
    throw new CheckpointError(
      'LIMIT',
      `has ${entry.uncompressedSize} bytes, more than the ${limit} that make sense`,
      where,
    );
  checkReadable(entry);
  const crc32 = checksum ? await fastCrc32() : undefined;
  let sum = 0;
  const add =
    crc32 &&
    ((part: Uint8Array) => {
      sum = crc32(part, sum);
    });
  const bytes = isStored(entry)
    ? await readStored(source, entry, head, begin, add)
    : await inflate(source, entry, head.length, add);
  if (checksum && sum !== entry.crc32) {
    // Perhaps it does not begin there: its own header says where.
    if (begin !== undefined) return readEntry(source, entry, { ...options, begin: undefined });
    throw new CheckpointError(
      'CORRUPT',
      'is damaged: its checksum does not match its bytes. Fetch the file again',
      where,
    );
  }
  return bytes;
}

/** The first `length` bytes of the content of `entry`, or all if there are fewer; not checked. */
export async function readEntryStart(
  source: Source,
  entry: ArchiveEntry,
  length: number,
): Promise<Uint8Array<ArrayBuffer>> {
  checkReadable(entry);
  const size = Math.min(length, entry.uncompressedSize);
  const begin = await dataStart(source, entry);
  if (isStored(entry)) return source.read(begin, size, entry.filename);
  const packed = Math.min(entry.compressedSize, size + DEFLATE_HEADER_BYTES);
  const start = await inflateStart(await source.read(begin, packed, entry.filename), size);
  return start ?? (await inflate(source, entry, 0)).slice(0, size);
}

/** More than the description of a code takes, which stands before what is coded in it. */
const DEFLATE_HEADER_BYTES = 1024;

/** The first `size` bytes that `packed` inflates to; undefined where they do not come at once. */
async function inflateStart(
  packed: Uint8Array<ArrayBuffer>,
  size: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const stream = new DecompressionStream('deflate-raw');
  const writer = stream.writable.getWriter();
  // It ends in the middle, which is an error behind what is wanted.
  writer.write(packed).catch(() => {});
  writer.close().catch(() => {});
  const reader = stream.readable.getReader();
  const target = new Uint8Array(size);
  for (let done = 0; done < size; ) {
    const chunk = await reader.read().catch(() => undefined);
    if (chunk?.value === undefined) return undefined;
    const part = chunk.value.subarray(0, size - done);
    target.set(part, done);
    done += part.length;
  }
  await reader.cancel().catch(() => {});
  return target;
}

/**
 * Deflate turns a byte into 1032 at most (a match of 258 bytes in two bits), so that an entry that
 * announces more is lying, and no memory is set aside for it.
 */
const MAX_RATIO = 1032;

function checkReadable(entry: ArchiveEntry): void {
  const where = { entry: entry.filename };
  if (entry.encrypted)
    throw new CheckpointError('UNSUPPORTED', 'is encrypted. Unpack it and load that', where);
  if (!isStored(entry) && entry.compressionMethod !== DEFLATED)
    throw new CheckpointError(
      'UNSUPPORTED',
      `is compressed by method ${entry.compressionMethod}; stored and deflated entries are read. ` +
        'Pack it again',
      where,
    );
  if (entry.uncompressedSize > (entry.compressedSize + 64) * MAX_RATIO)
    throw new CheckpointError(
      'CORRUPT',
      `announces ${entry.uncompressedSize} bytes, more than its ${entry.compressedSize} can hold`,
      where,
    );
}

/** Whether the content stands in the archive as it is. */
export const isStored = (entry: ArchiveEntry): boolean => entry.compressionMethod === STORED;

const STORED = 0;
const DEFLATED = 8;

/** Straight from its place. */
async function readStored(
  source: Source,
  entry: ArchiveEntry,
  head: Uint8Array,
  begin?: number,
  visit?: (part: Uint8Array) => void,
): Promise<Uint8Array<ArrayBuffer>> {
  const { filename, uncompressedSize } = entry;
  const start = begin ?? (await dataStart(source, entry));
  visit?.(head);
  return source.read(start + head.length, uncompressedSize - head.length, filename, visit);
}

/** Where the content of `entry` begins: behind a local header whose sizes may be blank. */
export async function dataStart(source: Source, entry: ArchiveEntry): Promise<number> {
  const { filename, rawFilename, offset, compressedSize, uncompressedSize } = entry;
  const header = await source.read(offset, LOCAL_HEADER_BYTES + rawFilename.length, filename);
  const view = new DataView(header.buffer);
  const [nameLength, extraLength] = [view.getUint16(26, true), view.getUint16(28, true)];
  const name = header.subarray(LOCAL_HEADER_BYTES);
  if (
    view.getUint32(0, true) !== LOCAL_HEADER ||
    nameLength !== name.length ||
    name.some((byte, i) => byte !== rawFilename[i]) ||
    (isStored(entry) && compressedSize !== uncompressedSize)
  )
    throw new CheckpointError('CORRUPT', 'is not where the directory says', { entry: filename });
  return offset + LOCAL_HEADER_BYTES + nameLength + extraLength;
}

const LOCAL_HEADER = 0x04034b50;
const LOCAL_HEADER_BYTES = 30;

/** Of a packed entry, what is read at once. */
const PACKED_BYTES = 2 ** 20;

/** All of a deflated entry but its first `skip` bytes; exactly what it announces, or an error. */
async function inflate(
  source: Source,
  entry: ArchiveEntry,
  skip: number,
  visit?: (part: Uint8Array) => void,
): Promise<Uint8Array<ArrayBuffer>> {
  const { filename, compressedSize, uncompressedSize } = entry;
  const begin = await dataStart(source, entry);
  source.expand(uncompressedSize, filename);
  const target = new Uint8Array(uncompressedSize - skip);
  const stream = await inflater(uncompressedSize);
  const writer = stream.writable.getWriter();
  const feed = async () => {
    for (let at = 0; at < compressedSize; at += PACKED_BYTES) {
      const length = Math.min(PACKED_BYTES, compressedSize - at);
      await writer.write(await source.read(begin + at, length, filename));
    }
    await writer.close();
  };
  // A source that fails ends the stream, whose reader then gets the error.
  const feeding = feed().catch((error) => writer.abort(error).catch(() => {}));
  const reader = stream.readable.getReader();
  let done = 0;
  try {
    for (;;) {
      const { value } = await reader.read();
      if (value === undefined) break;
      const part: Uint8Array = value;
      if (done + part.length > uncompressedSize)
        throw new Error(`it holds more than the ${uncompressedSize} bytes that it announces`);
      visit?.(part);
      const kept = part.subarray(Math.max(0, skip - done));
      target.set(kept, Math.max(0, done - skip));
      done += part.length;
    }
    if (done < uncompressedSize)
      throw new Error(`it holds ${done} bytes, but announces ${uncompressedSize}`);
  } catch (error) {
    if (error instanceof CheckpointError) throw error;
    source.throwIfAborted();
    throw unpacking(entry, error);
  } finally {
    await reader.cancel().catch(() => {});
    await feeding;
  }
  return target;
}

/** Of what is unpacked, what comes at once; the platform's own streams take much less in Node. */
const UNPACKED_BYTES = 2 ** 18;

/** Takes deflated bytes and gives the inflated, of which `size` are expected. */
async function inflater(size: number): Promise<GenericTransformStream> {
  const [zlib, stream] = [await nodeZlib(), await nodeStream()];
  if (zlib === undefined || stream === undefined) return new DecompressionStream('deflate-raw');
  const chunkSize = Math.max(1024, Math.min(size, UNPACKED_BYTES));
  const inflate = zlib.createInflateRaw({ chunkSize });
  return stream.Duplex.toWeb(inflate) as unknown as GenericTransformStream;
}

const unpacking = (entry: ArchiveEntry, cause: unknown) =>
  new CheckpointError(
    'CORRUPT',
    `cannot be unpacked (${reason(cause)})`,
    { entry: entry.filename },
    { cause },
  );
