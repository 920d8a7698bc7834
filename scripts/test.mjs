// npm test: installs and builds what is missing, then types, lint and all tests. `--long` gives the
// property tests twenty times as many cases.

import { check, ensureInstalled, run, say } from './project.mjs';

ensureInstalled();
run(process.execPath, ['scripts/build.mjs', '--if-stale']);
check();
say('running all tests');
const args = process.argv.slice(2).filter((arg) => arg !== '--long');
const env = { ...process.env };
if (process.argv.includes('--long')) env.VOXGRAD_RUNS ??= '20';
run('npx', ['vitest', 'run', ...args], { env });
