// What is going to be read, known beforehand: thousands of small tensors then take a few large reads,
// the next of which are under way while the last is being used.

import type { Backend } from './backend.js';

/** Bytes of a file. */
export interface Range {
  readonly offset: number;
  readonly length: number;
}

/** How a backend likes to be read. */
export interface Batches {
  /** Bytes in between that cost less than a read of their own. */
  readonly gap: number;
  /** Bytes of one read, at most. */
  readonly bytes: number;
  /** What has more bytes than this is read by itself, when it is wanted. */
  readonly largest: number;
  /** Reads that are under way at the same time. */
  readonly inFlight: number;
}

/** A read of the operating system takes a limited number of targets, of which a gap is one. */
const MAX_RANGES = 500;

interface Batch {
  readonly ranges: readonly Range[];
  contents?: Promise<Uint8Array<ArrayBuffer>[]>;
}

export class ReadPlan {
  readonly #backend: Backend;
  readonly #inFlight: number;
  readonly #batches: readonly Batch[];
  /** Where in the batches each range is, by its offset. */
  readonly #places = new Map<number, { readonly batch: number; readonly at: number }>();
  #begun = 0;

  /** `ranges` lie in the file, and will be taken in their order. */
  constructor(backend: Backend, ranges: readonly Range[], batches: Batches) {
    this.#backend = backend;
    this.#inFlight = batches.inFlight;
    this.#batches = batchesOf(ranges, batches);
    for (const [batch, { ranges }] of this.#batches.entries())
      for (const [at, { offset }] of ranges.entries()) this.#places.set(offset, { batch, at });
    this.#begin(this.#inFlight);
  }

  /** The bytes of `range`, alone in their buffer; undefined if it is not in the plan, or was taken. */
  take({ offset, length }: Range): Promise<Uint8Array<ArrayBuffer>> | undefined {
    const place = this.#places.get(offset);
    if (place === undefined) return undefined;
    const { ranges } = this.#batches[place.batch];
    if (ranges[place.at].length !== length) return undefined;
    this.#places.delete(offset);
    this.#begin(place.batch + this.#inFlight);
    return this.#batches[place.batch].contents?.then((contents) => contents[place.at]);
  }

  #begin(end: number): void {
    for (; this.#begun < Math.min(end, this.#batches.length); this.#begun++) {
      const batch = this.#batches[this.#begun];
      batch.contents = readBatch(this.#backend, batch.ranges);
      // Whoever takes from it gets its error; until then it is no unhandled one.
      batch.contents.catch(() => {});
      // What was not taken by now is read again if it is wanted at all.
      const old = this.#batches[this.#begun - 2 * this.#inFlight];
      if (old !== undefined) old.contents = undefined;
    }
  }
}

function batchesOf(ranges: readonly Range[], { gap, bytes }: Batches): Batch[] {
  const batches: Range[][] = [];
  let [begin, end] = [0, 0];
  for (const range of ranges) {
    const batch = batches.at(-1);
    const joins =
      batch !== undefined &&
      batch.length < MAX_RANGES &&
      range.offset >= end &&
      range.offset - end <= gap &&
      range.offset + range.length - begin <= bytes;
    if (joins) batch.push(range);
    else {
      batches.push([range]);
      begin = range.offset;
    }
    end = range.offset + range.length;
  }
  return batches.map((all) => ({ ranges: all }));
}

/** Throws away what stands between two ranges. */
async function readBatch(
  backend: Backend,
  ranges: readonly Range[],
): Promise<Uint8Array<ArrayBuffer>[]> {
  const [{ offset: begin }] = ranges;
  const last = ranges[ranges.length - 1];
  const end = last.offset + last.length;
  if (backend.fillAll === undefined) {
    const whole = new Uint8Array(end - begin);
    const done = await backend.fill(whole, begin);
    if (done < whole.length) throw new ShortRead();
    if (ranges.length === 1) return [whole];
    return ranges.map(({ offset, length }) => whole.slice(offset - begin, offset - begin + length));
  }
  const targets: Uint8Array<ArrayBuffer>[] = [];
  const contents: Uint8Array<ArrayBuffer>[] = [];
  let at = begin;
  for (const { offset, length } of ranges) {
    if (offset > at) targets.push(new Uint8Array(offset - at));
    const content = new Uint8Array(length);
    targets.push(content);
    contents.push(content);
    at = offset + length;
  }
  if ((await backend.fillAll(targets, begin)) < end - begin) throw new ShortRead();
  return contents;
}

/** The file ended before it should. */
export class ShortRead extends Error {}
