// A peer in a process of its own: it answers one command at a time, so that its runs take turns with
// ours, and its death is a result and not our end.

import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Answer, Command } from './work.js';

/** The process ended where an answer was due. */
export class PeerCrash extends Error {}

/** No answer came in time. */
export class PeerTimeout extends Error {}

export interface PeerProgram {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** Whether it has no training, whatever the work is. */
  readonly infersOnly?: boolean;
}

/** `C`: commands, `A`: answers, one JSON line each. */
export class PeerProcess<C extends object = Command, A = Answer> {
  readonly #process: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  /** The end of what it said last: its own words about a crash. */
  #lastWords = '';

  constructor(readonly program: PeerProgram) {
    const { command, args, env = process.env } = program;
    this.#process = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'], env });
    const { stdout, stderr, stdin } = this.#process;
    if (!stdout || !stderr || !stdin) throw new Error(`${program.name} could not be started`);
    stderr.on('data', (text) => {
      this.#lastWords = (this.#lastWords + text).slice(-2000);
    });
    // A dead process shows by the end of its output.
    stdin.on('error', () => {});
    this.#process.on('error', () => {});
    this.#lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  }

  /**
   * @throws PeerCrash where the process ends instead, PeerTimeout after `seconds`; the process is gone
   *   after both
   */
  async ask(command: C, seconds: number): Promise<A> {
    this.#process.stdin?.write(`${JSON.stringify(command)}\n`);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        this.stop();
        reject(new PeerTimeout(`over ${seconds} s`));
      }, seconds * 1000);
    });
    try {
      const { value, done } = await Promise.race([this.#lines.next(), late]);
      if (done) throw new PeerCrash(this.#epitaph());
      return JSON.parse(value) as A;
    } finally {
      clearTimeout(timer);
    }
  }

  #epitaph(): string {
    const { signalCode, exitCode } = this.#process;
    const how = signalCode ? `ended by ${signalCode}` : `ended with ${exitCode ?? 'no answer'}`;
    const words = this.#lastWords.trim().split('\n').at(-1);
    return words ? `${how}: ${words}` : how;
  }

  stop(): void {
    this.#process.kill('SIGKILL');
  }
}
