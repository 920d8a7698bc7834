import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { bundle } from './bundle.js';

/** Runs `programs/<name>` in a process of its own; what it prints last, read as JSON. */
export async function runProgram<T>(name: string, args: readonly string[] = []): Promise<T> {
  const command = ['--expose-gc', await bundle(`programs/${name}`), ...args];
  const { stdout, status } = spawnSync(process.execPath, command, {
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${name} ${args.join(' ')} ended with status ${status}`);
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as T;
}

/** The most memory that this process ever had resident, in MiB. */
export function peakResidentMib(): number {
  try {
    const line = /VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'));
    if (line) return Number(line[1]) / 1024;
  } catch {} // not Linux
  return process.resourceUsage().maxRSS / 1024;
}

export const residentMib = (): number => process.memoryUsage.rss() / 2 ** 20;
