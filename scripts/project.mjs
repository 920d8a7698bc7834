// Shared by the project's commands: install and build only what is missing or out of date.

import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');

/** Packages in the order in which they build: each needs only earlier ones. */
export const PACKAGES = [
  'core',
  'nn',
  'optim',
  'checkpoint',
  'data',
  'train',
  'wasm',
  'tfjs',
  'npu',
  'voxgrad',
];

export const say = (text) => console.error(`voxgrad: ${text}`);

/** Runs a command in the project's folder and ends this process when it fails. */
export function run(command, args, options = {}) {
  const result = spawnSync(command, args, { cwd: ROOT, stdio: 'inherit', ...options });
  if (result.error) throw result.error;
  if (result.status !== 0) {
    say(
      `'${[command, ...args].join(' ')}' failed with exit code ${result.status ?? result.signal}`,
    );
    process.exit(result.status ?? 1);
  }
}

/** Types, format and lint of everything. */
export function check() {
  say('checking types');
  run('npx', ['tsc', '--noEmit']);
  say('checking format and lint');
  run('npx', ['biome', 'check', '.']);
}

const changed = (path) => (existsSync(path) ? statSync(path).mtimeMs : 0);

/** Installs dependencies unless the last install is newer than the lock file. */
export function ensureInstalled() {
  const done = join(ROOT, 'node_modules', '.package-lock.json');
  if (changed(done) >= changed(join(ROOT, 'package-lock.json'))) return;
  say('installing dependencies (npm ci)');
  run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error']);
}

function newest(folder) {
  return readdirSync(folder, { withFileTypes: true }).reduce((time, entry) => {
    const path = join(folder, entry.name);
    return Math.max(time, entry.isDirectory() ? newest(path) : changed(path));
  }, 0);
}

/**
 * Whether a package's build is older than its sources or than a build it depends on; without
 * `types`, only its JavaScript counts.
 */
export function isStale(name, { rebuilt, types }) {
  const folder = join(ROOT, 'packages', name);
  const output = changed(join(folder, 'dist', types ? 'index.d.cts' : 'index.cjs'));
  return output === 0 || (rebuilt && types) || output < newest(join(folder, 'src'));
}
