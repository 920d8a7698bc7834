// Replacing a file whole or not at all. The bytes go to a temporary file beside it, which is renamed
// when all of them are on the disk: a reader sees the old content or the new one, also after a crash
// or loss of power in between.

import type { Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { CheckpointError, reason } from '../error.js';
import { hasFileSystem, needFileSystem, nodeFs, nodePath, toPath } from '../files.js';

/** What to do about the errors of a file system that users meet. */
const ADVICE: Readonly<Record<string, string>> = {
  ENOENT: 'Its folder does not exist: create it first',
  ENOTDIR: 'A part of its path is a file, not a folder',
  ENOSPC: 'The disk is full: free some space',
  EDQUOT: "The user's share of the disk is used up: free some space",
  EFBIG: 'The system allows no file of this size there',
  EROFS: 'The file system is mounted for reading only',
  EACCES: 'There is no permission to write there',
  EPERM: 'There is no permission to write there',
  ENAMETOOLONG: 'Choose a shorter name',
};

/**
 * Writes `file` through `write`, which is given a file that is still empty. The file keeps the mode
 * and, where that is allowed, the owner of the one that it replaces; a link stays, and what it points
 * to is replaced. When anything throws, what was there before is untouched.
 */
export async function replaceFile(
  file: string | URL,
  write: (handle: FileHandle) => Promise<void>,
): Promise<void> {
  if (!hasFileSystem())
    throw needFileSystem(
      'writing',
      'save to a WritableStream, a FileSystemFileHandle, or undefined for the bytes',
    );
  const named = await toPath(file);
  const path = await followLinks(named);
  try {
    await replace(path, await replaceable(path), write);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    const advice = ADVICE[error.code];
    throw new CheckpointError(
      'IO',
      `cannot be written (${reason(error)})${advice === undefined ? '' : `. ${advice}`}`,
      { source: path },
      { cause: error },
    );
  }
}

async function replace(
  path: string,
  before: Stats | undefined,
  write: (handle: FileHandle) => Promise<void>,
): Promise<void> {
  const { open, rename, rm } = await nodeFs();
  await removeLeftovers(path).catch(() => {});
  const temporary = await temporaryFor(path);
  try {
    // Never readable by more users than the file that it replaces, not even for a moment.
    const handle = await open(temporary, 'wx', before && before.mode & PERMISSIONS);
    try {
      if (before !== undefined) await keepRights(handle, before);
      await write(handle);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await persistently(() => rename(temporary, path), process.platform === 'win32');
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw error;
  }
  await syncFolder(path);
}

/** Writes all of `pieces`, one after another. */
export async function writeAll(handle: FileHandle, pieces: Uint8Array[]): Promise<void> {
  let rest = pieces;
  for (;;) {
    let { bytesWritten } = await handle.writev(rest);
    let done = 0;
    while (done < rest.length && bytesWritten >= rest[done].length)
      bytesWritten -= rest[done++].length;
    if (done === rest.length) return;
    // Less than was asked for, as when the disk is about to be full; the next call says why.
    rest = [rest[done].subarray(bytesWritten), ...rest.slice(done + 1)];
  }
}

const PERMISSIONS = 0o7777;

async function keepRights(handle: FileHandle, before: Stats): Promise<void> {
  const { uid, gid } = await handle.stat();
  // Only the superuser may give files away.
  if (uid !== before.uid || gid !== before.gid)
    await handle.chown(before.uid, before.gid).catch(() => {});
  await handle.chmod(before.mode & PERMISSIONS);
}

/** What is at `path` and may be replaced; undefined if nothing is. */
async function replaceable(path: string): Promise<Stats | undefined> {
  const { access, constants, stat } = await nodeFs();
  let found: Stats;
  try {
    found = await stat(path);
  } catch (error) {
    if (isSystemError(error) && error.code === 'ENOENT') return undefined;
    throw error;
  }
  const refuse = (text: string) => new CheckpointError('IO', text, { source: path });
  if (found.isDirectory()) throw refuse('is a folder. Name the file in it');
  if (!found.isFile())
    throw refuse(
      'is a device or pipe, which cannot be replaced whole. Take the bytes that ' +
        'save(value, undefined) returns, and write those',
    );
  // A rename would replace it all the same; but whoever took the right away meant it.
  await access(path, constants.W_OK).catch(() => {
    throw refuse('is read-only. Change its mode, or save under another name');
  });
  return found;
}

/** As many links in a row as Linux follows. */
const MAX_LINKS = 40;

/** What `path` points to in the end, which need not exist. */
async function followLinks(path: string): Promise<string> {
  const { readlink, realpath } = await nodeFs();
  const { dirname, resolve } = await nodePath();
  let at = path;
  for (let i = 0; i < MAX_LINKS; i++) {
    const link = await readlink(at).catch(() => undefined);
    if (link === undefined) return at;
    at = resolve(await realpath(dirname(at)).catch(() => dirname(at)), link);
  }
  return at;
}

// ---- temporary files ----

/** Of the name, so that the temporary one stays within 255 bytes. */
const MAX_BASE = 50;

async function temporaryFor(path: string): Promise<string> {
  const { dirname, join } = await nodePath();
  const unique = crypto.randomUUID().slice(0, 8);
  // In the same folder, since a rename between file systems is not atomic.
  return join(dirname(path), `${await baseOf(path)}.${process.pid}-${unique}.tmp`);
}

const baseOf = async (path: string): Promise<string> =>
  (await nodePath()).basename(path).slice(0, MAX_BASE);

/**
 * A file is taken for the leftover of a killed process if that process is gone and nothing was
 * written to it for so long, in ms: in another container or on another machine, the process of that
 * number may be alive and writing.
 */
const LEFTOVER_AGE = 10 * 60_000;

/** Removes what killed processes have left beside `path`. */
async function removeLeftovers(path: string): Promise<void> {
  const { readdir, rm, stat } = await nodeFs();
  const { dirname, join } = await nodePath();
  const [folder, base] = [dirname(path), await baseOf(path)];
  for (const name of await readdir(folder)) {
    if (!name.startsWith(base)) continue;
    const [, pid] = /^\.(\d+)-[0-9a-f]{8}\.tmp$/.exec(name.slice(base.length)) ?? [];
    if (pid === undefined || isAlive(Number(pid))) continue;
    const { mtimeMs } = await stat(join(folder, name));
    if (Date.now() - mtimeMs > LEFTOVER_AGE) await rm(join(folder, name), { force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Other errors tell of a process that may not be asked.
    return !(isSystemError(error) && error.code === 'ESRCH');
  }
}

/** Makes the new name of a file outlast a loss of power; Windows has no such call, and needs none. */
async function syncFolder(path: string): Promise<void> {
  const { open } = await nodeFs();
  const { dirname } = await nodePath();
  const folder = await open(dirname(path), 'r').catch(() => undefined);
  try {
    await folder?.sync().catch(() => {});
  } finally {
    await folder?.close();
  }
}

/** While a virus scanner or another program has a file open, Windows refuses to replace it. */
const IN_USE = ['EPERM', 'EACCES', 'EBUSY'];

/** In ms, between tries: about two seconds in all. */
const PAUSES = [10, 20, 50, 100, 200, 400, 600, 600];

/** Runs `rename`; where `patient`, again when the file is in use. */
export async function persistently(rename: () => Promise<void>, patient: boolean): Promise<void> {
  for (const pause of patient ? PAUSES : []) {
    try {
      return await rename();
    } catch (error) {
      if (!isSystemError(error) || !IN_USE.includes(error.code)) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
  return rename();
}

const isSystemError = (error: unknown): error is Error & { code: string } =>
  error instanceof Error && 'syscall' in error && 'code' in error;
