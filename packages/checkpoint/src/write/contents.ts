// A file that is about to be written: every format says first how long it will be, and then gives its
// bytes in order, a few megabytes at a time, so that no file is ever in memory as a whole.

import type { Storage } from '@voxgrad/core';

/** Bytes in order. A piece may be a view of a tensor's own memory, and is never written to. */
export type Pieces = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

export interface Contents {
  /** In bytes: of all pieces together. */
  readonly size: number;
  pieces(): Pieces;
  /** The memory that the pieces are taken from, which must not change in the meantime. */
  readonly storages: Iterable<Storage>;
}
