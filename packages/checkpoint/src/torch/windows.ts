// Pickles that stand in a file one after another, with other things behind: how long each is shows
// only when it has been read, so the part of the file that is held grows until it fits.

import { CheckpointError } from '../error.js';
import type { Source } from '../source.js';
import { EndOfBytes } from './bytes.js';
import { type PickleOptions, unpickle } from './unpickler.js';
import type { PyValue } from './values.js';

const FIRST_WINDOW = 2 ** 16;

/** Pickles beyond this are no description of tensors. */
const MAX_WINDOW = 512 * 2 ** 20;

/** Reads pickles of `source` in a row, beginning at `offset`; `end` bounds what may be read. */
export class PickleStream {
  offset: number;
  /** Nothing is read from here on. */
  readonly end: number;
  readonly #source: Source;
  #window: Uint8Array<ArrayBuffer> = new Uint8Array();
  /** Where in the file the window begins. */
  #start = 0;

  constructor(source: Source, offset = 0, end = source.size) {
    this.#source = source;
    this.offset = offset;
    this.end = end;
  }

  /** The next pickle. Its own offsets, in errors, count from the start of the file. */
  async next(
    makeOptions: () => Pick<PickleOptions, 'persistentLoad'> = () => ({}),
  ): Promise<PyValue> {
    // What is held is tried first: most pickles of a row are short.
    const held = this.#start + this.#window.length - this.offset;
    for (let size = Math.max(held, 1); ; size = Math.max(size * 4, FIRST_WINDOW)) {
      const bytes = await this.#bytes(size);
      const whole = this.#start + bytes.length >= this.end;
      try {
        const { value, end } = unpickle(bytes, {
          ...makeOptions(),
          start: this.offset - this.#start,
          fileOffset: this.#start,
        });
        this.offset = this.#start + end;
        return value;
      } catch (error) {
        if (!(error instanceof EndOfBytes) || whole) throw error;
        if (size >= MAX_WINDOW)
          throw new CheckpointError('LIMIT', `the pickle is longer than ${MAX_WINDOW} bytes`, {
            offset: this.offset,
          });
      }
    }
  }

  /** The `length` bytes that are next; they stay the next. */
  async bytes(length: number): Promise<Uint8Array<ArrayBuffer>> {
    if (this.offset + length > this.end)
      throw new CheckpointError('CORRUPT', `ends where ${length} more bytes are needed`, {
        offset: this.offset,
      });
    const held = await this.#bytes(length);
    const from = this.offset - this.#start;
    return held.slice(from, from + length);
  }

  /** At least `size` bytes from `offset` on, or all that there are. */
  async #bytes(size: number): Promise<Uint8Array<ArrayBuffer>> {
    const wanted = Math.min(this.offset + size, this.end);
    if (this.offset < this.#start || wanted > this.#start + this.#window.length) {
      const length = Math.min(Math.max(size, FIRST_WINDOW), this.end - this.offset);
      this.#window = await this.#source.read(this.offset, Math.max(0, length));
      this.#start = this.offset;
    }
    return this.#window;
  }
}
