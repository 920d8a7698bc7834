// What is installed, from the files that installers leave. Source of their names and contents:
// install_info, version_info, version_cfg, cann_layout.

import { isCannName } from '../profile/cann-order.js';
import type { Evidence } from './finding.js';

/** The part of a file system that matters: small files by path, and where links point. */
export interface InstallationTree {
  /** Text of the files that {@link isInstallationFile} wants. */
  readonly files: ReadonlyMap<string, string>;
  /** Path of a link to its target. */
  readonly links: ReadonlyMap<string, string>;
  /** Every folder that was seen. */
  readonly folders: ReadonlySet<string>;
}

export const EMPTY_TREE: InstallationTree = {
  files: new Map(),
  links: new Map(),
  folders: new Set(),
};

const WANTED =
  /\/(?:ascend_(?:toolkit|ops|nnae|nnrt|nnal)\w*_install\.info|version\.(?:info|cfg)|torch(?:[-_]npu)?[-_][^/]*\.dist-info\/METADATA|(?:torch|torch_npu)\/version\.py)$/i;

/** Whether the doctor reads a file of this path. */
export const isInstallationFile = (path: string): boolean => WANTED.test(path);

export interface Installed {
  readonly version: string;
  readonly evidence: Evidence;
}

export interface CannInstallation extends Installed {
  /** `/usr/local/Ascend/ascend-toolkit/8.2.RC1` */
  readonly root: string;
  /** Versions that parts of it say of themselves. */
  readonly components: readonly (Installed & { readonly name: string })[];
}

export interface Inventory {
  readonly cann: readonly CannInstallation[];
  /** nnal (ATB), which comes as a package of its own. */
  readonly nnal: readonly Installed[];
  readonly torch: readonly Installed[];
  readonly torchNpu: readonly Installed[];
  readonly python: readonly Installed[];
  /** Files that ought to name a version and do not. */
  readonly unreadable: readonly Evidence[];
  /** The version of CANN below a root, links followed. */
  versionOf(root: string): string | null;
}

const parent = (path: string): string => path.slice(0, path.lastIndexOf('/'));
const base = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** The line of `text` that `pattern` finds, with its group 1. */
function find(path: string, text: string, pattern: RegExp): Installed | null {
  for (const [i, line] of text.split(/\r?\n/).entries()) {
    const match = pattern.exec(line);
    if (match)
      return {
        version: match[1],
        evidence: { where: `${path}:${i + 1}`, text: line.trim().slice(0, 200) },
      };
  }
  return null;
}

/** `<root>/<arch>-linux/…` and `<root>/…` alike. */
const rootOf = (path: string): string =>
  path.replace(/\/(?:aarch64|x86_64|arm64)-linux(?:\/.*)?$/, '');

/** Everything of interest in a tree. */
export function inventoryOf(tree: InstallationTree): Inventory {
  const cann = new Map<string, CannInstallation>();
  const parts: (Installed & { readonly name: string; readonly root: string })[] = [];
  const lists = { nnal: [], torch: [], torchNpu: [], python: [] } as Record<
    'nnal' | 'torch' | 'torchNpu' | 'python',
    Installed[]
  >;
  const unreadable: Evidence[] = [];
  const paths = [...tree.files].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [path, text] of paths) {
    const file = base(path);
    if (/_install\.info$/i.test(file)) {
      const found = find(path, text, /^version=\s*(\S+)/);
      if (!found) unreadable.push({ where: path, text: text.slice(0, 80).split('\n')[0] });
      else if (/nnal/i.test(file)) lists.nnal.push(found);
      else {
        const root = rootOf(parent(path));
        if (!cann.has(root)) cann.set(root, { ...found, root, components: [] });
      }
    } else if (file === 'version.info') {
      const found =
        find(path, text, /^version_dir=\s*(\S+)/) ?? find(path, text, /^Version=\s*(\S+)/);
      if (!found) unreadable.push({ where: path, text: text.slice(0, 80).split('\n')[0] });
      else if (/\/(?:nnal|atb)\//.test(path)) lists.nnal.push(found);
      else if (isCannName(found.version)) {
        const name = base(parent(path));
        parts.push({
          ...found,
          name,
          root: rootOf(parent(path).replace(/\/share\/info\/.*$/, '')),
        });
      }
    } else if (file === 'version.cfg') {
      const found = find(path, text, /_running_version=\[[^:\]]*:([^\]]+)\]/);
      if (!found) unreadable.push({ where: path, text: text.slice(0, 80).split('\n')[0] });
      else if (!cann.has(parent(path)))
        cann.set(parent(path), { ...found, root: parent(path), components: [] });
    } else readPackage(path, text, lists);
  }
  for (const [root, installation] of cann) {
    const components = parts.filter((part) => part.root === root || parent(part.root) === root);
    cann.set(root, { ...installation, components });
  }
  // An installation without its info file still has components that say what they are.
  for (const part of parts) {
    const root = [part.root, parent(part.root)].find((r) => cann.has(r)) ?? parent(part.root);
    if (!cann.has(root))
      cann.set(root, { ...part, root, components: parts.filter((p) => parent(p.root) === root) });
  }
  const installations = [...cann.values()];
  return {
    cann: installations,
    ...lists,
    unreadable,
    versionOf: (root) =>
      cann.get(follow(root, tree))?.version ?? cann.get(root)?.version ?? byTail(root, tree, cann),
  };
}

function readPackage(
  path: string,
  text: string,
  lists: Record<'torch' | 'torchNpu' | 'python', Installed[]>,
): void {
  const [, interpreter] = /\/python(3\.\d+)\//.exec(path) ?? [];
  if (interpreter !== undefined && !lists.python.some(({ version }) => version === interpreter))
    lists.python.push({
      version: interpreter,
      evidence: { where: path, text: `python${interpreter}` },
    });
  const isMetadata = path.endsWith('METADATA');
  const found = find(
    path,
    text,
    isMetadata ? /^Version:\s*(\S+)/ : /^__version__\s*(?::\s*\w+\s*)?=\s*['"]([^'"]+)/,
  );
  if (!found) return;
  const isNpu = /torch[-_]npu/i.test(path);
  const list = isNpu ? lists.torchNpu : lists.torch;
  if (!list.some(({ version }) => version === found.version)) list.push(found);
}

/** `ascend-toolkit/8.2.RC1` or `cann-9.0.0`: what an installation is called wherever it stands. */
const tailOf = (root: string): string =>
  /(?:ascend-toolkit|nnae|nnrt)\/[^/]+$|cann[^/]*$/.exec(root)?.[0] ?? root;

/** A tree may be a copy of one that stood elsewhere. */
function byTail(
  root: string,
  tree: InstallationTree,
  cann: ReadonlyMap<string, CannInstallation>,
): string | null {
  const tail = tailOf(root);
  const link = [...tree.links.keys()].find((path) => tailOf(path) === tail);
  const wanted = link === undefined ? tail : tailOf(follow(link, tree));
  const versions = new Set(
    [...cann].flatMap(([path, { version }]) => (tailOf(path) === wanted ? [version] : [])),
  );
  return versions.size === 1 ? [...versions][0] : null;
}

/** Where a path ends up once links are followed, a few levels deep. */
function follow(path: string, { links }: InstallationTree): string {
  let at = path;
  for (let hops = 0; hops < 8; hops++) {
    const target = links.get(at);
    if (target === undefined) return at;
    at = target.startsWith('/') ? target : normalized(`${parent(at)}/${target}`);
  }
  return at;
}

function normalized(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.' && part !== '') parts.push(part);
  }
  return `/${parts.join('/')}`;
}
