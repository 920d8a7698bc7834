// What every input must do: load to what its bytes say, or be refused with a CheckpointError.

import { StateDict, Tensor } from '@voxgrad/core';
import {
  CheckpointError,
  type Inspection,
  inspect,
  type Loaded,
  load,
  loadStateDict,
} from '../../src/index.js';
import type { Input } from './samples.js';

/** What an input did wrong; `kind` is the same for equal faults. */
export class Fault extends Error {
  constructor(
    readonly kind: string,
    message: string,
  ) {
    super(message);
  }
}

const fault = (kind: string, message = kind): never => {
  throw new Fault(kind, `${kind}: ${message}`);
};

/** Tensors by the names under which `inspect` lists them, as far as those are the first of a name. */
export type Tensors = ReadonlyMap<string, Tensor>;

/** The longest message that still helps. */
const MAX_MESSAGE = 4000;

const silent = { onUnreadable() {} };

/**
 * Does with `input` all that can be done with a file.
 * @returns the tensors that it loads to, undefined if it is refused
 * @throws Fault for anything but a right result or a CheckpointError
 */
export async function judge(input: Input): Promise<Tensors | undefined> {
  const inspection = await attempt('inspect', () => inspect(input));
  if (inspection !== undefined) JSON.stringify(inspection);
  let found = await tensorsOf('load', () => load(input, silent));
  const dict = await tensorsOf('loadStateDict', () => loadStateDict(input, silent));
  if (inspection === undefined) {
    if (found !== undefined || dict !== undefined) fault('loads what inspect refuses');
    return undefined;
  }
  if (inspection.format.startsWith('torch')) {
    const all = { ...silent, pickledModules: 'tensors' } as const;
    const more = await tensorsOf('load with modules', () => load(input, all));
    await tensorsOf('loadStateDict with modules', () => loadStateDict(input, all));
    found ??= more;
  }
  if (found !== undefined) compare(found, inspection, input);
  expectPristine();
  return found;
}

/** The tensors in what `run` loads; all else of it is let go. */
async function tensorsOf(what: string, run: () => Promise<Loaded>): Promise<Tensors | undefined> {
  const value = await attempt(what, run);
  return value === undefined ? undefined : tensorsIn(value);
}

async function attempt<T>(what: string, run: () => Promise<T>): Promise<T | undefined> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof CheckpointError)) {
      const [first = '', second = ''] =
        error instanceof Error ? (error.stack ?? '').split('\n') : [];
      const kind = `${what}: ${error instanceof Error ? error.name : typeof error} ${second.trim()}`;
      return fault(kind, `${first}\n${error instanceof Error ? error.stack : String(error)}`);
    }
    if (error.message.length > MAX_MESSAGE)
      fault(`${what}: a message of thousands of characters`, error.message.slice(0, 300));
    return undefined;
  }
}

/** The tensors in a loaded value, all of which must be of the kinds that `Loaded` lists. */
function tensorsIn(root: Loaded): Map<string, Tensor> {
  const found = new Map<string, Tensor>();
  const seen = new Set<unknown>();
  const visit = (value: unknown, name: string): void => {
    if (value instanceof Tensor) {
      checkTensor(value, name);
      if (!found.has(name)) found.set(name, value);
      return;
    }
    if (value === null || /^(string|number|bigint|boolean)$/.test(typeof value)) return;
    if (seen.has(value)) return;
    seen.add(value);
    const prefix = name === '' ? '' : `${name}.`;
    if (value instanceof Map) {
      for (const [key, item] of value) {
        if (typeof key === 'object' && key !== null) fault('an object as a key');
        visit(item, prefix + String(key));
      }
      if (value instanceof StateDict)
        for (const item of value.metadata?.values() ?? []) plain(item);
    } else if (value instanceof Set) {
      let i = 0;
      for (const item of value) visit(item, prefix + i++);
    } else if (Array.isArray(value)) {
      for (let i = 0; i < value.length; i++)
        if (i in value) visit(value[i], prefix + i);
        else fault('a list with a hole');
    } else if (!(value instanceof Uint8Array)) fault('a value of no kind', String(value));
  };
  visit(root, '');
  return found;
}

function plain(value: unknown): void {
  if (Object.getPrototypeOf(value) !== Object.prototype) fault('facts of another prototype');
}

/** That a tensor stays in its storage, and that its elements can be read. */
function checkTensor(
  { shape, strides, offset, storage, numel, dtype }: Tensor,
  name: string,
): void {
  const all = [...shape, ...strides, offset];
  if (!all.every((n) => Number.isSafeInteger(n) && n >= 0)) fault('a size that is none', name);
  if (storage.array.length !== storage.length) fault('a storage of another length', name);
  if (storage.dtype !== dtype) fault('a storage of another dtype', name);
  if (numel === 0) return;
  const last = shape.reduce((index, size, axis) => index + (size - 1) * strides[axis], offset);
  if (last >= storage.length)
    fault('a tensor that leaves its storage', `${name} reaches ${last} of ${storage.length}`);
}

/** Tensors that are compared with the file element by element. */
const MAX_ELEMENTS = 4096;

/** That what was loaded is what was listed, and has the bytes that stand there in the file. */
function compare(found: Tensors, inspection: Inspection, input: Input): void {
  const names = new Set<string>();
  for (const { name, dtype, shape, strides, bytes, entry, unreadable } of inspection.tensors) {
    const first = !names.has(name);
    names.add(name);
    const tensor = found.get(name);
    if (!first || tensor === undefined || unreadable !== undefined) continue;
    // Two places can have one name: a key may have dots.
    if (String(tensor.shape) !== String(shape)) continue;
    const file = input instanceof Uint8Array ? input : (input[entry ?? ''] ?? undefined);
    if (bytes === undefined || file === undefined || dtype !== tensor.dtype) continue;
    if (!(bytes[0] <= bytes[1] && bytes[1] <= file.length))
      fault('bytes outside of the file', name);
    if (tensor.numel === 0 || tensor.numel > MAX_ELEMENTS) continue;
    const elements = elementsOf(tensor);
    const unit = elements.length / tensor.numel;
    const steps = strides ?? rowMajor(shape);
    const span = shape.reduce((sum, n, axis) => sum + (n - 1) * steps[axis], 1) * unit;
    if (span !== bytes[1] - bytes[0]) continue; // quantised: the file has others
    const there = gather(file.subarray(...bytes), shape, steps, unit);
    if (dtype === 'bool') there.set(there.map((byte) => (byte === 0 ? 0 : 1)));
    // inspect does not tell the byte order.
    const swapped = there.map((_, i) => there[i - (i % unit) + unit - 1 - (i % unit)]);
    if (!same(elements, there) && !same(elements, swapped)) fault('other elements', name);
  }
}

const rowMajor = (shape: readonly number[]): number[] =>
  shape.map((_, axis) => shape.slice(axis + 1).reduce((product, n) => product * n, 1));

/** The bytes of a tensor's elements in row-major order. */
function elementsOf({ storage, shape, strides, offset }: Tensor): Uint8Array {
  const { array } = storage;
  const unit = array.BYTES_PER_ELEMENT;
  const all = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
  return gather(all.subarray(offset * unit), shape, strides, unit);
}

function gather(
  from: Uint8Array,
  shape: readonly number[],
  strides: readonly number[],
  unit: number,
): Uint8Array {
  const count = shape.reduce((product, n) => product * n, 1);
  const to = new Uint8Array(count * unit);
  for (let i = 0; i < count; i++) {
    let [rest, at] = [i, 0];
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      at += (rest % shape[axis]) * strides[axis];
      rest = Math.floor(rest / shape[axis]);
    }
    to.set(from.subarray(at * unit, (at + 1) * unit), i * unit);
  }
  return to;
}

const same = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;

/** Whether the tensors of one name are equal in all; those of other names are others. */
export function expectSame(found: Tensors, original: Tensors): void {
  for (const [name, tensor] of found) {
    const before = original.get(name);
    if (before === undefined) continue;
    const facts = ({ dtype, shape }: Tensor) => `${dtype} [${shape.join(', ')}]`;
    if (facts(tensor) !== facts(before) || !same(elementsOf(tensor), elementsOf(before)))
      fault('another tensor than in the honest file, past its checksum', name);
  }
}

const PROTOTYPES = [Object, Array, Map, Set, Function, String, Number, StateDict, Tensor].map(
  ({ prototype }) => ({ prototype, keys: String(Reflect.ownKeys(prototype).map(String)) }),
);

/** That no prototype has got anything. */
function expectPristine(): void {
  for (const { prototype, keys } of PROTOTYPES)
    if (String(Reflect.ownKeys(prototype).map(String)) !== keys) fault('a prototype was changed');
}
