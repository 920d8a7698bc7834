// Everything a checkpoint can come from, behind one random-access interface: readers fetch the
// directory of a file first and then only the parts they need.

import { CheckpointError, reason } from './error.js';
import { hasFileSystem, openFile, readAllInto, readInto } from './files.js';
import { type Backend, blobBackend, bytesBackend, LOCAL_BATCHES } from './sources/backend.js';
import { type HttpOptions, httpBackend } from './sources/http.js';
import { type Range, ReadPlan, ShortRead } from './sources/plan.js';
import { readAhead } from './sources/read-ahead.js';

/** The content of a file. */
export type FileContent = Blob | ArrayBuffer | ArrayBufferView;

/** A path (in Node), a URL, or the content itself; for a model of several files, those by name. */
export type CheckpointSource = string | URL | FileContent | Readonly<Record<string, FileContent>>;

export interface SourceOptions {
  /** Ends the reading; what was called then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Sent with every request to an http(s) address, such as `{ Authorization: 'Bearer …' }`. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Bytes that loading may take beyond four times the size of the file, as where entries of an
   * archive are compressed: 192 MiB if omitted. More only for a file from someone you trust, as a
   * small one can be made to fill the memory.
   */
  readonly expansionLimit?: number;
}

/** Honest numbers are hardly compressed; masks and zeros are. */
const EXPANSION_LIMIT = 192 * 2 ** 20;
const EXPANSION_RATIO = 4;

/** Large enough that a request costs little, small enough that visiting one takes no time to speak of. */
const PART_BYTES = 4 * 2 ** 20;

export class Source {
  /** What to call it in messages. */
  readonly name: string;
  readonly #backend: Backend;
  readonly #signal: AbortSignal | undefined;
  readonly #expansionLimit: number;
  #expanded = 0;
  #plan: ReadPlan | undefined;

  constructor(name: string, backend: Backend, options: SourceOptions = {}) {
    this.name = name;
    this.#backend = backend;
    this.#signal = options.signal;
    this.#expansionLimit = options.expansionLimit ?? EXPANSION_LIMIT;
  }

  /** In bytes. */
  get size(): number {
    return this.#backend.size;
  }

  /**
   * Says what will be read next, in the order of the file, so that it can be read ahead and
   * neighbours together. Each range is kept until it is read for the first time.
   */
  plan(ranges: readonly Range[]): void {
    const { batches } = this.#backend;
    if (batches === undefined) return;
    // Large ones are read in parts, so that who visits them need not wait; lies are refused later.
    const small = ranges.filter(
      ({ offset, length }) =>
        length > 0 && length <= batches.largest && offset >= 0 && offset + length <= this.size,
    );
    this.#plan = small.length > 1 ? new ReadPlan(this.#backend, small, batches) : undefined;
  }

  /**
   * A fresh copy of `length` bytes from `offset` on, alone in its buffer (so aligned for all dtypes).
   * `visit` is given its parts in order, each while the next one is being read.
   */
  async read(
    offset: number,
    length: number,
    entry?: string,
    visit?: (part: Uint8Array<ArrayBuffer>) => void,
  ): Promise<Uint8Array<ArrayBuffer>> {
    // Checked before anything is allocated: a lying length costs nothing.
    this.#check(offset, length, entry);
    const planned = this.#plan?.take({ offset, length });
    if (planned !== undefined) {
      const bytes = await this.#located(() => planned, offset, entry);
      visit?.(bytes);
      return bytes;
    }
    let target: Uint8Array<ArrayBuffer>;
    try {
      target = new Uint8Array(length);
    } catch (error) {
      throw new CheckpointError(
        'LIMIT',
        `${length} bytes are needed at once, more than this runtime can allocate`,
        { entry },
        { cause: error },
      );
    }
    if (visit === undefined) await this.readInto(target, offset, entry);
    else await this.#readParts(target, offset, entry, visit);
    return target;
  }

  async #readParts(
    target: Uint8Array<ArrayBuffer>,
    offset: number,
    entry: string | undefined,
    visit: (part: Uint8Array<ArrayBuffer>) => void,
  ): Promise<void> {
    let before: Uint8Array<ArrayBuffer> | undefined;
    for (let at = 0; at < target.length; at += PART_BYTES) {
      const part = target.subarray(at, at + PART_BYTES);
      const reading = this.readInto(part, offset + at, entry);
      if (before !== undefined) visit(before);
      await reading;
      before = part;
    }
    if (before !== undefined) visit(before);
  }

  /** Fills `target` with the bytes from `offset` on. */
  async readInto(target: Uint8Array<ArrayBuffer>, offset: number, entry?: string): Promise<void> {
    this.#check(offset, target.length, entry);
    const fill = async () => {
      if ((await this.#backend.fill(target, offset)) !== target.length) throw new ShortRead();
    };
    await this.#located(fill, offset, entry);
  }

  /** What `read` gives, or its error with the place of it. */
  async #located<T>(read: () => Promise<T>, offset: number, entry: string | undefined): Promise<T> {
    this.throwIfAborted();
    const where = { entry, offset: entry === undefined ? offset : undefined };
    try {
      return await read();
    } catch (error) {
      this.throwIfAborted();
      if (error instanceof CheckpointError) throw error;
      if (error instanceof ShortRead)
        throw new CheckpointError('IO', 'became shorter while it was being read', where);
      throw new CheckpointError('IO', `cannot be read (${reason(error)})`, where, { cause: error });
    }
  }

  /**
   * The file beside this one that `name` leads to, below the same folder; the caller closes it.
   * @throws CheckpointError if the name leads out of the folder, or there is nothing beside
   */
  async sibling(name: string): Promise<Source> {
    if (!staysInside(name))
      throw new CheckpointError(
        'REFUSED',
        'leads out of the folder. Only files beside or below this one are read',
        { entry: name },
      );
    if (this.#backend.sibling === undefined)
      throw new CheckpointError(
        'IO',
        `is needed too, and nothing is beside ${this.name}. Pass all files by name: ` +
          '{ "model.json": …, "group1-shard1of1.bin": … }, or a path or address',
        { entry: name },
      );
    return new Source(name, await this.#backend.sibling(name), { signal: this.#signal });
  }

  /**
   * Takes note of `bytes` of memory that the file holds in fewer, before they are set aside.
   * @throws CheckpointError if that is more than an honest file needs
   */
  expand(bytes: number, entry?: string): void {
    this.#expanded += bytes;
    if (this.#expanded <= this.#expansionLimit + EXPANSION_RATIO * this.size) return;
    throw new CheckpointError(
      'LIMIT',
      `loading this file of ${this.size} bytes takes ${this.#expanded} bytes or more, as a ` +
        'compression bomb would. If you trust whoever made it, raise the limit: ' +
        'load(…, { expansionLimit: … })',
      { entry },
    );
  }

  /** @throws the reason of the signal that ended the reading, if there is one */
  throwIfAborted(): void {
    this.#signal?.throwIfAborted();
  }

  async close(): Promise<void> {
    await this.#backend.close?.();
  }

  #check(offset: number, length: number, entry: string | undefined): void {
    if (!(offset >= 0 && length >= 0 && offset + length <= this.size))
      throw new CheckpointError(
        'CORRUPT',
        `bytes ${offset} to ${offset + length} are needed, but the file ends at byte ${this.size}; ` +
          'the download or copy may be incomplete',
        { entry, offset: entry === undefined ? offset : undefined },
      );
  }
}

/** A relative path without a step up, a drive, a scheme, or what could become one of them. */
const staysInside = (name: string): boolean =>
  !/[\\:\0]/.test(name) &&
  name.split('/').every((step) => step !== '' && step !== '.' && step !== '..');

/** Opens `source`; the caller closes it. */
export async function openSource(
  source: CheckpointSource,
  options: SourceOptions = {},
): Promise<Source> {
  options.signal?.throwIfAborted();
  const { expansionLimit } = options;
  if (expansionLimit !== undefined && !(typeof expansionLimit === 'number' && expansionLimit >= 0))
    throw new CheckpointError(
      'VALUE',
      `the option 'expansionLimit' takes a number of bytes, not ${String(expansionLimit)}`,
    );
  return new Source(nameOf(source), await backendOf(source, options), options);
}

/** What messages call `source`, also when it cannot be opened. */
export function nameOf(source: CheckpointSource): string {
  if (typeof source === 'string') return source;
  if (isUrl(source)) return source.href;
  if (isBlob(source)) return 'name' in source ? String(source.name) : 'the Blob';
  return (isFolder(source) ? mainFile(source) : undefined) ?? 'the given bytes';
}

async function backendOf(source: CheckpointSource, options: SourceOptions): Promise<Backend> {
  if (isUrl(source))
    return source.protocol === 'file:' ? fileBackend(source) : urlBackend(source.href, options);
  if (typeof source === 'string') {
    if (/^file:\/\//i.test(source)) return fileBackend(new URL(source));
    // Without a file system a bare string is an address relative to the page.
    const isAddress = /^(https?|blob|data):/i.test(source) || !hasFileSystem();
    return isAddress ? urlBackend(source, options) : fileBackend(source);
  }
  const content = contentBackend(source);
  if (content !== undefined) return content;
  if (isFolder(source)) return folderBackend(source);
  throw new CheckpointError(
    'IO',
    `load() takes a path, URL, Blob, ArrayBuffer or Uint8Array, but got ${describe(source)}`,
  );
}

// By tag and not by instanceof: values may come from another realm (a frame, a worker, a vm).
const tagOf = (value: unknown): string => Object.prototype.toString.call(value).slice(8, -1);
const isUrl = (value: unknown): value is URL => tagOf(value) === 'URL';
const isBlob = (value: unknown): value is Blob => /^(Blob|File)$/.test(tagOf(value));
/** Whether the memory of a buffer was given away; `detached` itself is not everywhere. */
function isDetached(content: unknown): boolean {
  const buffer = ArrayBuffer.isView(content) ? content.buffer : content;
  if (!isArrayBuffer(buffer) || buffer.byteLength > 0) return false;
  try {
    new Uint8Array(buffer);
    return false;
  } catch {
    return true;
  }
}

const isArrayBuffer = (value: unknown): value is ArrayBuffer =>
  /^(Shared)?ArrayBuffer$/.test(tagOf(value));

const describe = (value: unknown): string =>
  typeof value === 'object' && value !== null ? 'another object' : String(value);

/** A system call takes some microseconds; what is read in order, such as many storages, gains most. */
const FILE_WINDOW = { window: 64 * 1024, most: 4 * 2 ** 20 };

async function fileBackend(file: string | URL): Promise<Backend> {
  const { handle, size } = await openFile(file);
  const backend: Backend = {
    size,
    fill: (target, offset) => readInto(handle, target, offset),
    fillAll: (targets, offset) => readAllInto(handle, targets, offset),
    batches: LOCAL_BATCHES,
    sibling: (name) =>
      fileBackend(
        typeof file === 'string'
          ? file.replace(/[^/\\]*$/, '') + name
          : new URL(encode(name), file),
      ),
    close: () => handle.close(),
  };
  return readAhead(backend, FILE_WINDOW);
}

async function urlBackend(url: string, options: HttpOptions): Promise<Backend> {
  const backend = await httpBackend(url, options);
  const [, path, query = ''] = /^([^?#]*)(\?[^#]*)?/.exec(url) ?? [];
  if (path === undefined || /^(blob|data):/i.test(url)) return backend;
  return {
    ...backend,
    // With the query, which may be what gives access.
    sibling: (name) => urlBackend(path.replace(/[^/]*$/, '') + encode(name) + query, options),
  };
}

/** `name` as a relative address, in which nothing but `/` has a meaning. */
const encode = (name: string): string => name.split('/').map(encodeURIComponent).join('/');

function contentBackend(content: unknown): Backend | undefined {
  if (isBlob(content)) return readAhead(blobBackend(content), FILE_WINDOW);
  if (isDetached(content))
    throw new CheckpointError(
      'IO',
      'the buffer is detached: it was transferred, to a worker perhaps. Load it there, or transfer a copy',
    );
  if (ArrayBuffer.isView(content))
    return bytesBackend(new Uint8Array(content.buffer, content.byteOffset, content.byteLength));
  if (isArrayBuffer(content)) return bytesBackend(new Uint8Array(content));
  return undefined;
}

type Folder = Readonly<Record<string, FileContent>>;

const isFolder = (value: unknown): value is Folder =>
  tagOf(value) === 'Object' &&
  Object.values(value as object).length > 0 &&
  Object.values(value as object).every((file) => contentBackend(file) !== undefined);

/** The file that describes the others, or the only one. */
function mainFile(folder: Folder): string | undefined {
  const names = Object.keys(folder);
  const described = names.filter((name) => name.endsWith('.json'));
  return [names, described].find(({ length }) => length === 1)?.[0];
}

function folderBackend(folder: Folder): Backend {
  const main = mainFile(folder);
  if (main === undefined)
    throw new CheckpointError(
      'IO',
      `of the files ${Object.keys(folder).join(', ')}, one must be the .json that describes the ` +
        'others. Pass a single file as it is, without a name',
    );
  const open = (name: string): Backend => {
    const file = Object.hasOwn(folder, name) ? contentBackend(folder[name]) : undefined;
    if (file !== undefined) return file;
    throw new CheckpointError(
      'IO',
      `is needed too; the files given are ${Object.keys(folder).join(', ')}`,
      { entry: name },
    );
  };
  // Names are relative to the describing file, wherever in the folder that is.
  const base = main.replace(/[^/]*$/, '');
  return { ...open(main), sibling: async (name) => open(base + name) };
}
