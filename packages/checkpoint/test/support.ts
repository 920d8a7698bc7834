import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';
import { Tensor } from '@voxgrad/core';
import { expect } from 'vitest';
import { CheckpointError, type CheckpointErrorCode } from '../src/index.js';

export * from './fixture-files.js';
export * from './hand-made.js';

/** The error that `run` rejects with, which must be a CheckpointError. */
export async function failure(run: Promise<unknown>): Promise<CheckpointError> {
  try {
    await run;
  } catch (error) {
    if (error instanceof CheckpointError) return error;
    throw new Error(`expected a CheckpointError, but got ${String(error)}`, { cause: error });
  }
  throw new Error('expected a CheckpointError, but nothing was thrown');
}

export async function expectFailure(
  run: Promise<unknown>,
  code: CheckpointErrorCode,
  message: RegExp,
): Promise<CheckpointError> {
  const error = await failure(run);
  expect(error.message).toMatch(message);
  expect(error.code).toBe(code);
  return error;
}

export function tensorIn(value: unknown): Tensor {
  if (!(value instanceof Tensor)) throw new Error(`expected a tensor, but got ${String(value)}`);
  return value;
}

export function mapIn(value: unknown): Map<unknown, unknown> {
  if (!(value instanceof Map)) throw new Error(`expected a Map, but got ${String(value)}`);
  return value;
}

/** A Python that has PyTorch, or undefined: Debian's package puts it under the system's own. */
export const python = ['/usr/bin/python3', 'python3'].find(
  (command) => spawnSync(command, ['-c', 'import torch']).status === 0,
);

/** Runs scripts in one Python, since importing PyTorch takes a second. */
const SERVER = `
import contextlib, io, json, sys, traceback, warnings
import torch
warnings.simplefilter("ignore")
for line in sys.stdin:
    request = json.loads(line)
    output, error = io.StringIO(), None
    sys.argv = ["script", *request["args"]]
    with contextlib.redirect_stdout(output):
        try: exec(request["script"], {})
        except Exception: error = traceback.format_exc()
    print(json.dumps([output.getvalue(), error]), flush=True)
`;

let server: { child: ChildProcess; replies: AsyncIterator<string> } | undefined;

/** Runs a Python script and returns what it prints. */
export async function runPython(script: string, ...args: string[]): Promise<string> {
  if (python === undefined) throw new Error('no Python with PyTorch was found');
  if (server === undefined) {
    const child = spawn(python, ['-c', SERVER], { stdio: ['pipe', 'pipe', 'inherit'] });
    server = { child, replies: createInterface(child.stdout)[Symbol.asyncIterator]() };
  }
  server.child.stdin?.write(`${JSON.stringify({ script, args })}\n`);
  const { value } = await server.replies.next();
  const [output, error]: [string, string | null] = JSON.parse(value);
  if (error !== null) throw new Error(error);
  return output;
}

/** Ends the Python process, if there is one. */
export function stopPython(): void {
  server?.child.stdin?.end();
  server = undefined;
}
