import type { Device } from '../device/device.js';
import { autogradError } from '../errors.js';
import { shared } from '../shared.js';
import { bytesPerElement, type DType, torchName } from '../tensor/dtype.js';
import { formatShape, sameShape } from '../tensor/shape.js';
import type { Storage } from '../tensor/storage.js';
import type { Tensor } from '../tensor/tensor.js';

/** One output of a node: where a gradient is sent to. */
export interface Edge {
  readonly node: Node;
  readonly index: number;
}

/** What the tape knows of a tensor without keeping its elements. */
export interface TensorMeta {
  readonly shape: readonly number[];
  readonly dtype: DType;
  readonly device: Device;
}

export const metaOf = ({ shape, dtype, device }: TensorMeta): TensorMeta => ({
  shape,
  dtype,
  device,
});

/** A gradient for each input or output; null where there is none. */
export type Gradients = (Tensor | null)[];
/** Sees a gradient on its way, and may return another in its place. */
export type GradientHook = (gradient: Tensor) => Tensor | null | undefined | void;

const counter = shared('autograd.sequence', () => ({ next: 1 }));

/** Nodes recorded from here on have at least this sequence number. */
export const nextSequence = (): number => counter.next;

/**
 * A recorded operation. `next[i]` says where the gradient of input i goes (null: nowhere).
 * A node is created after the nodes of its inputs, so `sequence` orders a graph topologically.
 */
export abstract class Node {
  readonly sequence: number;
  abstract readonly name: string;
  abstract readonly next: readonly (Edge | null)[];
  abstract readonly outputs: readonly TensorMeta[];
  /** Whether what lies behind has the gradient 0 where nothing arrives. */
  flat = false;
  /** The object (a module) on whose behalf the operation ran. */
  readonly site: object | undefined = undefined;
  readonly #hooks = new Map<number, Set<GradientHook>>();

  constructor(sequence = counter.next++) {
    this.sequence = sequence;
  }

  /** Gradients of the inputs from those of the outputs (null: no gradient arrived there). */
  abstract apply(gradients: Gradients): Gradients;
  /** Forgets saved tensors; a later backward through this node says so. */
  release(): void {}

  addHook(index: number, hook: GradientHook): () => void {
    if (typeof hook !== 'function')
      throw autogradError(`registerHook(): expected a function, but got ${String(hook)}`);
    const hooks = this.#hooks.get(index) ?? new Set();
    this.#hooks.set(index, hooks);
    hooks.add(hook);
    return () => hooks.delete(hook);
  }

  hasHooks(index: number): boolean {
    return (this.#hooks.get(index)?.size ?? 0) > 0;
  }

  runHooks(index: number, gradient: Tensor): Tensor {
    let result = gradient;
    for (const hook of this.#hooks.get(index) ?? [])
      result = checkHookResult(hook, result, hook(result) ?? result);
    return result;
  }
}

/** What a hook returns takes the gradient's place, so it must be like it. */
function checkHookResult(hook: GradientHook, before: Tensor, after: Tensor): Tensor {
  if (after === before) return after;
  const name = hook.name || 'hook';
  if (typeof after !== 'object' || !('storage' in after))
    throw autogradError(
      `hook '${name}' must return a Tensor or nothing, but returned ${String(after)}`,
    );
  if (after.dtype !== before.dtype || after.device !== before.device)
    throw autogradError(
      `hook '${name}' has changed the type of value (was ${before.dtype} on ${before.device} got ${after.dtype} on ${after.device})`,
    );
  if (!sameShape(after.shape, before.shape))
    throw autogradError(
      `hook '${name}' has changed the size of value (was ${formatShape(before.shape)} got ${formatShape(after.shape)})`,
    );
  return after;
}

/** The end of a path: adds what arrives to the `grad` of a leaf. */
export class AccumulateGrad extends Node {
  readonly name = 'AccumulateGrad';
  readonly next = [];
  readonly outputs: readonly TensorMeta[];
  readonly #leaf: Tensor;

  constructor(leaf: Tensor) {
    super(0); // older than every operation, so that it comes last in a backward walk
    this.#leaf = leaf;
    this.outputs = [metaOf(leaf)];
  }

  apply([gradient]: Gradients): Gradients {
    if (gradient === null) return [];
    const known = this.#leaf.grad;
    // A fresh copy the first time: rules may hand one gradient to several leaves.
    this.#leaf.grad = known === null ? gradient.clone() : known.add(gradient);
    return [];
  }

  /** Whether the leaf can take over a gradient that nobody else has, instead of a copy. */
  takes(gradient: Tensor): boolean {
    const whole = gradient.isContiguous && gradient.storage.length === gradient.numel;
    return this.#leaf.grad === null && whole;
  }

  take(gradient: Tensor): void {
    this.#leaf.grad = gradient.alias();
  }
}

const held = shared('autograd.held', () => ({ bytes: 0 }));

/** Bytes that graphs hold for their backward, parameters aside. */
export const heldBytes = (): number => held.bytes;

/** Counts a storage while at least one node has saved it; parameters are there anyway. */
function hold(storage: Storage): void {
  if (storage.savers++ > 0 || storage.writes.holdsLeaf) return;
  storage.heldBytes = storage.length * bytesPerElement(storage.dtype);
  held.bytes += storage.heldBytes;
}

function letGoOf(storage: Storage): void {
  if (--storage.savers > 0) return;
  held.bytes -= storage.heldBytes;
  storage.heldBytes = 0;
  if (storage.hidden && !storage.kept) storage.release();
}

/** A saved tensor that notices when its elements were overwritten since. */
export class SavedTensor {
  readonly #tensor: Tensor;
  readonly #version: number;

  constructor(tensor: Tensor) {
    this.#tensor = tensor;
    this.#version = tensor.storage.version;
    hold(tensor.storage);
  }

  /** The tensor is not needed any more. */
  letGo(): void {
    letGoOf(this.#tensor.storage);
  }

  unpack(operation: string): Tensor {
    const { storage, dtype, shape } = this.#tensor;
    if (storage.version !== this.#version)
      throw autogradError(
        'one of the variables needed for gradient computation has been modified by an inplace ' +
          `operation: [${torchName(dtype)}Tensor ${formatShape(shape)}], saved by ${operation}, is at ` +
          `version ${storage.version}; expected version ${this.#version} instead. Use the ` +
          'out-of-place form, or clone() before the in-place operation',
      );
    return this.#tensor;
  }
}
