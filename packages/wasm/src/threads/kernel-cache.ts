import { encodeModule } from '../emit/bytes.js';
import { Code, type Local } from '../emit/code.js';
import type { DeviceMemory } from '../memory/device-memory.js';
import { CONTROL } from './control.js';

/** What the function that writes a kernel gets. */
export interface KernelBuilder {
  readonly f: Code;
  /** The items to compute: from, to. */
  readonly from: Local<'i32'>;
  readonly to: Local<'i32'>;
  /** The address of the arguments. */
  readonly args: Local<'i32'>;
}

export interface Kernel {
  readonly id: number;
  readonly name: string;
  readonly bytes: Uint8Array;
  run(from: number, to: number, args: number): void;
  /** The address at which workers find the module. */
  publish(): number;
}

interface CachedKernel extends Kernel {
  publishedAt: number;
}

/** Kernels kept; the least recently used goes first. */
const LIMIT = 1024;

/** The kernels of one memory, built when they are first asked for. */
export class KernelCache {
  readonly #kernels = new Map<string, CachedKernel>();
  #nextId = 1;

  constructor(readonly memory: DeviceMemory) {
    memory.reclaim = () => this.#unpublish();
  }

  get size(): number {
    return this.#kernels.size;
  }

  /** The kernel `key`, whose code depends on nothing but what stands in the key. */
  get(key: string, write: (builder: KernelBuilder) => void): Kernel {
    const known = this.#kernels.get(key);
    if (known) {
      this.#kernels.delete(key);
      this.#kernels.set(key, known);
      return known;
    }
    const kernel = this.#build(key, write);
    this.#kernels.set(key, kernel);
    if (this.#kernels.size > LIMIT) this.#dropOldest();
    return kernel;
  }

  #build(name: string, write: (builder: KernelBuilder) => void): CachedKernel {
    const f = new Code();
    const [from, to, args] = [f.param('i32'), f.param('i32'), f.param('i32')];
    write({ f, from, to, args });
    const { memory } = this.memory;
    const bytes = encodeModule({ name, ...f.parts(), sharedMemory: this.memory.shared });
    const module = new WebAssembly.Module(bytes as BufferSource);
    const instance = new WebAssembly.Instance(module, { m: { m: memory } });
    const run = instance.exports.k as (from: number, to: number, args: number) => void;
    const kernel: CachedKernel = {
      id: this.#nextId++,
      name,
      bytes,
      run,
      publishedAt: 0,
      publish: () => {
        if (kernel.publishedAt === 0) {
          kernel.publishedAt = this.memory.take(bytes.length, name);
          new Uint8Array(memory.buffer, kernel.publishedAt, bytes.length).set(bytes);
        }
        return kernel.publishedAt;
      },
    };
    return kernel;
  }

  /**
   * Takes the modules of all kernels back, small blocks that would keep large ones apart. Workers keep what
   * they have compiled, and a kernel that is new to one is published again. Nobody reads them now: memory
   * is taken between jobs.
   */
  #unpublish(): boolean {
    const published = [...this.#kernels.values()].filter(({ publishedAt }) => publishedAt !== 0);
    for (const kernel of published) {
      this.memory.give(kernel.publishedAt);
      kernel.publishedAt = 0;
    }
    return published.length > 0;
  }

  #dropOldest(): void {
    const oldest = this.#kernels.entries().next().value;
    if (!oldest) return;
    this.#kernels.delete(oldest[0]);
    if (oldest[1].publishedAt !== 0) this.memory.give(oldest[1].publishedAt);
    oldest[1].publishedAt = 0; // whoever still holds it publishes it anew
    // Workers hold instances by number; now and then they start over.
    if (this.#nextId % LIMIT === 0)
      Atomics.add(new Int32Array(this.memory.memory.buffer), CONTROL.generation, 1);
  }
}
