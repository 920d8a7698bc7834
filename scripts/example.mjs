// npm run example -- NAME: installs and builds what is missing, then runs one of the examples.

import { ensureInstalled, run } from './project.mjs';

ensureInstalled();
run(process.execPath, ['scripts/build.mjs', '--if-stale', '--no-types']);
run(process.execPath, ['--import', 'tsx', 'examples/lib/run.ts', ...process.argv.slice(2)]);
