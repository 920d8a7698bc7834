import { type BackwardOptions, backward } from '../autograd/engine.js';
import { isGradEnabled } from '../autograd/mode.js';
import { AccumulateGrad, type Edge, type GradientHook, type Node } from '../autograd/node.js';
import { currentRecorder } from '../autograd/recorder.js';
import type { Device } from '../device/device.js';
import { argumentError, autogradError, dtypeError, shapeError, VoxgradError } from '../errors.js';
import { instanceOfBrand } from '../shared.js';
import type { TensorMethods } from './all-methods.js';
import { type DType, type HostArray, isFloat } from './dtype.js';
import {
  contiguousStrides,
  describe,
  formatShape,
  isContiguous,
  numelOf,
  sameShape,
} from './shape.js';
import type { Storage, View } from './storage.js';

const BRAND = Symbol.for('voxgrad.Tensor');

/** What a tensor is made of. */
export interface TensorInit {
  readonly storage: Storage;
  readonly device: Device;
  readonly shape: readonly number[];
  readonly strides?: readonly number[];
  readonly offset?: number;
}

/** Numbers, bigints or bools in lists of equal lengths. */
export type NestedList = number | bigint | boolean | NestedList[];

/**
 * An n-dimensional array: a strided window over a storage, on a device, with its place on the
 * tape. Shape methods that can return a view do (as in PyTorch), and then share elements.
 *
 * Operations are methods under PyTorch's names in camelCase; the table is `tensor/all-methods.ts`.
 */
export interface Tensor extends TensorMethods {}
export class Tensor implements View {
  readonly [BRAND] = true;
  readonly storage: Storage;
  readonly device: Device;
  readonly shape: readonly number[];
  readonly strides: readonly number[];
  readonly offset: number;
  #grad: Tensor | null = null;
  #edge: Edge | null = null;
  #isLeafWithGrad = false;
  /** Recorded in-place writes that this tensor's place on the tape takes into account. */
  #writesKnown: number;
  #retained: (() => void) | undefined;
  #accumulator: AccumulateGrad | undefined;

  /** Internal: users create tensors with `tensor`, `zeros`, `load`, … */
  constructor(init: TensorInit) {
    this.storage = init.storage;
    this.device = init.device;
    this.shape = frozen(init.shape);
    this.strides = init.strides
      ? frozen(init.strides)
      : Object.freeze(contiguousStrides(init.shape));
    this.offset = init.offset ?? 0;
    if (init.storage.rank < 0) init.storage.rank = init.shape.length;
    this.#writesKnown = init.storage.writes.recorded;
  }

  static [Symbol.hasInstance](value: unknown): boolean {
    return instanceOfBrand(this, Tensor, BRAND, value);
  }

  /** A fresh tensor of `shape` with every element `value`. */
  static filled(
    shape: readonly number[],
    value: number | bigint,
    dtype: DType,
    device: Device,
  ): Tensor {
    if (typeof value !== 'number' && typeof value !== 'bigint')
      throw argumentError(`expected a number to fill with, but got ${describe(value)}`);
    if (!isFloat(dtype) && dtype !== 'bool' && !Number.isFinite(Number(value)))
      throw argumentError(`value cannot be converted to type ${dtype}: ${value}`);
    const storage = device.kernels.fill(dtype, numelOf(shape), value);
    return new Tensor({ device, shape, storage });
  }

  get dtype(): DType {
    return this.storage.dtype;
  }

  get numel(): number {
    return numelOf(this.shape);
  }

  /** Number of dimensions. */
  get ndim(): number {
    return this.shape.length;
  }

  get isContiguous(): boolean {
    return isContiguous(this.shape, this.strides);
  }

  // ---- autograd ----

  /** Whether backward computes a gradient for this tensor. Assignable on leaves. */
  get requiresGrad(): boolean {
    return this.#edge !== null || this.#isLeafWithGrad;
  }

  set requiresGrad(value: boolean) {
    if (typeof value !== 'boolean')
      throw argumentError(`requiresGrad must be true or false, but got ${String(value)}`);
    if (this.#edge !== null) {
      if (value) return;
      throw autogradError(
        'you can only change requires_grad flags of leaf variables. Use detach() to get a tensor ' +
          'that does not require grad',
      );
    }
    if (value && !isFloat(this.dtype))
      throw dtypeError(
        `only Tensors of floating point dtype can require gradients, but this is ${this.dtype}`,
      );
    this.#isLeafWithGrad = value;
    if (value) this.storage.writes.holdsLeaf = true;
  }

  /**
   * The gradient that backward calls have added up, for leaves and after `retainGrad()`. What is
   * assigned must be like the tensor.
   */
  get grad(): Tensor | null {
    return this.#grad;
  }

  set grad(value: Tensor | null) {
    if (value !== null) {
      if (!(value instanceof Tensor))
        throw autogradError(
          `assigned grad expected to be a Tensor or null but got ${String(value)}`,
        );
      if (!sameShape(value.shape, this.shape))
        throw autogradError(
          `assigned grad has data of a different size: ${formatShape(value.shape)} for a tensor of ${formatShape(this.shape)}`,
        );
      if (value.dtype !== this.dtype || value.device !== this.device)
        throw autogradError(
          `assigned grad has data of a different type: ${value.dtype} on ${value.device} for ${this.dtype} on ${this.device}`,
        );
    }
    if (value !== null) value.keep();
    this.#grad = value;
  }

  /** Sets `requiresGrad` and returns the tensor. */
  requiresGrad_(value = true): this {
    this.requiresGrad = value;
    return this;
  }

  /** True for tensors that no recorded operation made. */
  get isLeaf(): boolean {
    return this.#edge === null;
  }

  /** The recorded operation that made this tensor, or null. */
  get gradFn(): Node | null {
    return this.#edge?.node ?? null;
  }

  /** Where a gradient for this tensor goes; null when none is wanted. */
  gradEdge(): Edge | null {
    if (this.#edge !== null) return this.#edge;
    if (!this.#isLeafWithGrad) return null;
    this.#accumulator ??= new AccumulateGrad(this);
    return { node: this.#accumulator, index: 0 };
  }

  /** Internal: makes this tensor an output of a recorded operation. */
  attach(edge: Edge): void {
    this.#edge = edge;
  }

  /**
   * Internal: throws if a recorded in-place operation on another tensor has changed the elements of
   * this one since, whose gradient this one could not follow.
   */
  checkCurrent(operation: string): void {
    if (this.#writesKnown === this.storage.writes.recorded) return;
    throw new VoxgradError(
      'UNSUPPORTED',
      `${operation}: this tensor shares its storage with one that a recorded in-place operation has ` +
        'changed, and its gradient does not follow that; use the out-of-place form there (stack(), ' +
        'indexPut_() or selectScatter() to fill a tensor part by part), or detach() for the values alone',
    );
  }

  /** Internal: the elements outlive the scope in which they were made. */
  keep(): this {
    this.storage.kept = true;
    return this;
  }

  /** Internal: the same elements without a place on the tape. */
  alias(): Tensor {
    return new Tensor(this);
  }

  /** The same elements, cut off from the tape. Shares storage. */
  detach(): Tensor {
    return this.alias();
  }

  /** See {@link backward}; `gradient` may be omitted for a single element. */
  backward(gradient?: Tensor | null, options?: BackwardOptions): void {
    backward(this, gradient, options);
  }

  /**
   * Calls `hook(gradient)` whenever a gradient of this tensor has been computed; what it returns,
   * if anything, replaces the gradient. Returns a handle with `remove()`.
   */
  registerHook(hook: GradientHook): { remove(): void } {
    const edge = this.gradEdge();
    if (!edge)
      throw autogradError("cannot register a hook on a tensor that doesn't require gradient");
    return { remove: edge.node.addHook(edge.index, hook) };
  }

  /** Whether {@link retainGrad} was called on a non-leaf. */
  get retainsGrad(): boolean {
    return this.#retained !== undefined;
  }

  /** Keeps the gradient of a non-leaf in `grad`; after an in-place operation, that of its result. */
  retainGrad(): void {
    if (!this.requiresGrad)
      throw autogradError("can't retain_grad on Tensor that has requires_grad=False");
    if (this.isLeaf) return;
    this.#retained?.();
    const handle = this.registerHook((gradient) => {
      this.grad = this.grad === null ? gradient.clone() : this.grad.add(gradient);
    });
    this.#retained = () => handle.remove();
  }

  /**
   * Internal: writes `result`, computed out of place, into this tensor, and takes over its place on
   * the tape. Refuses what would leave another tensor with a wrong gradient.
   */
  replaceWith(result: Tensor, operation: string): this {
    const recording = isGradEnabled() && (this.requiresGrad || result.requiresGrad);
    if (recording && this.#isLeafWithGrad)
      throw autogradError(
        `a leaf Variable that requires grad is being used in an in-place operation (${operation}). ` +
          'Wrap it in noGrad(() => …) to update it outside the tape',
      );
    if (recording && this.storage.writes.holdsLeaf)
      throw autogradError(
        `a view of a leaf Variable that requires grad is being used in an in-place operation (${operation})`,
      );
    if (this.strides.some((stride, axis) => stride === 0 && this.shape[axis] > 1))
      throw autogradError(
        `${operation}: unsupported operation: more than one element of the written-to tensor refers to ` +
          'a single memory location. Please clone() the tensor before performing the operation.',
      );
    if (formatShape(result.shape) !== formatShape(this.shape))
      throw shapeError(
        `output with shape ${formatShape(this.shape)} doesn't match the broadcast shape ${formatShape(result.shape)}`,
      );
    this.device.kernels.assign(this, result);
    const { writes } = this.storage;
    writes.count++;
    currentRecorder()?.written(this, result);
    const edge = recording ? result.gradEdge() : null;
    if (edge) {
      this.attach(edge);
      this.#writesKnown = ++writes.recorded;
      if (this.#retained) this.retainGrad();
    }
    return this;
  }

  // ---- reading ----

  /** A copy of the elements in row-major order; works on every device. */
  async data(): Promise<HostArray> {
    const { kernels } = this.device;
    const copied = kernels.copy(this, this.dtype);
    const { residence } = copied;
    const elements = residence?.fetch ? await residence.fetch() : copied.array;
    copied.release();
    return elements;
  }

  /** A copy of the elements in row-major order; only where the device can be read synchronously. */
  dataSync(): HostArray {
    if (!this.device.capabilities.synchronous)
      throw new VoxgradError(
        'DEVICE',
        `${this.device.name} can only be read asynchronously: use await tensor.data() instead of dataSync()`,
      );
    return this.#copyOut();
  }

  #copyOut(): HostArray {
    const copied = this.device.kernels.copy(this, this.dtype);
    const { array } = copied;
    copied.release();
    return array;
  }

  /**
   * The only element, as a number (0 or 1 for bool, a bigint for int64). The type parameter says
   * which; it is not checked.
   */
  item<T extends number | bigint = number>(): T {
    return single(this, this.#readable().dataSync()) as T;
  }

  /** Like {@link item}, on devices that are read asynchronously too. */
  async itemAsync<T extends number | bigint = number>(): Promise<T> {
    return single(this, await this.#readable().data()) as T;
  }

  /** The elements as nested lists; a plain value for 0 dims. */
  tolist(): NestedList {
    const flat = this.#readable().dataSync();
    let at = 0;
    const build = (axis: number): NestedList => {
      if (axis === this.ndim) return plain(this.dtype, flat[at++]);
      return Array.from({ length: this.shape[axis] }, () => build(axis + 1));
    };
    return build(0);
  }

  /** 16-bit floats come out as numbers. */
  #readable(): Tensor {
    return this.dtype === 'float16' || this.dtype === 'bfloat16' ? this.to('float32') : this;
  }

  toString(): string {
    const { name } = this.device;
    const tape = this.gradFn
      ? `, gradFn=${this.gradFn.name}`
      : this.requiresGrad
        ? ', requiresGrad'
        : '';
    const head = `shape=${formatShape(this.shape)}, dtype=${this.dtype}, device=${name}${tape}`;
    if (this.numel > 64 || !this.device.capabilities.synchronous) return `Tensor(${head})`;
    const values = JSON.stringify(this.tolist(), (_, v) =>
      typeof v === 'bigint' ? `${v}n` : Number.isFinite(v) || typeof v !== 'number' ? v : String(v),
    );
    return `Tensor(${values.replaceAll('"', '')}, ${head})`;
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.toString();
  }
}

/** A list that nobody can change: itself where it came from another tensor. */
const frozen = (list: readonly number[]): readonly number[] =>
  Object.isFrozen(list) ? list : Object.freeze([...list]);

function plain(dtype: DType, element: number | bigint): number | bigint | boolean {
  return dtype === 'bool' ? element !== 0 : element;
}

function single(tensor: Tensor, data: HostArray): number | bigint {
  if (data.length !== 1)
    throw shapeError(
      `a Tensor with ${data.length} elements cannot be converted to Scalar (shape ${formatShape(tensor.shape)})`,
    );
  return data[0];
}
