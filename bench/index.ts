// npm run bench [-- suite… --quick --threads=N]: each suite in a process of its own, so that none
// inherits another's memory.

import { spawnSync } from 'node:child_process';
import { bundle } from './lib/bundle.js';
import { progress } from './lib/options.js';
import { SUITES } from './suites.js';

const args = process.argv.slice(2);
const asked = args.filter((arg) => !arg.startsWith('--'));
const flags = args.filter((arg) => arg.startsWith('--'));
const unknown = asked.filter((name) => !(name in SUITES));

if (unknown.length > 0) {
  progress(`no suite is called ${unknown.join(', ')}; known: ${Object.keys(SUITES).join(', ')}`);
  process.exit(2);
}

const program = await bundle('suite.ts');
const failed = (asked.length > 0 ? asked : Object.keys(SUITES)).filter((name) => {
  const command = ['--expose-gc', program, name, ...flags];
  return spawnSync(process.execPath, command, { stdio: 'inherit' }).status !== 0;
});
if (failed.length > 0) {
  progress(`failed: ${failed.join(', ')}`);
  process.exit(1);
}
