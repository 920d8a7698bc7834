// The files of an installation that say what is installed, found in a folder of any size.

import { lstat, readdir, readFile, readlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { VoxgradError } from '@voxgrad/core';
import { type InstallationTree, isInstallationFile } from '@voxgrad/npu';

const DEPTH = 10;
/** Entries looked at; a whole system has more, and they stand near the top. */
const ENTRIES = 300_000;
const FILE_BYTES = 65_536;

/** Folders without anything that names a version. */
const PRUNED =
  /^(?:opp|include|simulator|kernel|tests?|docs?|node_modules|proc|sys|dev|run|boot|\.git|__pycache__|share\/(?:doc|locale))$/;

/** Of Python's packages only these two are looked into. */
const PACKAGES = /^(?:site|dist)-packages$/;
const TORCH = /^torch(?:[-_]npu)?(?:-[^/]*\.dist-info)?$/i;

/**
 * @param root a copy of a file system (with `usr/local/Ascend` in it), or the folder of Ascend itself
 * @throws VoxgradError where it is no folder
 */
export async function readInstallation(root: string): Promise<InstallationTree> {
  const files = new Map<string, string>();
  const links = new Map<string, string>();
  const folders = new Set<string>();
  const isSystem = await isFolder(join(root, 'usr'));
  // Paths in the tree are those that its own environment has.
  const inside = (path: string) => (isSystem ? path.slice(root.replace(/\/+$/, '').length) : path);
  let level = [root];
  let entries = 0;
  if (!(await isFolder(root)))
    throw new VoxgradError('ARGUMENT', `--root ${root}: there is no such folder`);
  for (let depth = 0; depth < DEPTH && level.length > 0; depth++) {
    const next: string[] = [];
    for (const folder of level) {
      folders.add(inside(folder));
      const inPackages = PACKAGES.test(basename(folder));
      for (const entry of await listed(folder)) {
        if (++entries > ENTRIES) return { files, links, folders };
        const path = join(folder, entry.name);
        if (inPackages && !TORCH.test(entry.name)) continue;
        if (entry.isSymbolicLink()) links.set(inside(path), await readlink(path).catch(() => ''));
        else if (entry.isDirectory()) {
          const isPackage =
            TORCH.test(basename(folder)) && PACKAGES.test(basename(join(folder, '..')));
          if (!PRUNED.test(entry.name) && !isPackage) next.push(path);
        } else if (isInstallationFile(path)) {
          const text = await readFile(path).catch(() => null);
          if (text) files.set(inside(path), text.subarray(0, FILE_BYTES).toString('utf8'));
        }
      }
    }
    level = next;
  }
  return { files, links, folders };
}

const isFolder = (path: string): Promise<boolean> =>
  lstat(path).then(
    (found) => found.isDirectory() || found.isSymbolicLink(),
    () => false,
  );

/** What cannot be listed is passed over. */
const listed = (folder: string) => readdir(folder, { withFileTypes: true }).catch(() => []);
