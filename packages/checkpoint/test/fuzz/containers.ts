// Containers of checkpoints, put together from their parts, with a list of their own fields: what
// they hold can be changed and still have the right lengths and checksums, or the fields be made to
// lie.

import { deflateRawSync } from 'node:zlib';
import { crc32 } from '../../src/crc32.js';
import { bytes, u32, u64 } from '../hand-made.js';

/** A little-endian number or a text of a container. */
export interface Field {
  readonly at: number;
  readonly size: number;
}

export interface Built {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly fields: readonly Field[];
}

/** Bytes in a row, with the fields among them. */
class Row {
  readonly fields: Field[] = [];
  length = 0;
  readonly #parts: Uint8Array[] = [];

  add(...parts: Uint8Array[]): void {
    for (const part of parts) {
      this.#parts.push(part);
      this.length += part.length;
    }
  }

  field(...parts: Uint8Array[]): void {
    for (const part of parts) {
      if (part.length > 0) this.fields.push({ at: this.length, size: part.length });
      this.add(part);
    }
  }

  built(): Built {
    return { bytes: new Uint8Array(Buffer.concat(this.#parts)), fields: this.fields };
  }
}

export interface Entry {
  readonly name: string;
  readonly content: Uint8Array;
}

const u16 = (n: number): Uint8Array => bytes(n & 255, n >>> 8);

export interface ZipOptions {
  readonly deflated?: boolean;
  readonly zip64?: boolean;
}

/** Records of PKWARE's APPNOTE.TXT, sections 4.3 to 4.5. */
export function zip(entries: readonly Entry[], { deflated, zip64 }: ZipOptions = {}): Built {
  const row = new Row();
  const central = new Row();
  for (const { name, content } of entries) {
    const at = row.length;
    const raw = new TextEncoder().encode(name);
    const packed = deflated ? deflateRawSync(content) : content;
    const about = [u16(0), u16(deflated ? 8 : 0), u32(0x21), u32(crc32(content))];
    const [size, whole] = [packed.length, content.length];
    const sizes = zip64 ? [u32(2 ** 32 - 1), u32(2 ** 32 - 1)] : [u32(size), u32(whole)];
    const extra = zip64 ? [u16(1), u16(16), u64(whole), u64(size)] : [];
    const more = zip64 ? [u16(1), u16(24), u64(whole), u64(size), u64(at)] : [];
    const version = u16(zip64 ? 45 : 20);
    row.field(u32(0x04034b50), version, ...about, ...sizes);
    row.field(u16(raw.length), u16(lengthOf(extra)), raw, ...extra);
    row.add(packed);
    central.field(u32(0x02014b50), version, version, ...about, ...sizes);
    central.field(u16(raw.length), u16(lengthOf(more)), u16(0), u16(0), u16(0), u32(0));
    central.field(u32(zip64 ? 2 ** 32 - 1 : at), raw, ...more);
  }
  const start = row.length;
  const directory = central.built();
  const fields = directory.fields.map(({ at, size }) => ({ at: start + at, size }));
  row.add(directory.bytes);
  for (const field of fields) row.fields.push(field);
  const [count, size] = [entries.length, directory.bytes.length];
  if (zip64) {
    const at = row.length;
    row.field(u32(0x06064b50), u64(44), u16(45), u16(45), u32(0), u32(0));
    row.field(u64(count), u64(count), u64(size), u64(start));
    row.field(u32(0x07064b50), u32(0), u64(at), u32(1));
  }
  row.field(u32(0x06054b50), u16(0), u16(0), u16(count), u16(count));
  row.field(u32(size), u32(zip64 ? 2 ** 32 - 1 : start), u16(0));
  return row.built();
}

const lengthOf = (parts: readonly Uint8Array[]): number =>
  parts.reduce((sum, part) => sum + part.length, 0);

const BLOCK = 512;

/** The members of a POSIX tar archive. */
export function tar(entries: readonly Entry[]): Built {
  const row = new Row();
  for (const { name, content } of entries) {
    const header = new Uint8Array(BLOCK);
    const put = (at: number, text: string) => header.set(new TextEncoder().encode(text), at);
    put(0, name.slice(0, 99));
    put(100, '0000644\0');
    put(124, `${content.length.toString(8).padStart(11, '0')}\0`);
    put(148, '        ');
    put(156, '0');
    put(257, 'ustar\x0000');
    const sum = header.reduce((total, byte) => total + byte, 0);
    put(148, `${sum.toString(8).padStart(6, '0')}\0 `);
    row.fields.push({ at: row.length, size: 8 }, { at: row.length + 124, size: 12 });
    row.add(header, content, new Uint8Array((BLOCK - (content.length % BLOCK)) % BLOCK));
  }
  row.add(new Uint8Array(2 * BLOCK));
  return row.built();
}

/** A header length, a header, and the data of a safetensors file. */
export function safetensors(header: Uint8Array, data: Uint8Array): Built {
  const row = new Row();
  row.field(u64(header.length));
  row.add(header, data);
  return row.built();
}

/** A .npy file of version 1, or 2 with its longer length. */
export function npy(header: Uint8Array, data: Uint8Array, version: 1 | 2 = 1): Built {
  const row = new Row();
  row.field(bytes('\x93NUMPY', version, 0));
  row.field(version === 1 ? u16(header.length & 0xffff) : u32(header.length));
  row.add(header, data);
  return row.built();
}

/** Parts in a row, of which those of 8 bytes are counts. */
export function rowOf(parts: readonly Uint8Array[]): Built {
  const row = new Row();
  for (const part of parts) {
    if (part.length === 8) row.field(part);
    else row.add(part);
  }
  return row.built();
}
