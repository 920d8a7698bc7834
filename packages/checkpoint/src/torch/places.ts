// Where the contents of stored entries begin. A zip archive says it only in the header before each,
// so that listing a thousand storages at an address would take a thousand requests. But entries
// follow each other: one header shows how far a content ends before the next entry (there may be a
// data descriptor between them), and with the directory that places all the others.

import { type ArchiveEntry, dataStart, isStored } from '../archive.js';
import type { Source } from '../source.js';

/** What a local header has without name and extra field. */
const HEADER_BYTES = 30;

/** PyTorch begins each content at a multiple of this, whatever its `.storage_alignment` says. */
const ALIGNMENT = 64;

interface Pattern {
  /** Bytes from the end of a content to the next entry. */
  readonly gap: number;
  readonly aligned: boolean;
  /** Bytes of the extra field, for archives that are not aligned. */
  readonly extra: number;
}

export class Places {
  readonly #source: Source;
  /** The offset of the entry after each. */
  readonly #next = new Map<ArchiveEntry, number>();
  #pattern: Pattern | undefined;

  constructor(source: Source, entries: Iterable<ArchiveEntry>) {
    this.#source = source;
    const sorted = [...entries].sort((a, b) => a.offset - b.offset);
    for (const [i, entry] of sorted.entries())
      if (i + 1 < sorted.length) this.#next.set(entry, sorted[i + 1].offset);
  }

  /** The first byte of the content of a stored entry. */
  async beginOf(entry: ArchiveEntry): Promise<number> {
    const likely = this.likely(entry);
    if (likely !== undefined) return likely;
    const begin = await dataStart(this.#source, entry);
    const next = this.#next.get(entry);
    if (next !== undefined)
      this.#pattern = {
        gap: next - begin - entry.uncompressedSize,
        aligned: begin % ALIGNMENT === 0,
        extra: begin - headerEnd(entry),
      };
    return begin;
  }

  /** Where it begins if it is as the entry before; undefined if the header has to be read. */
  likely(entry: ArchiveEntry): number | undefined {
    const next = this.#next.get(entry);
    if (next === undefined || this.#pattern === undefined || !isStored(entry)) return undefined;
    const { gap, aligned, extra } = this.#pattern;
    const begin = next - gap - entry.uncompressedSize;
    const padding = begin - headerEnd(entry);
    const fits = aligned
      ? begin % ALIGNMENT === 0 && padding >= 0 && padding < 2 * ALIGNMENT
      : padding === extra;
    return fits ? begin : undefined;
  }
}

const headerEnd = ({ offset, rawFilename }: ArchiveEntry): number =>
  offset + HEADER_BYTES + rawFilename.length;
