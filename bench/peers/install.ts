// The peers live in this folder's own node_modules, which only the suites that compare with them fill.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { progress } from '../lib/options.js';

const FOLDER = fileURLToPath(new URL('..', import.meta.url));

export function installPeers(): void {
  if (existsSync(`${FOLDER}node_modules`)) return;
  progress('installing the peers into bench/node_modules (npm ci)');
  // Without scripts: none of them needs one, and onnxruntime's downloads parts for graphics cards.
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  spawnSync('npm', args, { cwd: FOLDER, stdio: ['ignore', 2, 2] });
}

const requireHere = createRequire(import.meta.url);

/** A package of the peers as `T`, or null with a message where it is not there. */
export async function peerPackage<T>(name: string, kind: 'esm' | 'cjs'): Promise<T | null> {
  try {
    if (kind === 'cjs') return requireHere(name) as T;
    return (await import(name)) as T;
  } catch (error) {
    progress(`${name}: skipped, ${String(error).split('\n')[0]}`);
    return null;
  }
}
