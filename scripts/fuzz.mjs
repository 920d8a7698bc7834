// npm run fuzz [-- --runs N --seed S --format F]: tries altered checkpoint files of all formats
// (packages/checkpoint/test/fuzz).

import { run } from './project.mjs';

const command = 'packages/checkpoint/test/fuzz/command.ts';
const args = process.argv.slice(2);
run('node', ['--conditions=voxgrad-source', '--import', 'tsx', command, ...args]);
