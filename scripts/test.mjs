// npm test: installs and builds what is missing, then types, lint and all tests.

import { ensureInstalled, run, say } from './project.mjs';

ensureInstalled();
run(process.execPath, ['scripts/build.mjs', '--if-stale']);
say('checking types');
run('npx', ['tsc', '--noEmit']);
say('checking format and lint');
run('npx', ['biome', 'check', '.']);
say('running all tests');
run('npx', ['vitest', 'run', ...process.argv.slice(2)]);
