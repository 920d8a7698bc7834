// npm start: installs and builds what is missing, then runs the main example.

import { ensureInstalled, run, say } from './project.mjs';

ensureInstalled();
run(process.execPath, ['scripts/build.mjs', '--if-stale', '--no-types']);
say('running examples/seismic: fine-tuning a network that PyTorch trained, once per strategy');
run(process.execPath, [
  '--import',
  'tsx',
  'examples/seismic/src/main.ts',
  ...process.argv.slice(2),
]);
