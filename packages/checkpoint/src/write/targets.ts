// Where a file can be written to: a path, a stream or file handle of a browser, or memory.

import { CheckpointError } from '../error.js';
import type { Contents } from './contents.js';
import { type PumpOptions, pump } from './pump.js';
import { replaceFile, writeAll } from './replace.js';

/** What browsers' `showSaveFilePicker()` and the origin private file system give. */
export interface WritableFile {
  readonly name?: string;
  createWritable(): Promise<WritableStream>;
}

/** A path (in Node), a stream, or a file that a browser lets a page write. */
export type SaveTarget = string | URL | WritableStream | WritableFile;

export async function writeTo(
  target: SaveTarget,
  contents: Contents,
  options: PumpOptions,
): Promise<void> {
  if (isPath(target))
    return replaceFile(target, (handle) =>
      pump(contents, (pieces) => writeAll(handle, pieces), options),
    );
  if (isWritableFile(target)) return writeStream(await target.createWritable(), contents, options);
  if (isStream(target)) return writeStream(target, contents, options);
  throw new CheckpointError(
    'VALUE',
    'save() writes to a path, a WritableStream, a FileSystemFileHandle, or returns the bytes where ' +
      `that is undefined; it was given ${tagOf(target)}`,
  );
}

/** What the file is called, as far as that is known. */
export function targetName(target: SaveTarget | undefined): string {
  if (target === undefined || isStream(target)) return '';
  if (isPath(target)) return String(target);
  return isWritableFile(target) ? (target.name ?? '') : '';
}

/** All of `contents`, in memory. */
export async function writeBytes(
  contents: Contents,
  options: PumpOptions,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = allocate(contents.size);
  let at = 0;
  const write = async (pieces: Uint8Array[]) => {
    for (const piece of pieces) {
      bytes.set(piece, at);
      at += piece.length;
    }
  };
  await pump(contents, write, options);
  return bytes;
}

function allocate(size: number): Uint8Array<ArrayBuffer> {
  try {
    return new Uint8Array(size);
  } catch (cause) {
    throw new CheckpointError(
      'LIMIT',
      `the file has ${size} bytes, more than this runtime can hold at once; save to a path or a ` +
        'WritableStream',
      {},
      { cause },
    );
  }
}

/** Closes the stream at the end, and aborts it on any error: a browser's file then stays as it was. */
async function writeStream(
  stream: WritableStream,
  contents: Contents,
  options: PumpOptions,
): Promise<void> {
  if (stream.locked)
    throw new CheckpointError(
      'IO',
      'the WritableStream is locked: somebody else has a writer of it. Release that first',
    );
  const writer = stream.getWriter();
  try {
    const write = async (pieces: Uint8Array[]) => {
      for (const piece of pieces) {
        await writer.ready;
        // A copy: a stream may hold a chunk for long, or take its memory away.
        await writer.write(piece.slice());
      }
    };
    await pump(contents, write, options);
    await writer.close();
  } catch (error) {
    await writer.abort(error).catch(() => {});
    throw error;
  } finally {
    writer.releaseLock();
  }
}

// By tag and not by instanceof: values may come from another realm (a frame, a worker, a vm).
const tagOf = (value: unknown): string => Object.prototype.toString.call(value).slice(8, -1);
const isPath = (target: unknown): target is string | URL =>
  typeof target === 'string' || tagOf(target) === 'URL';
const isStream = (target: unknown): target is WritableStream => tagOf(target) === 'WritableStream';
const isWritableFile = (target: unknown): target is WritableFile =>
  typeof target === 'object' &&
  target !== null &&
  'createWritable' in target &&
  typeof target.createWritable === 'function';
