// Reading files, and the modules of Node that writing needs too (write/replace.ts). They are imported
// at first use and by a variable, so that bundlers for browsers neither look for them nor fail on them.

import type { FileHandle } from 'node:fs/promises';
import { CheckpointError, reason } from './error.js';

const load = (specifier: string): Promise<unknown> =>
  import(/* @vite-ignore */ /* webpackIgnore: true */ specifier);

export const nodeFs = async () =>
  (await load('node:fs/promises')) as typeof import('node:fs/promises');
export const nodePath = async () => (await load('node:path')) as typeof import('node:path');
const nodeUrl = async () => (await load('node:url')) as typeof import('node:url');

/** Node's compression library; undefined elsewhere. */
export const nodeZlib = async () =>
  hasFileSystem() ? ((await load('node:zlib')) as typeof import('node:zlib')) : undefined;

/** Node's streams; undefined elsewhere. */
export const nodeStream = async () =>
  hasFileSystem() ? ((await load('node:stream')) as typeof import('node:stream')) : undefined;

export const hasFileSystem = (): boolean =>
  typeof process === 'object' && typeof process.versions?.node === 'string';

export const needFileSystem = (doing: string, instead: string) =>
  new CheckpointError('IO', `${doing} a file needs Node; here, ${instead}`);

export async function toPath(file: string | URL): Promise<string> {
  if (file === '' || (typeof file === 'string' && file.includes('\0')))
    throw new CheckpointError(
      'IO',
      file === ''
        ? 'the path is empty: name the file'
        : `${JSON.stringify(file)} is no path: it holds a NUL`,
    );
  if (typeof file === 'string' && !file.startsWith('file://')) return file;
  try {
    return (await nodeUrl()).fileURLToPath(file);
  } catch (error) {
    throw new CheckpointError('IO', `is not a path (${reason(error)})`, { source: String(file) });
  }
}

/** An open file and its size in bytes. */
export async function openFile(file: string | URL): Promise<{ handle: FileHandle; size: number }> {
  if (!hasFileSystem()) throw needFileSystem('reading', 'pass a URL, Blob or ArrayBuffer');
  const path = await toPath(file);
  try {
    const { open, constants } = await nodeFs();
    // A pipe that nobody writes to would wait here for ever.
    const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const stat = await handle.stat();
    if (stat.isFile()) return { handle, size: stat.size };
    await handle.close();
  } catch (error) {
    throw new CheckpointError('IO', `cannot be opened (${reason(error)})`, {}, { cause: error });
  }
  throw new CheckpointError(
    'IO',
    'is not a file but a folder, pipe or device; name the file in it, or save what the pipe brings first',
  );
}

/** Node refuses to read 2 GiB or more at once. */
const MAX_READ_BYTES = 2 ** 30;

/** Fills `target` from `position` on; returns how many bytes there were. */
export async function readInto(
  handle: FileHandle,
  target: Uint8Array,
  position: number,
): Promise<number> {
  let done = 0;
  while (done < target.length) {
    const length = Math.min(target.length - done, MAX_READ_BYTES);
    const { bytesRead } = await handle.read(target, done, length, position + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return done;
}

/** Fills `targets` one after another from `position` on; returns how many bytes there were. */
export async function readAllInto(
  handle: FileHandle,
  targets: readonly Uint8Array[],
  position: number,
): Promise<number> {
  let done = 0;
  for (let left = targets; left.length > 0; ) {
    const { bytesRead } = await handle.readv(left, position + done);
    if (bytesRead === 0) break;
    done += bytesRead;
    left = after(left, bytesRead);
  }
  return done;
}

/** What is left of `targets` behind their first `length` bytes. */
function after(targets: readonly Uint8Array[], length: number): Uint8Array[] {
  let rest = length;
  return targets.flatMap((target) => {
    const skipped = Math.min(rest, target.length);
    rest -= skipped;
    return skipped < target.length ? [target.subarray(skipped)] : [];
  });
}
