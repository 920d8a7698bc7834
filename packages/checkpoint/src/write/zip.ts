// Zip archives of stored entries, written from front to back.
// Source: PKWARE's APPNOTE.TXT 6.3.10, sections 4.3 to 4.5.
//
// The library that reads archives here also writes them, but computes its own checksums and passes
// the bytes through several streams: 200 MB took 3.5 to 4.5 times as long as writing them
// (docs/dependencies.md). What remains without compression and encryption are the records below.

import { fastCrc32 } from '../crc32.js';
import { CheckpointError } from '../error.js';
import { ByteWriter } from '../torch/bytes.js';
import type { Contents, Pieces } from './contents.js';

export interface ZipEntry {
  readonly name: string;
  /** In bytes. */
  readonly size: number;
  pieces(): Pieces;
}

/** PyTorch maps tensors into memory from where they lie, and wants them at multiples of this. */
const ALIGNMENT = 64;

const LOCAL_HEADER = 0x04034b50;
const DESCRIPTOR = 0x08074b50;
const DIRECTORY_HEADER = 0x02014b50;
const ZIP64_END = 0x06064b50;
const ZIP64_LOCATOR = 0x07064b50;
const END = 0x06054b50;

/** Sizes and checksum follow the content, as in PyTorch's own files; names are UTF-8. */
const FLAGS = 0x0808;
const STORED = 0;
/** 1 January 1980, the first day there is: equal contents make equal files. */
const DATE = 0x21;

/** What 16- and 32-bit fields hold when the value is in a zip64 record. */
const IN_ZIP64_16 = 0xffff;
const IN_ZIP64_32 = 0xffff_ffff;
const ZIP64_EXTRA = 1;
/** `FB` in ASCII: the extra field in which PyTorch puts what aligns the content. */
const PADDING_EXTRA = 0x4246;
const EXTRA_HEAD = 4;
const PADDING = new Uint8Array(ALIGNMENT).fill('Z'.charCodeAt(0));
const NOTHING = new Uint8Array();
/** Without the name and the extra fields. */
const LOCAL_HEADER_BYTES = 30;
const DIRECTORY_HEADER_BYTES = 46;

/** Of the program that can read it: 2.0 for plain entries, 4.5 for zip64. */
const versionFor = (zip64: boolean): number => (zip64 ? 45 : 20);

interface Placed {
  readonly entry: ZipEntry;
  readonly name: Uint8Array;
  /** Of the local header, in bytes from the start of the file. */
  readonly offset: number;
  readonly header: Uint8Array;
  readonly zip64: boolean;
}

/** The archive of `entries`, in their order. Names must differ. */
export function zipContents(entries: readonly ZipEntry[]): Omit<Contents, 'storages'> {
  const placed: Placed[] = [];
  let offset = 0;
  for (const entry of entries) {
    const next = place(entry, offset);
    placed.push(next);
    offset += next.header.length + entry.size + descriptorBytes(next.zip64);
  }
  // The checksums are not known yet, but take the same room.
  const end = directory(
    placed.map((entry) => ({ ...entry, crc: 0 })),
    offset,
  );
  return { size: offset + end.length, pieces: () => write(placed, offset) };
}

async function* write(entries: readonly Placed[], directoryOffset: number): Pieces {
  const crc32 = await fastCrc32();
  const written: (Placed & { crc: number })[] = [];
  for (const placed of entries) {
    yield placed.header;
    let crc = 0;
    for await (const piece of placed.entry.pieces()) {
      crc = crc32(piece, crc);
      yield piece;
    }
    yield descriptor(placed, crc);
    written.push({ ...placed, crc });
  }
  yield directory(written, directoryOffset);
}

function place(entry: ZipEntry, offset: number): Placed {
  const name = new TextEncoder().encode(entry.name);
  if (name.length > 0xffff)
    throw new CheckpointError(
      'VALUE',
      `the name ${JSON.stringify(`${entry.name.slice(0, 40)}…`)} has ${name.length} bytes; names ` +
        'in an archive have at most 65535',
    );
  const zip64 = entry.size >= IN_ZIP64_32;
  const sizes = zip64 ? extra(ZIP64_EXTRA, [entry.size, entry.size]) : NOTHING;
  const before = LOCAL_HEADER_BYTES + name.length + sizes.length + EXTRA_HEAD;
  const padding = (ALIGNMENT - ((offset + before) % ALIGNMENT)) % ALIGNMENT;
  const out = new ByteWriter(before + padding);
  out.u32(LOCAL_HEADER);
  out.u16(versionFor(zip64));
  out.u16(FLAGS);
  out.u16(STORED);
  out.u16(0);
  out.u16(DATE);
  out.u32(0);
  out.u32(zip64 ? IN_ZIP64_32 : 0);
  out.u32(zip64 ? IN_ZIP64_32 : 0);
  out.u16(name.length);
  out.u16(sizes.length + EXTRA_HEAD + padding);
  out.append(name);
  out.append(sizes);
  out.u16(PADDING_EXTRA);
  out.u16(padding);
  out.append(PADDING.subarray(0, padding));
  return { entry, name, offset, header: out.finish(), zip64 };
}

const descriptorBytes = (zip64: boolean): number => (zip64 ? 24 : 16);

function descriptor({ entry, zip64 }: Placed, crc: number): Uint8Array {
  const out = new ByteWriter(descriptorBytes(zip64));
  out.u32(DESCRIPTOR);
  out.u32(crc);
  for (let i = 0; i < 2; i++) {
    if (zip64) u64(out, entry.size);
    else out.u32(entry.size);
  }
  return out.finish();
}

/** The central directory and what ends an archive. */
function directory(entries: readonly (Placed & { crc: number })[], start: number): Uint8Array {
  const names = entries.reduce((total, { name }) => total + name.length, 0);
  const out = new ByteWriter(names + DIRECTORY_HEADER_BYTES * (entries.length + 2));
  for (const { entry, name, offset, zip64, crc } of entries) {
    const far = offset >= IN_ZIP64_32;
    const large = [...(zip64 ? [entry.size, entry.size] : []), ...(far ? [offset] : [])];
    const fields = large.length > 0 ? extra(ZIP64_EXTRA, large) : NOTHING;
    out.u32(DIRECTORY_HEADER);
    out.u16(versionFor(true));
    out.u16(versionFor(large.length > 0));
    out.u16(FLAGS);
    out.u16(STORED);
    out.u16(0);
    out.u16(DATE);
    out.u32(crc);
    out.u32(zip64 ? IN_ZIP64_32 : entry.size);
    out.u32(zip64 ? IN_ZIP64_32 : entry.size);
    out.u16(name.length);
    out.u16(fields.length);
    out.u16(0); // comment
    out.u16(0); // disk
    out.u16(0); // internal attributes
    out.u32(0); // external attributes
    out.u32(far ? IN_ZIP64_32 : offset);
    out.append(name);
    out.append(fields);
  }
  const size = out.length;
  const count = entries.length;
  if (count >= IN_ZIP64_16 || size >= IN_ZIP64_32 || start >= IN_ZIP64_32) {
    out.u32(ZIP64_END);
    u64(out, 44); // what follows of this record
    out.u16(versionFor(true));
    out.u16(versionFor(true));
    out.u32(0); // disk
    out.u32(0); // disk of the directory
    u64(out, count);
    u64(out, count);
    u64(out, size);
    u64(out, start);
    out.u32(ZIP64_LOCATOR);
    out.u32(0); // disk of the record above
    u64(out, start + size);
    out.u32(1); // disks
  }
  out.u32(END);
  out.u16(0); // disk
  out.u16(0); // disk of the directory
  out.u16(Math.min(count, IN_ZIP64_16));
  out.u16(Math.min(count, IN_ZIP64_16));
  out.u32(Math.min(size, IN_ZIP64_32));
  out.u32(Math.min(start, IN_ZIP64_32));
  out.u16(0); // comment
  return out.finish();
}

function extra(id: number, values: readonly number[]): Uint8Array {
  const out = new ByteWriter(EXTRA_HEAD + 8 * values.length);
  out.u16(id);
  out.u16(8 * values.length);
  for (const value of values) u64(out, value);
  return out.finish();
}

function u64(out: ByteWriter, value: number): void {
  out.u32(value % 2 ** 32);
  out.u32(Math.floor(value / 2 ** 32));
}
