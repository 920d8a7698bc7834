// Everything a checkpoint can come from, behind one random-access interface: readers fetch the
// directory of a file first and then only the parts they need.

import { CheckpointError, reason } from './error.js';
import { hasFileSystem, openFile, readInto } from './files.js';

/** A path (in Node), a URL, or the content itself. */
export type CheckpointSource = string | URL | Blob | ArrayBuffer | ArrayBufferView;

interface Backend {
  /** What to call it in messages. */
  readonly name: string;
  readonly size: number;
  read(offset: number, length: number): Promise<Uint8Array<ArrayBuffer>>;
  close?(): Promise<void>;
}

export class Source {
  readonly #backend: Backend;

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  get name(): string {
    return this.#backend.name;
  }

  get size(): number {
    return this.#backend.size;
  }

  /** A fresh copy of `length` bytes from `offset` on, alone in its buffer (so aligned for all dtypes). */
  async read(offset: number, length: number, entry?: string): Promise<Uint8Array<ArrayBuffer>> {
    const where = { entry, offset: entry === undefined ? offset : undefined };
    // Checked before anything is allocated: a lying length costs nothing.
    if (!(offset >= 0 && length >= 0 && offset + length <= this.size))
      throw new CheckpointError(
        'CORRUPT',
        `bytes ${offset} to ${offset + length} are needed, but the file ends at byte ${this.size}; ` +
          'the download or copy may be incomplete',
        where,
      );
    let bytes: Uint8Array<ArrayBuffer>;
    try {
      bytes = await this.#backend.read(offset, length);
    } catch (error) {
      throw new CheckpointError('IO', `cannot be read (${reason(error)})`, where, { cause: error });
    }
    if (bytes.length !== length)
      throw new CheckpointError('IO', 'became shorter while it was being read', where);
    return bytes;
  }

  async close(): Promise<void> {
    await this.#backend.close?.();
  }
}

/** Opens `source`; the caller closes it. */
export async function openSource(source: CheckpointSource): Promise<Source> {
  return new Source(await backendOf(source));
}

/** What messages call `source`, also when it cannot be opened. */
export function nameOf(source: CheckpointSource): string {
  if (typeof source === 'string') return source;
  if (isUrl(source)) return source.href;
  if (isBlob(source)) return 'name' in source ? String(source.name) : 'the Blob';
  return 'the given bytes';
}

async function backendOf(source: CheckpointSource): Promise<Backend> {
  const name = nameOf(source);
  if (isUrl(source))
    return source.protocol === 'file:' ? fileBackend(source, name) : urlBackend(source, name);
  if (typeof source === 'string') {
    if (/^file:\/\//i.test(source)) return fileBackend(new URL(source), name);
    // Without a file system a bare string is an address relative to the page.
    const isAddress = /^(https?|blob|data):/i.test(source) || !hasFileSystem();
    return isAddress ? urlBackend(source, name) : fileBackend(source, name);
  }
  if (isBlob(source)) return blobBackend(source, name);
  if (ArrayBuffer.isView(source))
    return bytesBackend(new Uint8Array(source.buffer, source.byteOffset, source.byteLength), name);
  if (isArrayBuffer(source)) return bytesBackend(new Uint8Array(source), name);
  throw new CheckpointError(
    'IO',
    `load() takes a path, URL, Blob, ArrayBuffer or Uint8Array, but got ${describe(source)}`,
  );
}

// By tag and not by instanceof: values may come from another realm (a frame, a worker, a vm).
const tagOf = (value: unknown): string => Object.prototype.toString.call(value).slice(8, -1);
const isUrl = (value: unknown): value is URL => tagOf(value) === 'URL';
const isBlob = (value: unknown): value is Blob => /^(Blob|File)$/.test(tagOf(value));
const isArrayBuffer = (value: unknown): value is ArrayBuffer =>
  /^(Shared)?ArrayBuffer$/.test(tagOf(value));

const describe = (value: unknown): string =>
  typeof value === 'object' && value !== null ? 'another object' : String(value);

async function fileBackend(file: string | URL, name: string): Promise<Backend> {
  const { handle, size } = await openFile(file);
  return {
    name,
    size,
    async read(offset, length) {
      const bytes = new Uint8Array(length);
      return bytes.subarray(0, await readInto(handle, bytes, offset));
    },
    close: () => handle.close(),
  };
}

async function urlBackend(url: string | URL, name: string): Promise<Backend> {
  let response: Response;
  try {
    response = await fetch(url);
  } catch (error) {
    throw new CheckpointError('IO', `cannot be fetched (${reason(error)})`, {}, { cause: error });
  }
  if (!response.ok)
    throw new CheckpointError(
      'IO',
      `cannot be fetched: the server answered ${response.status} ${response.statusText}`.trimEnd(),
    );
  try {
    return blobBackend(await response.blob(), name);
  } catch (error) {
    throw new CheckpointError(
      'IO',
      `the download broke off (${reason(error)})`,
      {},
      { cause: error },
    );
  }
}

const blobBackend = (blob: Blob, name: string): Backend => ({
  name,
  size: blob.size,
  read: async (offset, length) =>
    new Uint8Array(await blob.slice(offset, offset + length).arrayBuffer()),
});

const bytesBackend = (bytes: Uint8Array, name: string): Backend => ({
  name,
  size: bytes.length,
  async read(offset, length) {
    const copy = new Uint8Array(length);
    copy.set(bytes.subarray(offset, offset + length));
    return copy;
  },
});
