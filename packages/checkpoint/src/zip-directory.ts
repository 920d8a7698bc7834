// The central directory of a zip archive, which alone has the right sizes.
// Source: PKWARE's APPNOTE.TXT 6.3.10, sections 4.3 and 4.4.
//
// The libraries that read archives take more time and memory for it than reading may cost here
// (docs/dependencies.md).

import { CheckpointError } from './error.js';
import type { Source } from './source.js';

export interface ArchiveEntry {
  readonly filename: string;
  /** The name as it stands in the archive. */
  readonly rawFilename: Uint8Array;
  /** Of its local header, in bytes from the start of the file. */
  readonly offset: number;
  readonly compressionMethod: number;
  readonly compressedSize: number;
  readonly uncompressedSize: number;
  readonly crc32: number;
  readonly encrypted: boolean;
}

const DIRECTORY_HEADER = 0x02014b50;
const DIRECTORY_HEADER_BYTES = 46;
const END = 0x06054b50;
const END_BYTES = 22;
const MAX_COMMENT_BYTES = 0xffff;
const ZIP64_LOCATOR = 0x07064b50;
const ZIP64_LOCATOR_BYTES = 20;
const ZIP64_END = 0x06064b50;
const ZIP64_END_BYTES = 56;
const ZIP64_EXTRA = 1;
const EXTRA_HEAD = 4;

/** What 16- and 32-bit fields hold when the value is in a zip64 record. */
const IN_ZIP64_16 = 0xffff;
const IN_ZIP64_32 = 0xffff_ffff;

const ENCRYPTED = 1;

/** More than this many tensors have no one file. */
const MAX_ENTRIES = 500_000;

interface End {
  readonly count: number;
  /** Of the directory, in bytes. */
  readonly size: number;
  /** Where it begins, and where it may end at most. */
  readonly begin: number;
  readonly limit: number;
}

/** All entries but folders, in the order of the directory. */
export async function readZipDirectory(source: Source): Promise<ArchiveEntry[]> {
  const { count, size, begin, limit } = await findEnd(source);
  if (begin + size > limit) throw noDirectory(`it would end at byte ${begin + size}`);
  if (count > MAX_ENTRIES)
    throw new CheckpointError(
      'LIMIT',
      `the archive has ${count} entries; ${MAX_ENTRIES} is the limit`,
    );
  const bytes = await source.read(begin, size);
  const view = new DataView(bytes.buffer);
  const entries: ArchiveEntry[] = [];
  let at = 0;
  for (let i = 0; i < count; i++) {
    if (at + DIRECTORY_HEADER_BYTES > size || view.getUint32(at, true) !== DIRECTORY_HEADER)
      throw noDirectory(`entry ${i} of ${count} is none`);
    const name = view.getUint16(at + 28, true);
    const extra = view.getUint16(at + 30, true);
    const comment = view.getUint16(at + 32, true);
    const end = at + DIRECTORY_HEADER_BYTES + name + extra + comment;
    if (end > size) throw noDirectory(`entry ${i} of ${count} reaches past its end`);
    const entry = entryAt(bytes, view, at, name, extra);
    if (!entry.filename.endsWith('/')) entries.push(entry);
    at = end;
  }
  if (at !== size) throw noDirectory(`it has ${size} bytes, of which ${count} entries take ${at}`);
  return entries;
}

/** The record at the end of the archive, behind which only a comment may stand. */
async function findEnd(source: Source): Promise<End> {
  // Few archives have a comment.
  for (const length of [END_BYTES, END_BYTES + MAX_COMMENT_BYTES]) {
    const start = Math.max(0, source.size - length);
    const view = new DataView((await source.read(start, source.size - start)).buffer);
    for (let at = view.byteLength - END_BYTES; at >= 0; at--) {
      if (view.getUint32(at, true) !== END) continue;
      const comment = view.getUint16(at + 20, true);
      if (at + END_BYTES + comment === view.byteLength) return endAt(source, view, at, start + at);
    }
  }
  throw noDirectory('it has no end');
}

async function endAt(source: Source, view: DataView, at: number, limit: number): Promise<End> {
  const end = {
    count: view.getUint16(at + 10, true),
    size: view.getUint32(at + 12, true),
    begin: view.getUint32(at + 16, true),
    limit,
  };
  const isLarge =
    end.count === IN_ZIP64_16 || end.size === IN_ZIP64_32 || end.begin === IN_ZIP64_32;
  if (!isLarge || limit < ZIP64_LOCATOR_BYTES) return end;
  const locator = await viewOf(source, limit - ZIP64_LOCATOR_BYTES, ZIP64_LOCATOR_BYTES);
  // A file of exactly 65535 entries needs no zip64.
  if (locator.getUint32(0, true) !== ZIP64_LOCATOR) return end;
  const place = count64(locator, 8);
  if (place + ZIP64_END_BYTES > limit) throw noDirectory(`its end would be at byte ${place}`);
  const record = await viewOf(source, place, ZIP64_END_BYTES);
  if (record.getUint32(0, true) !== ZIP64_END) throw noDirectory(`its end is not at byte ${place}`);
  return {
    count: count64(record, 32),
    size: count64(record, 40),
    begin: count64(record, 48),
    limit: place,
  };
}

const viewOf = async (source: Source, offset: number, length: number): Promise<DataView> =>
  new DataView((await source.read(offset, length)).buffer);

function entryAt(
  bytes: Uint8Array<ArrayBuffer>,
  view: DataView,
  at: number,
  nameLength: number,
  extraLength: number,
): ArchiveEntry {
  const nameAt = at + DIRECTORY_HEADER_BYTES;
  const extraAt = nameAt + nameLength;
  const rawFilename = bytes.subarray(nameAt, extraAt);
  // Those that do not fit here stand in an extra field, in this order.
  const sizes = [
    view.getUint32(at + 24, true),
    view.getUint32(at + 20, true),
    view.getUint32(at + 42, true),
  ];
  if (sizes.includes(IN_ZIP64_32)) {
    let field = zip64Field(view, extraAt, extraAt + extraLength);
    for (const [i, size] of sizes.entries()) {
      if (size !== IN_ZIP64_32 || field === undefined) continue;
      if (field.begin + 8 > field.end) throw noDirectory('an entry lacks its sizes');
      sizes[i] = count64(view, field.begin);
      field = { begin: field.begin + 8, end: field.end };
    }
  }
  const [uncompressedSize, compressedSize, offset] = sizes;
  return {
    filename: decode(rawFilename),
    rawFilename,
    offset,
    compressionMethod: view.getUint16(at + 10, true),
    compressedSize,
    uncompressedSize,
    crc32: view.getUint32(at + 16, true),
    encrypted: (view.getUint16(at + 8, true) & ENCRYPTED) !== 0,
  };
}

interface Span {
  readonly begin: number;
  readonly end: number;
}

function zip64Field(view: DataView, begin: number, end: number): Span | undefined {
  for (let at = begin; at + EXTRA_HEAD <= end; ) {
    const content = at + EXTRA_HEAD;
    const next = content + view.getUint16(at + 2, true);
    if (next > end) throw noDirectory('an extra field reaches past its end');
    if (view.getUint16(at, true) === ZIP64_EXTRA) return { begin: content, end: next };
    at = next;
  }
  return undefined;
}

/** A 64-bit count; one beyond 2^53 can only be a lie. */
function count64(view: DataView, at: number): number {
  const value = Number(view.getBigUint64(at, true));
  if (Number.isSafeInteger(value)) return value;
  throw noDirectory(`it has a place or size of ${value} bytes`);
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Names are UTF-8; in old archives of other bytes, each of those is a character. */
function decode(name: Uint8Array): string {
  try {
    return utf8.decode(name);
  } catch {
    return Array.from(name, (byte) => String.fromCharCode(byte)).join('');
  }
}

const noDirectory = (text: string): CheckpointError =>
  new CheckpointError(
    'CORRUPT',
    `the zip archive has no readable directory (${text}). It stands at the end of the file, so the ` +
      'download or copy may be incomplete',
  );
