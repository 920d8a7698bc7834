import {
  allocateHost,
  type DType,
  type HostArray,
  hostArrayOver,
  Storage,
  VoxgradError,
} from '@voxgrad/core';
import { Block } from './block.js';
import { aligned, Heap } from './heap.js';

const PAGE = 65536;
const LIMIT = 4 * 2 ** 30;

/** The first bytes hold what the threads share (see `threads/control.ts`). */
const HEAP_START = 65536;

/** Bytes that a kernel may read past the end of a block. */
const SLACK = 64;

/** Blocks of one size that there is always room for. */
const TOGETHER = 4;

/** The cache starts with this much room, and grows when something dropped is wanted again. */
const FIRST_CAPACITY = 8 * 2 ** 20;

export interface MemoryOptions {
  readonly shared: boolean;
  readonly budgetBytes: number;
  readonly smallBytes: number;
}

/** What is in the memory of a `wasm` device, and what has moved. */
export interface MemoryStatistics {
  /** Blocks that hold elements of a storage now. */
  readonly blocks: number;
  /** Bytes of the blocks and workspaces in use. */
  readonly usedBytes: number;
  /** Bytes that the cache may fill before it drops something. */
  readonly capacityBytes: number;
  /** Bytes that `capacityBytes` may grow to. */
  readonly budgetBytes: number;
  /** Bytes of the WebAssembly memory. */
  readonly memoryBytes: number;
  /** Since the start: blocks dropped for room, how many of them had to be copied to the host, … */
  readonly evictions: number;
  readonly copiedOutBytes: number;
  /** … and what was brought (back) to the device. */
  readonly copiedInBytes: number;
  /** Blocks that were given back because their storage was known to be dead, or was collected. */
  readonly released: number;
}

/**
 * The linear memory of a device as a cache over host storage. A storage lives on the host, here, or
 * on both sides. Under pressure the block that was used least recently goes: dropped when the host
 * has the same elements, copied to a fresh host array when not. A forgotten temporary therefore
 * costs at most one copy, and nothing depends on when a collector runs.
 */
/** Blocks that small ones in between can leave without room. */
const LARGE = 2 ** 20;

export class DeviceMemory {
  readonly memory: WebAssembly.Memory;
  readonly shared: boolean;
  /** Storages of fewer bytes stay on the host: a copy of them costs less than keeping book. */
  readonly smallBytes: number;
  readonly #heap = new Heap(HEAP_START);
  /** Blocks with elements here, the least recently used first. */
  readonly #resident = new Set<Block>();
  readonly #budget: number;
  #capacity: number;
  /** Gives back what can be made anew, and says whether there was any; asked when nothing else is left. */
  reclaim: () => boolean = () => false;
  readonly #counters = { evictions: 0, copiedOutBytes: 0, copiedInBytes: 0, released: 0 };
  /**
   * The last net: storages that nobody released. It holds its blocks, and finalizers do not run inside
   * a synchronous loop, so a block is in here only while it has elements on the device.
   */
  readonly #collected = new FinalizationRegistry<Block>((block) => block.release());

  constructor({ shared, budgetBytes, smallBytes }: MemoryOptions) {
    this.shared = shared;
    this.smallBytes = smallBytes;
    this.#budget = Math.min(budgetBytes, LIMIT - HEAP_START - PAGE);
    this.#capacity = Math.min(this.#budget, FIRST_CAPACITY);
    this.memory = new WebAssembly.Memory({ initial: 1, maximum: LIMIT / PAGE, shared });
  }

  statistics(): MemoryStatistics {
    return {
      blocks: this.#resident.size,
      usedBytes: this.#heap.used,
      capacityBytes: this.#capacity,
      budgetBytes: this.#budget,
      memoryBytes: this.memory.buffer.byteLength,
      ...this.#counters,
    };
  }

  /** A typed array over device bytes, good until the next allocation. */
  view(dtype: DType, pointer: number, length: number): HostArray {
    return hostArrayOver(dtype, this.memory.buffer as ArrayBuffer, pointer, length);
  }

  /**
   * Room for `bytes`, dropping what is not pinned where there is none.
   *
   * @throws VoxgradError MEMORY, naming `operation`, where all that could be dropped is not enough
   */
  take(bytes: number, operation: string): number {
    const wanted = bytes + SLACK;
    // An operation on large tensors has its operands, its result and a workspace at least.
    this.#capacity = Math.max(this.#capacity, Math.min(this.#budget, TOGETHER * wanted));
    for (;;) {
      const found = this.#heap.take(wanted);
      if (found !== null) return found;
      if (this.#grow(wanted, this.#capacity) || this.#evictOne()) continue;
      if (this.#grow(wanted, this.#budget)) continue;
      // What is given back is small: it makes no room for small blocks, of which it is itself.
      if (wanted >= LARGE && this.reclaim()) continue;
      throw this.#exhausted(bytes, operation);
    }
  }

  give(pointer: number): void {
    this.#heap.give(pointer);
  }

  /** A storage of `length` elements whose memory is `pointer` and comes from {@link take}. */
  adopt(dtype: DType, length: number, pointer: number): Storage {
    const block = new Block(this, dtype, length);
    block.place(pointer, true);
    const storage = new Storage(dtype, { length, residence: block });
    this.#collected.register(storage, block, block);
    return storage;
  }

  /** The block of a storage, with its elements on the device, pinned. */
  pin(storage: Storage, operation: string): Block {
    const block = this.#blockOf(storage);
    if (block.pointer === 0) {
      // What was dropped and comes back shows that there is too little room.
      if (block.evicted) this.#capacity = Math.min(this.#budget, this.#capacity + block.bytes);
      const pointer = this.take(block.bytes, operation);
      (this.view(block.dtype, pointer, block.length) as Float64Array).set(
        block.read() as Float64Array,
      );
      this.#counters.copiedInBytes += block.bytes;
      block.place(pointer, false);
      this.#collected.register(storage, block, block);
    } else {
      this.#resident.delete(block);
      this.#resident.add(block);
    }
    block.pins++;
    return block;
  }

  #blockOf(storage: Storage): Block {
    const { residence } = storage;
    if (residence instanceof Block && residence.memory === this) return residence;
    const block = new Block(this, storage.dtype, storage.length, storage.array);
    residence?.release();
    storage.moveTo(block);
    return block;
  }

  /** Called by blocks: `block` has elements here from now on. */
  entered(block: Block): void {
    this.#resident.add(block);
  }

  /** Called by blocks: its bytes here are free from now on. */
  left(block: Block, pointer: number): void {
    this.#resident.delete(block);
    this.#collected.unregister(block);
    this.#heap.give(pointer);
  }

  /** Called by blocks whose storage is dead. */
  forgotten(): void {
    this.#counters.released++;
  }

  /** The elements at `pointer` as a fresh host array. */
  copyOut(dtype: DType, pointer: number, length: number): HostArray {
    const host = allocateHost(dtype, length);
    (host as Float64Array).set(this.view(dtype, pointer, length) as Float64Array);
    this.#counters.copiedOutBytes += host.byteLength;
    return host;
  }

  #grow(bytes: number, limit: number): boolean {
    const missing = this.#heap.missing(bytes);
    const end = this.#heap.end + missing;
    if (end - HEAP_START > limit) return false;
    // A little more than asked for, so that small blocks do not grow the memory one by one.
    const target = Math.min(
      HEAP_START + Math.max(limit, end - HEAP_START),
      end + Math.min(missing, 16 * 2 ** 20),
    );
    const pages = Math.ceil(target / PAGE) - this.memory.buffer.byteLength / PAGE;
    try {
      if (pages > 0) this.memory.grow(pages);
    } catch {
      return false; // the system has no more
    }
    this.#heap.extend(aligned(Math.max(end, Math.min(target, this.memory.buffer.byteLength))));
    return true;
  }

  #evictOne(): boolean {
    for (const block of this.#resident) {
      if (block.pins > 0) continue;
      this.#counters.evictions++;
      block.evict();
      return true;
    }
    return false;
  }

  #exhausted(bytes: number, operation: string): VoxgradError {
    const mega = (n: number) => `${(n / 2 ** 20).toFixed(1)} MiB`;
    return new VoxgradError(
      'MEMORY',
      `cannot allocate ${bytes} bytes (${mega(bytes)}) of device memory for ${operation}: ` +
        `${mega(this.#heap.used)} of a budget of ${mega(this.#budget)} are in use by this operation. Use smaller tensors, or give ` +
        'createWasmDevice() a larger budgetBytes (up to 4 GiB)',
    );
  }
}
