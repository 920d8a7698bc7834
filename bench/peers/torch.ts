// PyTorch with programs of this folder, which the suites `torch` (pass by pass, float64 too) and `brain`
// need. Contests have a program of their own.

import { fileURLToPath } from 'node:url';
import { PeerProcess } from '../../packages/voxgrad/src/bench/peers/process.js';
import {
  pythonEnvironment,
  pythonWithTorch,
} from '../../packages/voxgrad/src/bench/peers/programs.js';

const python = pythonWithTorch();

export const torchIsHere = (): boolean => python !== null;

/** Far beyond what any command takes. */
const PATIENCE_SECONDS = 3600;

export class TorchPeer {
  readonly #process: PeerProcess<object, unknown>;

  constructor(name: 'torch_server.py' | 'torch_brain.py') {
    if (python === null) throw new Error('no python3 here has torch');
    const script = fileURLToPath(new URL(name, import.meta.url));
    const env = pythonEnvironment();
    this.#process = new PeerProcess({ name: 'PyTorch', command: python, args: [script], env });
  }

  async ask<T>(command: object): Promise<T> {
    return (await this.#process.ask(command, PATIENCE_SECONDS)) as T;
  }

  stop(): void {
    this.#process.stop();
  }
}
