import {
  bytesPerElement,
  type DType,
  isContiguous,
  Storage,
  type View,
  VoxgradError,
} from '@voxgrad/core';
import type { Block } from './block.js';
import type { DeviceMemory } from './device-memory.js';

/** Room for a kernel's result. */
export interface Output {
  readonly pointer: number;
  /** The storage of it, once the kernel has run. */
  storage(): Storage;
}

/**
 * The device memory of one kernel call: what it reads is pinned until the call ends, and workspaces
 * are given back then.
 */
export class Call {
  readonly #pinned: Block[] = [];
  readonly #workspaces: number[] = [];

  constructor(
    readonly memory: DeviceMemory,
    readonly operation: string,
  ) {}

  /** Where the elements of a storage are. */
  read(storage: Storage): number {
    const bytes = storage.length * bytesPerElement(storage.dtype);
    if (bytes >= this.memory.smallBytes) {
      const block = this.memory.pin(storage, this.operation);
      this.#pinned.push(block);
      return block.pointer;
    }
    const pointer = this.workspace(bytes);
    const view = this.memory.view(storage.dtype, pointer, storage.length);
    (view as Float64Array).set(storage.array as Float64Array);
    return pointer;
  }

  /** Where the first element of a view is. */
  readView(view: View): number {
    return this.read(view.storage) + view.offset * bytesPerElement(view.dtype);
  }

  /** The pinned block of a storage whose elements a kernel changes in place. */
  update(storage: Storage): number {
    const block = this.memory.pin(storage, this.operation);
    this.#pinned.push(block);
    block.changed();
    return block.pointer;
  }

  /** Bytes that hold nothing sensible yet, for the time of the call. */
  workspace(bytes: number): number {
    const pointer = this.memory.take(bytes, this.operation);
    this.#workspaces.push(pointer);
    return pointer;
  }

  /** Gives a workspace back before the call ends. */
  drop(pointer: number): void {
    this.#workspaces.splice(this.#workspaces.indexOf(pointer), 1);
    this.memory.give(pointer);
  }

  /**
   * What `body` returns; undefined where there is not enough memory for it, whose workspaces are then
   * given back.
   */
  attempt<T>(body: () => T): T | undefined {
    const before = this.#workspaces.length;
    try {
      return body();
    } catch (error) {
      if (!(error instanceof VoxgradError && error.code === 'MEMORY')) throw error;
      for (const pointer of this.#workspaces.splice(before)) this.memory.give(pointer);
      return undefined;
    }
  }

  output(dtype: DType, length: number): Output {
    const bytes = length * bytesPerElement(dtype);
    const pointer = this.workspace(bytes);
    return {
      pointer,
      storage: () => {
        if (bytes < this.memory.smallBytes)
          return new Storage(dtype, this.memory.copyOut(dtype, pointer, length));
        this.#workspaces.splice(this.#workspaces.indexOf(pointer), 1);
        return this.memory.adopt(dtype, length, pointer);
      },
    };
  }

  end(): void {
    for (const block of this.#pinned) block.pins--;
    for (const pointer of this.#workspaces) this.memory.give(pointer);
    this.#pinned.length = 0;
    this.#workspaces.length = 0;
  }
}

/** Runs `body` with a call of its own, and ends it. */
export function withCall<T>(memory: DeviceMemory, operation: string, body: (call: Call) => T): T {
  const call = new Call(memory, operation);
  try {
    return body(call);
  } finally {
    call.end();
  }
}

/** Whether a view is a run of its storage in row-major order. */
export const isRun = (view: View): boolean => isContiguous(view.shape, view.strides);
