// Programs of `../programs` in a process of their own: what a test cannot see from inside (exit,
// resident memory, a collection at will).

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Runs a program on the sources; what it prints last, read as JSON. */
export async function runProgram<T>(
  name: string,
  flags: readonly string[] = [],
  timeout = 60_000,
): Promise<T> {
  const path = fileURLToPath(new URL(`../programs/${name}`, import.meta.url));
  const args = ['--conditions=voxgrad-source', '--import', 'tsx', ...flags, path];
  const { stdout } = await run(process.execPath, args, { timeout });
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as T;
}
