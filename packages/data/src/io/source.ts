// Whole files from everywhere a volume may lie.

import { describe, VoxgradError } from '@voxgrad/core';

/** A path (in Node), a URL, or the content itself. */
export type DataSource = string | URL | Blob | ArrayBuffer | ArrayBufferView;

export type FileErrorCode =
  | 'IO' // cannot be opened or read
  | 'FORMAT' // not a file of this kind
  | 'CORRUPT' // contradicts its own header, or ends early
  | 'UNSUPPORTED'; // well-formed, but without a counterpart here

/** Content and what messages call it. */
export interface Content {
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export const fileError = (code: FileErrorCode, name: string, text: string, cause?: unknown) =>
  new VoxgradError(code, `${name}: ${text}`, { cause });

const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error));

// By tag and not by instanceof: values may come from another realm (a frame, a worker, a vm).
const tagOf = (value: unknown): string => Object.prototype.toString.call(value).slice(8, -1);
const isUrl = (value: unknown): value is URL => tagOf(value) === 'URL';
const isBlob = (value: unknown): value is Blob => /^(Blob|File)$/.test(tagOf(value));
const isBuffer = (value: unknown): value is ArrayBuffer =>
  /^(Shared)?ArrayBuffer$/.test(tagOf(value));

const hasFileSystem = (): boolean =>
  typeof process === 'object' && typeof process.versions?.node === 'string';

/** The bytes of `source`; gzip is inflated, whatever the name says. */
export async function readContent(source: DataSource): Promise<Content> {
  const content = await fetchContent(source);
  const [first, second] = content.bytes;
  return first === 0x1f && second === 0x8b ? inflate(content) : content;
}

async function fetchContent(source: DataSource): Promise<Content> {
  if (ArrayBuffer.isView(source)) {
    const { buffer, byteOffset, byteLength } = source;
    return { name: 'the given bytes', bytes: plainBytes(buffer, byteOffset, byteLength) };
  }
  if (isBuffer(source))
    return { name: 'the given bytes', bytes: plainBytes(source, 0, source.byteLength) };
  if (isBlob(source)) {
    const name = 'name' in source ? String(source.name) : 'the Blob';
    return { name, bytes: new Uint8Array(await source.arrayBuffer()) };
  }
  if (typeof source !== 'string' && !isUrl(source))
    throw fileError(
      'IO',
      'reading a volume',
      `expected a path, URL, Blob, ArrayBuffer or typed array, but got ${describe(source)}`,
    );
  const name = typeof source === 'string' ? source : source.href;
  // Without a file system a bare string is an address relative to the page.
  const isAddress = /^(https?|blob|data):/i.test(name) || !hasFileSystem();
  return { name, bytes: await (isAddress ? download(source, name) : readPath(source, name)) };
}

/** A view where the memory is plain, a copy where it is shared with other threads. */
const plainBytes = (buffer: ArrayBufferLike, offset: number, length: number) =>
  buffer instanceof ArrayBuffer
    ? new Uint8Array(buffer, offset, length)
    : Uint8Array.from(new Uint8Array(buffer, offset, length));

async function download(url: string | URL, name: string): Promise<Uint8Array<ArrayBuffer>> {
  let response: Response;
  try {
    response = await fetch(url);
    if (response.ok) return new Uint8Array(await response.arrayBuffer());
  } catch (error) {
    throw fileError('IO', name, `cannot be fetched (${reason(error)})`, error);
  }
  const answer = `${response.status} ${response.statusText}`.trimEnd();
  throw fileError('IO', name, `cannot be fetched: the server answered ${answer}`);
}

// By a variable, so that bundlers for browsers neither look for Node's modules nor fail on them.
const load = (specifier: string): Promise<unknown> =>
  import(/* @vite-ignore */ /* webpackIgnore: true */ specifier);

/** Node refuses to read 2 GiB or more at once. */
const MAX_READ_BYTES = 2 ** 30;

async function readPath(path: string | URL, name: string): Promise<Uint8Array<ArrayBuffer>> {
  const fs = (await load('node:fs/promises')) as typeof import('node:fs/promises');
  const file = typeof path === 'string' && /^file:/i.test(path) ? new URL(path) : path;
  try {
    const handle = await fs.open(file, 'r');
    try {
      const bytes = new Uint8Array((await handle.stat()).size);
      let done = 0;
      while (done < bytes.length) {
        const length = Math.min(bytes.length - done, MAX_READ_BYTES);
        const { bytesRead } = await handle.read(bytes, done, length, done);
        if (bytesRead === 0) break;
        done += bytesRead;
      }
      return bytes.subarray(0, done);
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw fileError('IO', name, `cannot be read (${reason(error)})`, error);
  }
}

async function inflate({ name, bytes }: Content): Promise<Content> {
  try {
    // The platform's own: off the main thread in Node, and so several at once.
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
    return { name, bytes: new Uint8Array(await new Response(stream).arrayBuffer()) };
  } catch (error) {
    throw fileError(
      'CORRUPT',
      name,
      `is gzip, but cannot be inflated (${reason(error)}); the download or copy may be incomplete`,
      error,
    );
  }
}

const latin1 = (bytes: Uint8Array): string => String.fromCharCode(...bytes);

const OTHERS: readonly (readonly [at: number, bytes: string, is: string])[] = [
  [0, '\x93NUMPY', 'a NumPy array: read it with readNpy'],
  [344, 'n+1\0', 'a NIfTI image: read it with readNifti'],
  [4, 'n+2\0', 'a NIfTI image: read it with readNifti'],
  [344, 'ni1\0', 'the header of a NIfTI .hdr/.img pair: convert the pair to one .nii file'],
  [4, 'ni2\0', 'the header of a NIfTI .hdr/.img pair: convert the pair to one .nii file'],
  [128, 'DICM', 'a DICOM file: convert the series to NIfTI first (dcm2niix does)'],
  [0, 'NRRD000', 'an NRRD volume: convert it to NIfTI first'],
  [0, '\x89HDF', 'an HDF5 file: export its data set as .npy'],
  [0, 'PK\x03\x04', 'a zip archive (.npz holds several arrays): unpack it and read one file'],
  [0, 'version https://git-lfs', 'a Git LFS pointer: run "git lfs pull" to get the file itself'],
  [0, '<!doctype', 'a web page: the download went wrong, fetch the file itself'],
  [0, '<html', 'a web page: the download went wrong, fetch the file itself'],
];

/** Says that `content` is no `wanted`, and what it is instead. */
export function wrongFormat({ name, bytes }: Content, wanted: string) {
  const head = latin1(bytes.subarray(0, 512)).toLowerCase();
  const other = OTHERS.find(([at, text]) => head.startsWith(text.toLowerCase(), at));
  const start = [...bytes.subarray(0, 8)].map((byte) => byte.toString(16).padStart(2, '0'));
  const is =
    bytes.length === 0
      ? 'an empty file: the download or copy went wrong'
      : (other?.[2] ?? `something else (it starts with bytes ${start.join(' ')})`);
  return fileError('FORMAT', name, `is no ${wanted} but ${is}`);
}
