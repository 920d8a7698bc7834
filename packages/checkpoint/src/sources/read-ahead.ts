// Readers ask for a few bytes at a time: a length, a header, the directory at the end of an archive.
// Where each request costs a round trip, small reads take what stands around them along.

import type { Backend } from './backend.js';

export interface ReadAheadOptions {
  /** Bytes that a small read fetches. */
  readonly window: number;
  /** Up to how many, after reads that went on where the last ended. `window` for no growth. */
  readonly most: number;
  /** The beginning of the file, where it is known already. */
  readonly head?: Uint8Array<ArrayBuffer>;
}

interface Window {
  readonly begin: number;
  readonly end: number;
  readonly bytes: Promise<Uint8Array<ArrayBuffer>>;
}

/** How many windows are kept: a head, a directory, and the places that reading goes back and forth. */
const KEPT = 4;

/** `backend`, with small reads answered from windows; larger ones go past them. */
export function readAhead(backend: Backend, options: ReadAheadOptions): Backend {
  const windows: Window[] = [];
  let window = options.window;
  /** Where the last fetch ended. */
  let last = 0;

  function keep(begin: number, end: number, bytes: Promise<Uint8Array<ArrayBuffer>>): Window {
    const kept = { begin, end, bytes };
    windows.push(kept);
    if (windows.length > KEPT) windows.shift();
    return kept;
  }

  function open(at: number): Window {
    // At the end of the file the window reaches back: archives are read from there.
    const begin = Math.max(0, Math.min(at, backend.size - options.window));
    const target = new Uint8Array(Math.min(window, backend.size - begin));
    const bytes = backend.fill(target, begin).then((length) => target.subarray(0, length));
    const made = keep(begin, begin + target.length, bytes);
    const forget = () => windows.splice(windows.indexOf(made) >>> 0, 1);
    bytes.then(({ length }) => length < target.length && forget(), forget);
    return made;
  }

  /** Copies what the windows hold of the beginning of `target`; returns how much that is. */
  async function copy(target: Uint8Array, offset: number): Promise<number> {
    let done = 0;
    while (done < target.length) {
      const at = offset + done;
      const found = windows.find(({ begin, end }) => begin <= at && at < end);
      if (found === undefined) break;
      const bytes = (await found.bytes).subarray(at - found.begin);
      const part = bytes.subarray(0, target.length - done);
      if (part.length === 0) break; // the file ends before it should
      target.set(part, done);
      done += part.length;
    }
    return done;
  }

  if (options.head !== undefined && options.head.length > 0)
    last = keep(0, options.head.length, Promise.resolve(options.head)).end;

  return {
    ...backend,
    async fill(target, offset) {
      const done = await copy(target, offset);
      if (done === target.length) return done;
      const at = offset + done;
      window = at === last ? Math.min(window * 2, options.most) : options.window;
      if (target.length - done >= window) {
        last = offset + target.length;
        return done + (await backend.fill(target.subarray(done), at));
      }
      last = open(at).end;
      return done + (await copy(target.subarray(done), at));
    },
  };
}
