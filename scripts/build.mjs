// npm run build: every package as ESM, CommonJS and types, in dependency order. `--if-stale` skips
// those whose sources have not changed; `--no-types` leaves out the types, which take most of the time.

import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { ensureInstalled, isStale, PACKAGES, ROOT, say } from './project.mjs';

const ifStale = process.argv.includes('--if-stale');
const types = !process.argv.includes('--no-types');

function buildPackage(name) {
  return new Promise((resolve, reject) => {
    const tsup = join(ROOT, 'node_modules', 'tsup', 'dist', 'cli-default.js');
    const child = spawn(process.execPath, [tsup, '--silent', ...(types ? [] : ['--no-dts'])], {
      cwd: join(ROOT, 'packages', name),
      stdio: 'inherit',
    });
    child.on('error', reject);
    child.on('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`building ${name} failed with exit code ${code}`)),
    );
  });
}

/** Builds a list of independent packages, two at a time. */
async function buildAll(names) {
  const queue = [...names];
  const worker = async () => {
    for (let name = queue.shift(); name !== undefined; name = queue.shift())
      await buildPackage(name);
  };
  await Promise.all([worker(), worker()]);
}

ensureInstalled();
// core first, the umbrella last; of the rest, data and train need checkpoint (train also nn and optim), and
// the others only core.
const NEED_MORE = ['data', 'train'];
const needCore = PACKAGES.slice(1, -1).filter((name) => !NEED_MORE.includes(name));
const levels = [PACKAGES.slice(0, 1), needCore, NEED_MORE, PACKAGES.slice(-1)];
let rebuilt = false;
for (const level of levels) {
  const stale = ifStale ? level.filter((name) => isStale(name, { rebuilt, types })) : level;
  if (stale.length === 0) continue;
  say(`building ${stale.join(', ')}`);
  try {
    await buildAll(stale);
  } catch (error) {
    say(error.message);
    process.exit(1);
  }
  rebuilt = true;
}
if (!rebuilt) say('all packages are built');
