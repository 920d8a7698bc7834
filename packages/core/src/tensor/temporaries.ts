// Elements that are known to be dead go back at once, instead of waiting for a collector: what was
// made inside an operation, a derivative rule or a scope and did not leave it.

import { shared } from '../shared.js';
import type { Storage } from './storage.js';

const state = shared('temporaries', () => ({
  /** What was made since the innermost collection began; null while nothing is collected. */
  made: null as Storage[] | null,
}));

/** Called for every new storage. */
export function made(storage: Storage): void {
  state.made?.push(storage);
}

/** A collection that is open: what was made in it, and the one that it stands in. */
export interface Collection {
  readonly made: Storage[];
  readonly outer: Storage[] | null;
}

/** Opens a collection. */
export function collect(): Collection {
  const collection = { made: [], outer: state.made };
  state.made = collection.made;
  return collection;
}

/** Closes a collection, and leaves what was made in it alone. */
export function close({ outer }: Collection): void {
  state.made = outer;
}

/** Gives back what was made in a closed collection and does not live on. */
export function giveBack(
  { made, outer }: Collection,
  livesOn: (storage: Storage) => boolean,
): void {
  for (const storage of made)
    if (storage.kept || livesOn(storage)) outer?.push(storage);
    else storage.release();
}

/** Runs `fn`, then gives back the storages made in it that are not among `kept(result)`. */
export function releasing<T>(fn: () => T, kept: (result: T) => ReadonlySet<Storage>): T {
  const collection = collect();
  let result: T;
  try {
    result = fn();
  } finally {
    close(collection);
  }
  if (collection.made.length === 0) return result;
  const keep = kept(result);
  giveBack(collection, (storage) => keep.has(storage));
  return result;
}

/**
 * Runs a part of the library whose tensors nobody sees but for those in `kept(result)`. What no graph
 * has saved goes back at its end, the rest when the last node that saved it lets go.
 */
export function hiding<T>(fn: () => T, kept: (result: T) => Set<Storage>): T {
  const { result, made } = collecting(fn);
  if (made.length === 0) return result;
  const seen = kept(result);
  for (const storage of made) if (!seen.has(storage)) hide(storage);
  return result;
}

/** Nobody but a graph can reach `storage` any more. */
export function hide(storage: Storage): void {
  if (storage.kept) return;
  if (storage.savers === 0) storage.release();
  else storage.hidden = true;
}

/** Runs `fn` and says which storages were made in it. */
export function collecting<T>(fn: () => T): { result: T; made: readonly Storage[] } {
  const collection = collect();
  const { made, outer } = collection;
  try {
    return { result: fn(), made };
  } finally {
    close(collection);
    if (outer) for (const storage of made) outer.push(storage);
  }
}

/** Runs code of the user, who may keep whatever is made there. */
export function outsideCollections<T>(fn: () => T): T {
  const outer = state.made;
  state.made = null;
  try {
    return fn();
  } finally {
    state.made = outer;
  }
}
