// What a network computes from example inputs, written down as it runs: calls of functions that ONNX
// has an operator for, and below them the operations of core.

import {
  type DType,
  formatShape,
  type HostArray,
  type Recorder,
  type Storage,
  Tensor,
  VoxgradError,
} from '@voxgrad/core';

/** A tensor of the graph. It never changes: a write in place makes another one. */
export interface Value {
  readonly shape: readonly number[];
  readonly dtype: DType;
  /** Whether it is the same for every input. */
  readonly constant: boolean;
  readonly origin: Origin;
}

export type Origin =
  | { readonly kind: 'input'; readonly index: number }
  /** Elements that no recorded operation made: a parameter or buffer, by name, or a copy. */
  | { readonly kind: 'data'; readonly name?: string; readonly read: () => HostArray }
  | { readonly kind: 'result'; readonly node: TracedNode; readonly index: number };

/** One operation or call. */
export interface TracedNode {
  /** A function as users call it, or an operation that core made of one. */
  readonly kind: 'call' | 'operation';
  readonly name: string;
  /** The arguments of a call, with values in place of tensors; of an operation, its options. */
  readonly args: readonly unknown[];
  readonly inputs: readonly Value[];
  readonly outputs: Value[];
  /** Dotted path of the module that ran it; empty for the outermost. */
  readonly site: string;
}

export interface Trace {
  readonly nodes: readonly TracedNode[];
  readonly inputs: readonly Value[];
  readonly outputs: readonly Value[];
}

/** Which values a window over a storage had, since which write. */
interface Window {
  readonly shape: readonly number[];
  readonly strides: readonly number[];
  readonly offset: number;
  readonly version: number;
  readonly value: Value;
}

export const isValue = (x: unknown): x is Value =>
  typeof x === 'object' && x !== null && 'origin' in x && 'constant' in x;

/** Whether a call of this name with these arguments becomes one node. */
export type Recognise = (name: string, args: readonly unknown[]) => boolean;

export class TraceRecorder implements Recorder {
  readonly nodes: TracedNode[] = [];
  readonly #windows = new WeakMap<Storage, Window[]>();
  readonly #names: ReadonlyMap<Storage, { readonly name: string; readonly tensor: Tensor }>;
  readonly #recognise: Recognise;
  readonly #path: string[] = [''];
  /** Above 0, what runs is part of a call that was recognised. */
  #inside = 0;

  constructor(named: ReadonlyMap<string, Tensor>, recognise: Recognise) {
    this.#names = new Map([...named].map(([name, tensor]) => [tensor.storage, { name, tensor }]));
    this.#recognise = recognise;
  }

  input(tensor: Tensor, index: number): Value {
    const { shape, dtype } = tensor;
    const value: Value = { shape, dtype, constant: false, origin: { kind: 'input', index } };
    this.#put(tensor, value);
    return value;
  }

  /** Runs `fn` as part of the module at `path`. */
  at<T>(path: string, fn: () => T): T {
    this.#path.push(path);
    try {
      return fn();
    } finally {
      this.#path.pop();
    }
  }

  get site(): string {
    return this.#path[this.#path.length - 1];
  }

  operation(
    name: string,
    inputs: readonly Tensor[],
    options: unknown,
    outputs: readonly Tensor[],
  ): void {
    if (this.#inside > 0) return;
    const values = inputs.map((input) => this.valueOf(input));
    const same = PASSED_ON[name];
    if (same !== undefined) {
      for (const output of outputs) this.#put(output, values[same]);
      return;
    }
    const isView = outputs.every((out) => inputs.some(({ storage }) => storage === out.storage));
    if (values.every(({ constant }) => constant) && !isView)
      for (const output of outputs) this.#put(output, copied(output));
    else this.#add('operation', name, [options], values, outputs);
  }

  call(name: string, args: readonly unknown[], run: () => unknown): unknown {
    if (this.#inside > 0) return run();
    const given = this.#valuesFor(args);
    const inputs = valuesIn(given);
    if (inputs.every(({ constant }) => constant) || !this.#recognise(name, given)) return run();
    this.#inside++;
    let result: unknown;
    try {
      result = run();
    } finally {
      this.#inside--;
    }
    this.#add('call', name, given, inputs, tensorsIn(result));
    return result;
  }

  written(target: Tensor, source: Tensor): void {
    if (this.#inside === 0) this.#put(target, this.valueOf(source));
  }

  /** What `tensor` holds now. */
  valueOf(tensor: Tensor): Value {
    const windows = this.#windows.get(tensor.storage) ?? [];
    const same = windows.findLast((window) => isSameWindow(window, tensor));
    if (same?.version === tensor.storage.version) return same.value;
    if (windows.some(({ value }) => !value.constant))
      throw new VoxgradError(
        'UNSUPPORTED',
        `exportOnnx(): in ${describeSite(this.site)} a tensor of shape ${formatShape(tensor.shape)} is ` +
          'read after its elements were changed through another view of them; use the out-of-place ' +
          'form there',
      );
    const value = this.#stored(tensor) ?? copied(tensor);
    this.#put(tensor, value);
    return value;
  }

  /** The value of a parameter or buffer, which stays with its owner. */
  #stored(tensor: Tensor): Value | undefined {
    const stored = this.#names.get(tensor.storage);
    if (stored === undefined || !isSameWindow(stored.tensor, tensor)) return undefined;
    const { shape, dtype } = tensor;
    const read = () => tensor.dataSync();
    return { shape, dtype, constant: true, origin: { kind: 'data', name: stored.name, read } };
  }

  #add(
    kind: TracedNode['kind'],
    name: string,
    args: readonly unknown[],
    inputs: readonly Value[],
    outputs: readonly Tensor[],
  ): void {
    const node: TracedNode = { kind, name, args, inputs, outputs: [], site: this.site };
    const constant = inputs.every((input) => input.constant);
    for (const [index, tensor] of outputs.entries()) {
      const { shape, dtype } = tensor;
      const value: Value = { shape, dtype, constant, origin: { kind: 'result', node, index } };
      node.outputs.push(value);
      this.#put(tensor, value);
    }
    this.nodes.push(node);
  }

  #put(tensor: Tensor, value: Value): void {
    const { storage, shape, strides, offset } = tensor;
    const windows = this.#windows.get(storage) ?? [];
    windows.push({ shape, strides, offset, version: storage.version, value });
    this.#windows.set(storage, windows);
  }

  /** `args` with values in place of the tensors in them and in their lists and options. */
  #valuesFor(args: readonly unknown[]): unknown[] {
    return args.map((arg) => {
      if (arg instanceof Tensor) return this.valueOf(arg);
      if (Array.isArray(arg)) return this.#valuesFor(arg);
      if (typeof arg !== 'object' || arg === null) return arg;
      if (Object.getPrototypeOf(arg) !== Object.prototype) return arg;
      const entries = Object.entries(arg);
      const values = this.#valuesFor(entries.map(([, value]) => value));
      return Object.fromEntries(entries.map(([key], i) => [key, values[i]]));
    });
  }
}

/** The tensors in what a function returns: one, or those in lists, records and Maps. */
export function tensorsIn(value: unknown): Tensor[] {
  if (value instanceof Tensor) return [value];
  if (value instanceof Map || Array.isArray(value)) return [...value.values()].flatMap(tensorsIn);
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(tensorsIn);
  return [];
}

/** Operations that give back an input as it is, and which. */
const PASSED_ON: Readonly<Record<string, number | undefined>> = Object.assign(Object.create(null), {
  clone: 0,
  overwrite: 1,
  backwardHook: 0,
});

function valuesIn(args: readonly unknown[]): Value[] {
  return args.flatMap((arg): Value[] => {
    if (isValue(arg)) return [arg];
    if (Array.isArray(arg)) return valuesIn(arg);
    return typeof arg === 'object' && arg !== null ? Object.values(arg).filter(isValue) : [];
  });
}

/** A value with a copy of the elements, which may be given back before they are written. */
function copied(tensor: Tensor): Value {
  const { shape, dtype } = tensor;
  const elements = tensor.dataSync();
  return { shape, dtype, constant: true, origin: { kind: 'data', read: () => elements } };
}

type Geometry = Pick<Window, 'shape' | 'strides' | 'offset'>;

const isSameWindow = (a: Geometry, b: Geometry): boolean =>
  a.offset === b.offset &&
  a.shape.length === b.shape.length &&
  a.shape.every(
    (size, axis) => size === b.shape[axis] && (size <= 1 || a.strides[axis] === b.strides[axis]),
  );

/** How messages call the module at `path`. */
export const describeSite = (path: string): string =>
  path === '' ? 'the outermost module' : `the module '${path}'`;
