// PyTorch in a process of its own, which answers one command at a time, so that its runs take turns
// with ours.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { pythonEnvironment } from '../../packages/voxgrad/src/bench/peers/programs.js';

const PYTHON = '/usr/bin/python3';

export const torchIsHere = (): boolean =>
  existsSync(PYTHON) && spawnSync(PYTHON, ['-c', 'import torch']).status === 0;

export class TorchPeer {
  readonly #process: ChildProcess;
  readonly #answers: AsyncIterator<string>;

  constructor(name: 'torch_server.py' | 'torch_brain.py') {
    const script = fileURLToPath(new URL(name, import.meta.url));
    this.#process = spawn(PYTHON, [script], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: pythonEnvironment(),
    });
    const { stdout } = this.#process;
    if (!stdout) throw new Error('the process of PyTorch has no output');
    this.#answers = createInterface({ input: stdout })[Symbol.asyncIterator]();
  }

  async ask<T>(command: object): Promise<T> {
    this.#process.stdin?.write(`${JSON.stringify(command)}\n`);
    const { value, done } = await this.#answers.next();
    if (done) throw new Error('the process of PyTorch has ended');
    return JSON.parse(value) as T;
  }

  stop(): void {
    this.#process.stdin?.end();
  }
}
