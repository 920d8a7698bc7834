// Reading and writing the little-endian fields of pickles and legacy files.

import { CheckpointError } from '../error.js';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Longest text of another encoding; names are shorter. */
const MAX_OLD_STRING = 4096;

/** Integers of so many bytes are exact as numbers, in each step of reading them. */
const MAX_PLAIN = 6;

/** The bytes end too early; of a part of a file, that may mean that the part is too small. */
export class EndOfBytes extends CheckpointError {}

/** A cursor over bytes. Running past the end is a `CheckpointError` with its offset. */
export class ByteReader {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly entry: string | undefined;
  offset: number;
  readonly #view: DataView;

  /** `base` is where `bytes` begin in the file or entry, for messages. */
  constructor(
    bytes: Uint8Array<ArrayBuffer>,
    entry: string | undefined,
    offset = 0,
    readonly base = 0,
  ) {
    this.bytes = bytes;
    this.entry = entry;
    this.offset = offset;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get remaining(): number {
    return this.bytes.length - this.offset;
  }

  error(text: string, offset = this.offset): CheckpointError {
    return new CheckpointError('CORRUPT', text, { entry: this.entry, offset: offset + this.base });
  }

  /** Throws where fewer than `length` bytes are left. */
  need(length: number): void {
    if (length > this.remaining)
      throw this.#end(`the data ends here, but ${length} more bytes are announced`);
  }

  #end(text: string): EndOfBytes {
    return new EndOfBytes('CORRUPT', text, { entry: this.entry, offset: this.offset + this.base });
  }

  /** The next byte, which stays the next. */
  peek(): number | undefined {
    return this.bytes[this.offset];
  }

  /** Moves past `length` bytes and returns where they began. */
  skip(length: number): number {
    this.need(length);
    const start = this.offset;
    this.offset += length;
    return start;
  }

  u8(): number {
    return this.#view.getUint8(this.skip(1));
  }

  u16(): number {
    return this.#view.getUint16(this.skip(2), true);
  }

  u32(): number {
    return this.#view.getUint32(this.skip(4), true);
  }

  i32(): number {
    return this.#view.getInt32(this.skip(4), true);
  }

  /** A 64-bit count; one beyond 2^53 can only be a lie. */
  u64(): number {
    const start = this.skip(8);
    const value = Number(this.#view.getBigUint64(start, true));
    if (!Number.isSafeInteger(value)) throw this.error(`a length of ${value} bytes`, start);
    return value;
  }

  /** The one big-endian field of a pickle. */
  f64BigEndian(): number {
    return this.#view.getFloat64(this.skip(8), false);
  }

  /** A two's complement integer of `length` bytes; a number where that is exact. */
  integer(length: number): number | bigint {
    const start = this.skip(length);
    if (length === 0) return 0;
    if (length <= MAX_PLAIN) {
      let value = 0;
      for (let i = length - 1; i >= 0; i--) value = value * 256 + this.bytes[start + i];
      return this.bytes[start + length - 1] < 128 ? value : value - 256 ** length;
    }
    let hex = '0x';
    for (let i = length - 1; i >= 0; i--)
      hex += this.bytes[start + i].toString(16).padStart(2, '0');
    const value = BigInt.asIntN(length * 8, BigInt(hex));
    const small = Number(value);
    return Number.isSafeInteger(small) ? small : value;
  }

  /** A copy of `length` bytes, at the start of a buffer of its own. */
  copy(length: number): Uint8Array<ArrayBuffer> {
    const start = this.skip(length);
    return this.bytes.slice(start, start + length);
  }

  string(length: number): string {
    const start = this.skip(length);
    try {
      return utf8.decode(this.bytes.subarray(start, start + length));
    } catch {
      throw this.error('a text that is not UTF-8', start);
    }
  }

  /** Python 2 str: text in practice, but of unknown encoding. */
  oldString(length: number): string {
    const start = this.skip(length);
    const part = this.bytes.subarray(start, start + length);
    try {
      return utf8.decode(part);
    } catch {
      if (length > MAX_OLD_STRING) throw this.error('a text that is not UTF-8', start);
      return String.fromCharCode(...part);
    }
  }

  /** Text up to the next newline, which is passed over. */
  line(): string {
    const end = this.bytes.indexOf(0x0a, this.offset);
    if (end < 0) throw this.#end('the data ends within a name');
    const text = this.string(end - this.offset);
    this.offset = end + 1;
    return text;
  }
}

/** Bytes that grow as they are written. */
export class ByteWriter {
  #bytes: Uint8Array<ArrayBuffer>;
  #view: DataView<ArrayBuffer>;
  #length = 0;

  /** `capacity` is how many bytes there will be, as far as that is known. */
  constructor(capacity = 1024) {
    this.#bytes = new Uint8Array(capacity);
    this.#view = new DataView(this.#bytes.buffer);
  }

  /** Bytes written so far. */
  get length(): number {
    return this.#length;
  }

  u8(value: number): void {
    const at = this.#grow(1);
    this.#view.setUint8(at, value);
  }

  u16(value: number): void {
    const at = this.#grow(2);
    this.#view.setUint16(at, value, true);
  }

  u32(value: number): void {
    const at = this.#grow(4);
    this.#view.setUint32(at, value, true);
  }

  i32(value: number): void {
    const at = this.#grow(4);
    this.#view.setInt32(at, value, true);
  }

  f64BigEndian(value: number): void {
    const at = this.#grow(8);
    this.#view.setFloat64(at, value, false);
  }

  append(bytes: Uint8Array): void {
    const at = this.#grow(bytes.length);
    this.#bytes.set(bytes, at);
  }

  /** Makes room, which may replace the buffer, and returns where it begins. */
  #grow(length: number): number {
    const start = this.#length;
    this.#length += length;
    if (this.#length > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(this.#length, 2 * this.#bytes.length));
      larger.set(this.#bytes);
      this.#bytes = larger;
      this.#view = new DataView(larger.buffer);
    }
    return start;
  }

  finish(): Uint8Array<ArrayBuffer> {
    return this.#bytes.slice(0, this.#length);
  }
}
