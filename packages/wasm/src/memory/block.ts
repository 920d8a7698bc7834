import { bytesPerElement, type DType, type HostArray, type Residence } from '@voxgrad/core';
import type { DeviceMemory } from './device-memory.js';

/** The elements of one storage: on the host, on the device, or both. */
export class Block implements Residence {
  readonly bytes: number;
  /** Where on the device; 0 while they are not there. */
  pointer = 0;
  /** Kernels that use the device's copy right now. */
  pins = 0;
  /** Whether the device's copy was dropped for room. */
  evicted = false;
  #host: HostArray | null;

  constructor(
    readonly memory: DeviceMemory,
    readonly dtype: DType,
    readonly length: number,
    host: HostArray | null = null,
  ) {
    this.bytes = length * bytesPerElement(dtype);
    this.#host = host;
  }

  /** The device has the elements at `pointer`; `only`: and nobody else. */
  place(pointer: number, only: boolean): void {
    this.pointer = pointer;
    this.evicted = false;
    if (only) this.#host = null;
    this.memory.entered(this);
  }

  /** A kernel has written to the device's copy. */
  changed(): void {
    this.#host = null;
  }

  /** Whether the host has the elements. */
  get onHost(): boolean {
    return this.#host !== null;
  }

  read(): HostArray {
    this.#host ??= this.memory.copyOut(this.dtype, this.pointer, this.length);
    return this.#host;
  }

  write(): HostArray {
    const host = this.read();
    this.#leave();
    return host;
  }

  /** Leaves the device; what the host does not have is copied there first. */
  evict(): void {
    this.read();
    this.#leave();
    this.evicted = true;
  }

  release(): void {
    this.#leave();
    this.#host = null;
    this.memory.forgotten();
  }

  #leave(): void {
    if (this.pointer === 0) return;
    const { pointer } = this;
    this.pointer = 0;
    this.memory.left(this, pointer);
  }
}
