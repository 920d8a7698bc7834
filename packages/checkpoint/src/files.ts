// The only file that touches a file system. Node's modules are imported at first use and by a
// variable, so that bundlers for browsers neither look for them nor fail on them.

import type { FileHandle } from 'node:fs/promises';
import { CheckpointError, reason } from './error.js';

const load = (specifier: string): Promise<unknown> =>
  import(/* @vite-ignore */ /* webpackIgnore: true */ specifier);

const fs = async () => (await load('node:fs/promises')) as typeof import('node:fs/promises');
const nodeUrl = async () => (await load('node:url')) as typeof import('node:url');

export const hasFileSystem = (): boolean =>
  typeof process === 'object' && typeof process.versions?.node === 'string';

const needFileSystem = (doing: string, instead: string) =>
  new CheckpointError('IO', `${doing} a file needs Node; here, ${instead}`);

async function toPath(file: string | URL): Promise<string> {
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
    const handle = await (await fs()).open(path, 'r');
    const stat = await handle.stat();
    if (stat.isFile()) return { handle, size: stat.size };
    await handle.close();
  } catch (error) {
    throw new CheckpointError('IO', `cannot be opened (${reason(error)})`, {}, { cause: error });
  }
  throw new CheckpointError('IO', 'is not a file but a folder or device; name the file in it');
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

/**
 * Writes a whole file or nothing: a reader sees the old content or the new one, also after a crash
 * in between, because the bytes go to a neighbouring temporary file that is renamed at the end.
 */
export async function writeAtomically(file: string | URL, bytes: Uint8Array): Promise<void> {
  if (!hasFileSystem())
    throw needFileSystem('writing', 'call save(value, undefined) and keep the bytes it returns');
  const { open, realpath, rename, rm } = await fs();
  const named = await toPath(file);
  // A link stays, and what it points to is replaced.
  const path = await realpath(named).catch(() => named);
  // In the same folder, since a rename between file systems is not atomic.
  const temporary = `${path}.${crypto.randomUUID().slice(0, 8)}.tmp`;
  try {
    const handle = await open(temporary, 'wx');
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw new CheckpointError(
      'IO',
      `cannot be written (${reason(error)})`,
      { source: path },
      { cause: error },
    );
  }
}
