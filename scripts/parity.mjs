// npm run parity [-- --check]: compares all operations with PyTorch's recorded results and writes
// docs/parity.md (or checks that it is current).

import { run } from './project.mjs';

const args = process.argv.slice(2);
run('node', ['--conditions=voxgrad-source', '--import', 'tsx', 'test/parity/report.ts', ...args]);
