/** A run of free bytes. */
interface Gap {
  start: number;
  bytes: number;
}

/** Every block starts at a multiple of this, so that no two share a cache line. */
const ALIGNMENT = 64;

export const aligned = (bytes: number): number => Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;

/**
 * Best-fit allocation over a range of addresses that can be made longer. Neighbouring gaps are
 * merged as they arise. The lists are short (hundreds of blocks), so they are searched plainly.
 */
export class Heap {
  readonly #gaps: Gap[] = [];
  readonly #sizes = new Map<number, number>();
  #end: number;
  #used = 0;

  constructor(readonly start: number) {
    this.#end = start;
  }

  /** The address after the last that belongs to the heap. */
  get end(): number {
    return this.#end;
  }

  /** Bytes handed out. */
  get used(): number {
    return this.#used;
  }

  /** An address, or null where no gap is long enough. */
  take(bytes: number): number | null {
    const wanted = aligned(bytes);
    let best = -1;
    for (let i = 0; i < this.#gaps.length; i++)
      if (
        this.#gaps[i].bytes >= wanted &&
        (best < 0 || this.#gaps[i].bytes < this.#gaps[best].bytes)
      )
        best = i;
    if (best < 0) return null;
    const gap = this.#gaps[best];
    const { start } = gap;
    if (gap.bytes === wanted) this.#gaps.splice(best, 1);
    else {
      gap.start += wanted;
      gap.bytes -= wanted;
    }
    this.#sizes.set(start, wanted);
    this.#used += wanted;
    return start;
  }

  give(start: number): void {
    const bytes = this.#sizes.get(start);
    if (bytes === undefined) throw new Error(`no block starts at ${start}`);
    this.#sizes.delete(start);
    this.#used -= bytes;
    this.#insert(start, bytes);
  }

  /** Makes the heap longer. */
  extend(end: number): void {
    this.#insert(this.#end, end - this.#end);
    this.#end = end;
  }

  /** Bytes by which the heap would have to grow for a block of `bytes`. */
  missing(bytes: number): number {
    const last = this.#gaps.at(-1);
    const tail = last && last.start + last.bytes === this.#end ? last.bytes : 0;
    return Math.max(0, aligned(bytes) - tail);
  }

  #insert(start: number, bytes: number): void {
    let [low, high] = [0, this.#gaps.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#gaps[middle].start < start) low = middle + 1;
      else high = middle;
    }
    const before = this.#gaps[low - 1];
    const after = this.#gaps[low];
    const joinsBefore = before !== undefined && before.start + before.bytes === start;
    const joinsAfter = after !== undefined && start + bytes === after.start;
    if (joinsBefore) {
      before.bytes += bytes + (joinsAfter ? after.bytes : 0);
      if (joinsAfter) this.#gaps.splice(low, 1);
    } else if (joinsAfter) {
      after.start = start;
      after.bytes += bytes;
    } else this.#gaps.splice(low, 0, { start, bytes });
  }
}
