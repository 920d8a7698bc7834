import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Tensor } from '@voxgrad/core';
import * as zip from '@zip.js/zip.js';
import { expect } from 'vitest';
import { CheckpointError, type CheckpointErrorCode } from '../src/index.js';

const FIXTURES = new URL('../../../test/fixtures/', import.meta.url);

export const fixturePath = (name: string): string => fileURLToPath(new URL(name, FIXTURES));
export const fixture = (name: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(readFileSync(fixturePath(name)));

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

/** Bytes of numbers, latin1 texts and byte arrays in a row. */
export function bytes(...parts: (number | string | Uint8Array)[]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(
    parts.flatMap((part) => {
      if (typeof part === 'number') return [part];
      return typeof part === 'string' ? Array.from(part, (c) => c.charCodeAt(0)) : [...part];
    }),
  );
}

export const u32 = (n: number): Uint8Array => new Uint8Array(Uint32Array.of(n).buffer);
export const u64 = (n: number | bigint): Uint8Array =>
  new Uint8Array(BigUint64Array.of(BigInt(n)).buffer);

/** A zip archive of `entries`, stored or deflated. */
export async function archive(
  entries: Readonly<Record<string, Uint8Array>>,
  { level = 0 } = {},
): Promise<Uint8Array<ArrayBuffer>> {
  const writer = new zip.ZipWriter(new zip.Uint8ArrayWriter(), { level, useWebWorkers: false });
  for (const [name, content] of Object.entries(entries))
    await writer.add(name, new zip.Uint8ArrayReader(content));
  return Uint8Array.from(await writer.close());
}

/** The entries of a zip archive. */
export async function entriesOf(file: Uint8Array): Promise<Record<string, Uint8Array>> {
  const reader = new zip.ZipReader(new zip.Uint8ArrayReader(file), { useWebWorkers: false });
  const entries: Record<string, Uint8Array> = {};
  for (const entry of await reader.getEntries())
    if (!entry.directory) entries[entry.filename] = await entry.getData(new zip.Uint8ArrayWriter());
  return entries;
}

/** A .pt file around a hand-made pickle. */
export const torchFile = (pickle: Uint8Array, storages: Record<string, Uint8Array> = {}) =>
  archive({
    'archive/data.pkl': pickle,
    ...Object.fromEntries(
      Object.entries(storages).map(([key, content]) => [`archive/data/${key}`, content]),
    ),
    'archive/version': bytes('3\n'),
  });

/** Python values as pickle bytes (protocol 2), to be put together by hand. */
export const py = {
  none: bytes('N'),
  true: bytes(0x88),
  false: bytes(0x89),
  dict: bytes('}'),
  int: (n: number | bigint) => bytes(0x8a, 8, new Uint8Array(BigInt64Array.of(BigInt(n)).buffer)),
  text: (text: string) => bytes('X', u32(text.length), text),
  bytes: (content: Uint8Array) => bytes('B', u32(content.length), content),
  tuple: (...items: Uint8Array[]) => bytes('(', ...items, 't'),
  ints: (...items: (number | bigint)[]) => py.tuple(...items.map(py.int)),
  name: (module: string, name: string) => bytes('c', module, '\n', name, '\n'),
  call: (callee: Uint8Array, ...args: Uint8Array[]) => bytes(callee, py.tuple(...args), 'R'),
  storage: (type: string, key: string, numel: number | bigint) =>
    bytes(
      py.tuple(
        py.text('storage'),
        py.name('torch', type),
        py.text(key),
        py.text('cpu'),
        py.int(numel),
      ),
      'Q',
    ),
  /** A whole pickle of `value`. */
  pickle: (value: Uint8Array) => bytes(0x80, 2, value, '.'),
};

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
