// Where the elements of a storage are: on the host, in a tensor of tfjs in row-major order, in its twin
// with channels last, or nowhere yet, as a constant. Copies are made when somebody asks, and kept.

import {
  contiguousStrides,
  cpuKernels,
  type DType,
  type HostArray,
  type Residence,
  Storage,
  type View,
  VoxgradError,
} from '@voxgrad/core';
import type { Backend, TfDType, TfTensor } from './backend.js';

/** What tfjs computes in. */
export const NATIVE: ReadonlySet<DType> = new Set<DType>(['float32', 'int32', 'bool']);

/** Which tensors of tfjs hold the elements of each dtype exactly. */
const HELD_IN: Readonly<Record<DType, TfDType | null>> = {
  float32: 'float32',
  float64: null, // what was converted from float32 or integers is kept as it was
  float16: null,
  bfloat16: null,
  int64: 'int32',
  int32: 'int32',
  int16: 'int32',
  int8: 'int32',
  uint8: 'int32',
  bool: 'bool',
};

type Five = [number, number, number, number, number];

/** The tensors alone, so that the finalizer does not keep the elements alive. */
interface Cell {
  /** Row-major, in any shape. */
  first: TfTensor | null;
  /** `[N, D, H, W, C]` of a storage of `[N, C, D, H, W]`. */
  last: TfTensor | null;
}

function dispose(cell: Cell): void {
  cell.first?.dispose();
  cell.last?.dispose();
  cell.first = null;
  cell.last = null;
}

const forgotten = new FinalizationRegistry<Cell>(dispose);

const FIRST_TO_LAST = [0, 2, 3, 4, 1];
const LAST_TO_FIRST = [0, 4, 1, 2, 3];

export interface Source {
  readonly host?: HostArray;
  readonly first?: TfTensor;
  readonly last?: TfTensor;
  readonly constant?: number | bigint;
}

export class Elements implements Residence {
  readonly #cell: Cell;
  #host: HostArray | null;
  #constant: number | bigint | null;

  constructor(
    readonly backend: Backend,
    readonly dtype: DType,
    readonly length: number,
    source: Source,
  ) {
    this.#cell = { first: source.first ?? null, last: source.last ?? null };
    this.#host = source.host ?? null;
    this.#constant = source.constant ?? null;
    forgotten.register(this, this.#cell, this);
  }

  get onHost(): boolean {
    return this.#host !== null || this.#constant !== null;
  }

  get onDevice(): boolean {
    return this.#cell.first !== null || this.#cell.last !== null;
  }

  /** The value of all elements, where they were only ever filled. */
  get constant(): number | bigint | null {
    return this.#constant;
  }

  /** The shape of the row-major tensor, if there is one. */
  get shape(): readonly number[] | null {
    const { first, last } = this.#cell;
    if (first) return first.shape;
    return last ? LAST_TO_FIRST.map((axis) => last.shape[axis]) : null;
  }

  /** Whether only the twin with channels last exists. */
  get isLastOnly(): boolean {
    return this.#cell.last !== null && this.#cell.first === null;
  }

  get hasLast(): boolean {
    return this.#cell.last !== null;
  }

  /** The elements in row-major order; stays this object's. */
  first(): TfTensor {
    const { backend } = this;
    const cell = this.#cell;
    if (cell.first) return cell.first;
    const { last } = cell;
    cell.first = last
      ? backend.run(() => backend.clone(backend.transpose(last, LAST_TO_FIRST)))
      : backend.run(() => this.#upload());
    return cell.first;
  }

  /**
   * `[N, D, H, W, C]` of elements of `shape`, `[N, C, D, H, W]`; to be called in a run. Kept for the next
   * call, unless there is one already of the same elements in other sizes.
   */
  last(shape: readonly number[]): TfTensor {
    const { backend } = this;
    const cell = this.#cell;
    const { last } = cell;
    if (last && FIRST_TO_LAST.every((axis, i) => shape[axis] === last.shape[i])) return last;
    const turned = () => backend.transpose(backend.reshape(this.first(), shape), FIRST_TO_LAST);
    if (last) return turned();
    cell.last = backend.run(() => backend.clone(turned()));
    return cell.last;
  }

  #upload(): TfTensor {
    const { backend, dtype, length } = this;
    const held = HELD_IN[dtype];
    if (held === null)
      throw new VoxgradError(
        'DTYPE',
        `tfjs has no ${dtype}: a tensor of it stays on the host; convert it with .to('float32')`,
      );
    const constant = this.#constant;
    if (constant !== null) {
      if (held === 'int32') this.#checkInteger(constant);
      return backend.tf.fill([length], Number(constant), held);
    }
    const host = this.#host ?? gone();
    // tfjs may keep the array itself, which our side may write to later.
    if (held !== 'int32')
      return backend.tf.tensor(host.slice() as Float32Array | Uint8Array, [length], held);
    const integers = new Int32Array(length);
    for (let i = 0; i < length; i++) {
      this.#checkInteger(host[i]);
      integers[i] = Number(host[i]);
    }
    return backend.integers(integers);
  }

  #checkInteger(value: number | bigint): void {
    const { maxInteger, name } = this.backend;
    if (value <= maxInteger && value >= -maxInteger - 1) return;
    throw new VoxgradError(
      'UNSUPPORTED',
      `tfjs on '${name}' holds integers up to ${maxInteger}, but one is ${value}; keep this tensor on ` +
        "another device such as 'cpu'",
    );
  }

  /** The elements on the host, if they can be had without waiting. */
  hostNow(): HostArray | null {
    return this.onHost || this.backend.synchronous ? this.read() : null;
  }

  read(): HostArray {
    if (this.#host) return this.#host;
    const { backend, dtype, length } = this;
    if (this.#constant !== null) {
      this.#host = cpuKernels.fill(dtype, length, this.#constant).array;
      return this.#host;
    }
    if (!backend.synchronous)
      throw new VoxgradError(
        'DEVICE',
        `tfjs:${backend.name} can only be read asynchronously: use await tensor.data() (or itemAsync()), and ` +
          'create a tensor on another device from it where an operation needs to see the numbers',
      );
    this.#host = this.#typed(this.first().dataSync());
    return this.#host;
  }

  /** The elements on the host, waited for. */
  async fetch(): Promise<HostArray> {
    if (this.onHost || this.backend.synchronous) return this.read();
    this.#host = this.#typed(await this.first().data());
    return this.#host;
  }

  #typed(data: ArrayLike<number>): HostArray {
    const [from, values]: [DType, HostArray] =
      data instanceof Float32Array
        ? ['float32', data.slice()]
        : data instanceof Int32Array
          ? ['int32', data.slice()]
          : ['bool', Uint8Array.from(data)];
    return from === this.dtype ? values : hostConvert(values, from, this.dtype);
  }

  write(): HostArray {
    const host = this.read();
    dispose(this.#cell);
    this.#constant = null;
    return host;
  }

  /** New elements: in-place writes make a new tensor, since those of tfjs never change. */
  replace(source: { readonly first: TfTensor } | { readonly last: TfTensor }): void {
    dispose(this.#cell);
    this.#host = null;
    this.#constant = null;
    if ('first' in source) this.#cell.first = source.first;
    else this.#cell.last = source.last;
  }

  /** Every element becomes `value`. */
  fill(value: number | bigint): void {
    dispose(this.#cell);
    this.#host = null;
    this.#constant = value;
  }

  release(): void {
    dispose(this.#cell);
    forgotten.unregister(this);
    this.#host = null;
    this.#constant = null;
  }
}

function gone(): never {
  throw new VoxgradError('MEMORY', 'the elements of this tensor have been given back');
}

const flatView = (storage: Storage): View => ({
  storage,
  dtype: storage.dtype,
  shape: [storage.length],
  strides: [1],
  offset: 0,
});

const hostConvert = (values: HostArray, from: DType, to: DType): HostArray =>
  cpuKernels.copy(flatView(new Storage(from, values)), to).array;

/** The elements of a storage on `backend`; those that were only on the host move in. */
export function elementsOf(backend: Backend, storage: Storage): Elements {
  const { residence } = storage;
  if (residence instanceof Elements && residence.backend === backend) return residence;
  const elements = new Elements(backend, storage.dtype, storage.length, { host: storage.array });
  storage.moveTo(elements);
  return elements;
}

/** A fresh storage of what a kernel made, or of a constant. */
export function store(backend: Backend, dtype: DType, length: number, source: Source): Storage {
  return new Storage(dtype, { length, residence: new Elements(backend, dtype, length, source) });
}

/** Another window on what `view` looks at; tensors are no plain records. */
export const windowOn = (
  { storage, dtype, offset }: View,
  shape: readonly number[],
  strides: readonly number[],
): View => ({ storage, dtype, offset, shape, strides });

/** Whether a view is all of its storage, in order. */
export function isWhole({ storage, shape, strides, offset }: View): boolean {
  if (offset !== 0) return false;
  let length = 1;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    if (shape[axis] !== 1 && strides[axis] !== length) return false;
    length *= shape[axis];
  }
  return length === storage.length;
}

/** The sizes of a view of five axes whose storage may have a twin. */
export const asFive = ({ shape }: View): Five | null =>
  shape.length === 5 ? [shape[0], shape[1], shape[2], shape[3], shape[4]] : null;

export const rowStrides = contiguousStrides;
