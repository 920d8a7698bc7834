import { CheckpointError } from '../error.js';
import type { Source } from '../source.js';

interface Shard {
  readonly source: Source;
  /** Its bytes in those of the group. */
  readonly begin: number;
  readonly end: number;
}

/** Reads the bytes of a group from its shards, from the first to the last. */
export class ShardReader {
  readonly #model: Source;
  readonly #paths: readonly string[];
  /** How many shards were opened. */
  #count = 0;
  #open: Shard[] = [];
  /** Bytes of the shards that were opened. */
  #size = 0;

  constructor(model: Source, paths: readonly string[]) {
    this.#model = model;
    this.#paths = paths;
  }

  /** The bytes from `begin` to `end`; what lies before `begin` is not read any more. */
  async read(begin: number, end: number, weight: string): Promise<Uint8Array<ArrayBuffer>> {
    while (this.#size < end && (await this.#next()));
    if (this.#size < end)
      throw new CheckpointError(
        'CORRUPT',
        `needs bytes ${begin} to ${end} of ${this.#paths.join(', ') || 'no file'}, ` +
          `${this.#paths.length === 1 ? 'which has' : 'which have'} ${this.#size}; the download or ` +
          'copy may be incomplete',
        { entry: weight },
      );
    await this.#close((shard) => shard.end <= begin);
    const target = new Uint8Array(end - begin);
    for (const { source, begin: from, end: to } of this.#open) {
      const [first, last] = [Math.max(begin, from), Math.min(end, to)];
      if (first < last)
        await source.readInto(target.subarray(first - begin, last - begin), first - from, weight);
    }
    return target;
  }

  /** @throws CheckpointError unless the shards have `size` bytes together */
  async expectSize(size: number): Promise<void> {
    while (await this.#next());
    if (this.#size !== size)
      throw new CheckpointError(
        'CORRUPT',
        `${this.#paths.join(', ')}: the weights take ${size} bytes, but there are ${this.#size}; ` +
          'are these the files of another model?',
      );
  }

  close(): Promise<void> {
    return this.#close(() => true);
  }

  async #next(): Promise<boolean> {
    const path = this.#paths[this.#count];
    if (path === undefined) return false;
    let source: Source;
    try {
      source = await this.#model.sibling(path);
    } catch (error) {
      throw error instanceof CheckpointError ? error.within(path) : error;
    }
    this.#count++;
    this.#open.push({ source, begin: this.#size, end: this.#size + source.size });
    this.#size += source.size;
    return true;
  }

  async #close(which: (shard: Shard) => boolean): Promise<void> {
    const closed = this.#open.filter(which);
    this.#open = this.#open.filter((shard) => !which(shard));
    for (const { source } of closed) await source.close();
  }
}
