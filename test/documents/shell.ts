// Runs the shell blocks of documents with bash, in which `voxgrad` is the program of the sources and `npm`
// knows the project's scripts and runs none of them.

import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { bundle } from '../../packages/voxgrad/test/support/program.js';
import { type Block, shows } from './blocks.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Runs the program; `"…"` repeats the argument before, and times are taken of small volumes. */
const voxgrad = (program: string, log: string) => `
import { spawnSync } from 'node:child_process';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
const kept = ${JSON.stringify(log)} + '.argument';
const args = process.argv.slice(2).map((argument, i, all) => {
  if (argument === '…') return readFileSync(kept, 'utf8');
  if (all[i - 1] === '--conv') writeFileSync(kept, argument);
  return argument;
});
if (args[0] === 'bench') args.push('--scale', '64', '--rounds', '1', '--only', 'train01');
const { status, stderr } = spawnSync(process.execPath, [${JSON.stringify(program)}, ...args], {
  stdio: ['inherit', 'inherit', 'pipe'], encoding: 'utf8' });
process.stderr.write(stderr);
// 1 without an error is a finding, which documents show.
if (!(status === 0 || status === 1) || /^error: /m.test(stderr))
  appendFileSync(${JSON.stringify(log)}, args.join(' ') + ': exit code ' + status + '\\n' + stderr);
process.exit(status ?? 1);
`;

/** `npm start`, `npm test`, `npm run NAME [-w FOLDER]`, `npm ci`: whether there is such a script. */
const npm = (log: string) => `
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
const args = process.argv.slice(2);
const folder = args.includes('-w') ? args[args.indexOf('-w') + 1] : '.';
const { scripts } = JSON.parse(readFileSync(join(${JSON.stringify(ROOT)}, folder, 'package.json'), 'utf8'));
const name = args[0] === 'run' ? args[1] : args[0];
if (!['ci', 'install', 'i'].includes(name) && !scripts[name])
  appendFileSync(${JSON.stringify(log)}, 'package.json has no script ' + name + '\\n');
`;

/** The programs that blocks may call, and what went wrong in one. */
export class Shell {
  readonly #bin: string;
  readonly #log: string;

  private constructor(bin: string, log: string) {
    this.#bin = bin;
    this.#log = log;
  }

  static async in(folder: string): Promise<Shell> {
    const [bin, log] = [join(folder, 'bin'), join(folder, 'failures.txt')];
    mkdirSync(bin);
    const program = await bundle(folder);
    writeFileSync(join(bin, 'voxgrad.mjs'), voxgrad(program, log));
    writeFileSync(join(bin, 'npm.mjs'), npm(log));
    const commands = {
      voxgrad: `"${process.execPath}" "${join(bin, 'voxgrad.mjs')}" "$@"`,
      npm: `"${process.execPath}" "${join(bin, 'npm.mjs')}" "$@"`,
      npx: '"$@"',
    };
    for (const [name, command] of Object.entries(commands)) {
      writeFileSync(join(bin, name), `#!/bin/sh\nexec ${command}\n`);
      chmodSync(join(bin, name), 0o755);
    }
    return new Shell(bin, log);
  }

  /** Runs a block in the current folder; what it prints must hold what the document shows. */
  run(document: string, block: Block): void {
    writeFileSync(this.#log, '');
    const { stdout, stderr } = spawnSync('bash', ['-c', block.code], {
      encoding: 'utf8',
      env: { ...process.env, PATH: `${this.#bin}${delimiter}${process.env.PATH}` },
    });
    const where = `${document}:${block.line}`;
    expect(readFileSync(this.#log, 'utf8'), where).toBe('');
    expect(/command not found|No such file/.exec(stderr)?.input ?? '', where).toBe('');
    if (block.output === undefined || shows(stdout + stderr, block.output)) return;
    expect(stdout + stderr, `${where} prints`).toBe(block.output);
  }
}

export const hasBash = existsSync('/bin/bash');
