// From contents to where they go: one batch of pieces is written while the next is being made, so
// that checksums and copies cost no time of their own.

import { CheckpointError } from '../error.js';
import type { Contents } from './contents.js';

export interface PumpOptions {
  /** Called after each write: bytes so far, and bytes in all. */
  readonly onProgress?: (written: number, total: number) => void;
  /** Ends the writing, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** Writes `pieces` in a row; they are not touched until that is done. */
export type Write = (pieces: Uint8Array[]) => Promise<void>;

/** Of a batch: one write takes this much, or this many small pieces. */
const BATCH_BYTES = 4 * 2 ** 20;
const BATCH_PIECES = 512;

/**
 * Writes all of `contents`.
 * @throws CheckpointError if a tensor was changed in place meanwhile: the file would hold a part of
 *   its old values and a part of its new ones
 */
export async function pump(contents: Contents, write: Write, options: PumpOptions): Promise<void> {
  const versions = new Map([...contents.storages].map((storage) => [storage, storage.version]));
  const writer = new BatchWriter(write, contents.size, options);
  try {
    for await (const piece of contents.pieces()) await writer.add(piece);
    await writer.flush();
  } finally {
    await writer.settled();
  }
  if (writer.written !== contents.size)
    throw new Error(`${contents.size} bytes were announced, but ${writer.written} written`);
  if ([...versions].some(([storage, version]) => storage.version !== version))
    throw new CheckpointError(
      'VALUE',
      'a tensor was changed in place while it was being saved. Await save() before going on, or ' +
        'save clones',
    );
}

class BatchWriter {
  written = 0;
  readonly #write: Write;
  readonly #total: number;
  readonly #options: PumpOptions;
  #batch: Uint8Array[] = [];
  #bytes = 0;
  #inFlight: Promise<void> = Promise.resolve();

  constructor(write: Write, total: number, options: PumpOptions) {
    this.#write = write;
    this.#total = total;
    this.#options = options;
  }

  async add(piece: Uint8Array): Promise<void> {
    if (piece.length === 0) return;
    this.#batch.push(piece);
    this.#bytes += piece.length;
    if (this.#bytes >= BATCH_BYTES || this.#batch.length >= BATCH_PIECES) await this.#send();
  }

  /** Sends what is left and waits until all of it is written. */
  async flush(): Promise<void> {
    if (this.#batch.length > 0) await this.#send();
    await this.#inFlight;
  }

  /** When nothing is in flight any more, whether or not it went well. */
  async settled(): Promise<void> {
    await this.#inFlight.catch(() => {});
  }

  /** Begins to write the batch as soon as the one before it is written. */
  async #send(): Promise<void> {
    await this.#inFlight;
    this.#options.signal?.throwIfAborted();
    const [batch, bytes] = [this.#batch, this.#bytes];
    this.#batch = [];
    this.#bytes = 0;
    this.#inFlight = this.#write(batch).then(() => {
      this.written += bytes;
      this.#options.onProgress?.(this.written, this.#total);
    });
    // Whoever awaits it next gets its error; until then it is no unhandled one.
    this.#inFlight.catch(() => {});
  }
}
