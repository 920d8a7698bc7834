// A worker with a fault, to be given as `workerUrl`: it starts as the real one does, and dies where it
// is told to.

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CONTROL } from '../../src/threads/control.js';

/** `idle`: ends before any job. `inside`: ends in the middle of the first job. */
export function faultyWorker(where: 'idle' | 'inside'): URL {
  const job = `
    Atomics.wait(words, ${CONTROL.sequence}, seen);
    Atomics.add(words, ${CONTROL.gate}, 1);
    process.exit(3);`;
  const source = `
    const words = new Int32Array(require('node:worker_threads').workerData.buffer, 0, 16384);
    const seen = Atomics.load(words, ${CONTROL.sequence});
    Atomics.add(words, ${CONTROL.ready}, 1);
    ${where === 'idle' ? 'setTimeout(() => process.exit(3), 50);' : job}`;
  const file = join(mkdtempSync(join(tmpdir(), 'voxgrad-')), 'worker.cjs');
  writeFileSync(file, source);
  return pathToFileURL(file);
}
