// A command that computes, in a thread of its own: meanwhile the program's thread hears signals and
// shows progress. The thread runs the same file, and main.ts leads it to `answer`.

import { parentPort, Worker, workerData } from 'node:worker_threads';
import type { CliCommand } from './command.js';
import { FailedThere, type Failure, failureOf } from './failure.js';
import { type Output, type OutputFormat, outputOf } from './output.js';
import type { ErrorStream, Terminal } from './terminal.js';

interface Job {
  /** Where the command stands in the list of them. */
  readonly index: number;
  readonly args: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
  readonly format: OutputFormat;
}

type Message =
  | { readonly type: 'note' | 'progress' | 'hold' | 'release'; readonly text: string }
  | { readonly type: 'done'; readonly output: Output }
  | { readonly type: 'failed'; readonly failure: Failure };

/** Runs a command elsewhere. */
export function inThread(job: Job, terminal: ErrorStream): Promise<Output> {
  const worker = new Worker(process.argv[1], { workerData: job });
  return new Promise<Output>((resolve, reject) => {
    worker.on('message', (message: Message) => {
      if (message.type === 'done') resolve(message.output);
      else if (message.type === 'failed') reject(new FailedThere(message.failure));
      else terminal[message.type](message.text);
    });
    worker.on('error', reject);
    worker.on('exit', (code) => reject(new Error(`the thread ended with exit code ${code}`)));
  }).finally(() => worker.terminate());
}

/** In that thread: runs the command that was asked for and sends what comes of it. */
export async function answer(commands: readonly CliCommand[]): Promise<void> {
  const { index, args, options, format }: Job = workerData;
  try {
    const report = await commands[index].run(args, options, terminalThere);
    send({ type: 'done', output: outputOf(report, format) });
  } catch (error) {
    send({ type: 'failed', failure: failureOf(error) });
  }
}

const send = (message: Message): void => parentPort?.postMessage(message);

const terminalThere: Terminal = {
  note: (text) => send({ type: 'note', text }),
  progress: (text) => send({ type: 'progress', text }),
  async temporary(path, fn) {
    send({ type: 'hold', text: path });
    try {
      return await fn();
    } finally {
      send({ type: 'release', text: path });
    }
  },
};
