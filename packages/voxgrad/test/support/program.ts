// The program `voxgrad` as people and scripts start it: a process of its own.

import { type ChildProcessWithoutNullStreams, type SpawnOptions, spawn } from 'node:child_process';
import { join } from 'node:path';
import { bundleProgram } from '../../../../test/support/bundle.js';

const SOURCE = new URL('../../src/cli.ts', import.meta.url);

export interface Outcome {
  /** null for a process that a signal ended, which {@link signal} names. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

/** Puts the program into one file in `folder`. */
export const bundle = (folder: string): Promise<string> =>
  bundleProgram(SOURCE, join(folder, 'voxgrad.cjs'));

export const start = (
  program: string,
  args: readonly string[],
  options: SpawnOptions = {},
): ChildProcessWithoutNullStreams =>
  spawn(process.execPath, [program, ...args], { ...options, stdio: 'pipe' });

/** What a process said until it ended. */
export function ended(child: ChildProcessWithoutNullStreams): Promise<Outcome> {
  const [out, err]: [string[], string[]] = [[], []];
  child.stdout.setEncoding('utf8').on('data', (text: string) => out.push(text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => err.push(text));
  return new Promise((resolve) =>
    child.on('close', (code, signal) =>
      resolve({ code, signal, out: out.join(''), err: err.join('') }),
    ),
  );
}
