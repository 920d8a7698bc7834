import { VoxgradError } from '@voxgrad/core';
import type { DeviceMemory } from '../memory/device-memory.js';
import { ARGUMENTS_AT, CLOSED, CONTROL, MESSAGE_AT, NUMBERS_AT } from './control.js';
import type { Kernel } from './kernel-cache.js';
import { encodeSequences, type Step } from './sequence.js';
import { startWorkers, type WorkerHandle } from './workers.js';

export interface TeamOptions {
  readonly threads: number;
  readonly workerUrl?: string | URL;
  /** How long workers may take for their last item before they are given up, in milliseconds. */
  readonly patience?: number;
}

const mayBlock = () => typeof document === 'undefined';

/**
 * The threads of a device: the caller, and workers that take items of its jobs once they have
 * started. Items are independent and each is computed in one way whoever takes it, so results do
 * not depend on the number of threads.
 */
export class Team {
  readonly #words: Int32Array;
  readonly #patience: number;
  readonly #wanted: number;
  readonly #workerUrl: string | URL | undefined;
  #started = false;
  #workers: WorkerHandle[] = [];
  #failure: VoxgradError | null = null;

  constructor(
    readonly memory: DeviceMemory,
    { threads, workerUrl, patience = 60_000 }: TeamOptions,
  ) {
    this.#words = new Int32Array(memory.memory.buffer, 0, 16384);
    this.#patience = patience;
    this.#wanted = memory.shared ? threads : 1;
    this.#workerUrl = workerUrl;
  }

  /** Starts the workers, when there is a first job for them. */
  #start(): void {
    this.#started = true;
    if (this.#wanted === 1) return;
    startWorkers(this.#wanted - 1, this.memory.memory, this.#workerUrl, {
      started: (workers) => {
        this.#workers = workers;
      },
      died: (what) => this.#lose(what),
    });
  }

  /** Threads that compute now: 1 until the workers are up. */
  get size(): number {
    return 1 + (this.#workers.length > 0 ? Atomics.load(this.#words, CONTROL.ready) : 0);
  }

  /**
   * Resolves when all workers are up.
   *
   * @throws VoxgradError DEVICE where one could not be started or has died; the device computes on
   */
  async ready(): Promise<void> {
    if (!this.#started) this.#start();
    const deadline = Date.now() + 10_000;
    while (this.size < this.#wanted && !this.#failure && Date.now() < deadline)
      await new Promise((resolve) => setTimeout(resolve, 1));
    if (this.#failure) throw this.#failure;
  }

  /**
   * Runs `kernel` on items 0, 1, … `items − 1`.
   *
   * @throws VoxgradError DEVICE where a thread failed, naming the kernel and the item
   */
  run(
    kernel: Kernel,
    items: number,
    words: readonly number[],
    numbers: readonly number[] = [],
  ): void {
    if (items === 0) return;
    this.#setArguments(words, numbers);
    if (items > 1 && !this.#started) this.#start();
    // Item by item: a kernel is optimised while it runs, and the better code is taken up by the next
    // call.
    const runItem = (item: number) => kernel.run(item, item + 1, ARGUMENTS_AT);
    if (items === 1 || this.size === 1) {
      this.#alone(kernel.name, items, runItem);
      return;
    }
    this.#words[CONTROL.kernel] = kernel.id;
    this.#words[CONTROL.moduleAt] = kernel.publish();
    this.#words[CONTROL.moduleBytes] = kernel.bytes.length;
    this.#together(kernel.name, items, runItem);
  }

  /**
   * Runs items each of which is a sequence of kernels that one thread takes from first to last.
   *
   * @param lanes threads that take part, at most
   * @param sequenceOf the steps of an item for the thread `lane`; from lane to lane they differ in the
   * addresses of their scratch alone
   * @throws VoxgradError DEVICE where a thread failed, naming the job and the item
   */
  runSequences(
    name: string,
    { items, lanes }: { items: number; lanes: number },
    sequenceOf: (item: number, lane: number) => readonly Step[],
  ): void {
    if (items > 1 && !this.#started) this.#start();
    const together = items > 1 && this.size > 1 && lanes > 1;
    const sequences = Array.from({ length: together ? lanes : 1 }, (_, lane) =>
      Array.from({ length: items }, (_, item) => sequenceOf(item, lane)),
    );
    const [own] = sequences;
    const runOwn = (item: number) => {
      for (const { kernel, items: count, words } of own[item]) {
        this.#setArguments(words);
        for (let i = 0; i < count; i++) kernel.run(i, i + 1, ARGUMENTS_AT);
      }
    };
    if (!together) {
      this.#alone(name, items, runOwn);
      return;
    }
    const { at, words } = encodeSequences(sequences, (bytes) => this.memory.take(bytes, name));
    new Int32Array(this.memory.memory.buffer, at, words.length).set(words);
    this.#words[CONTROL.sequences] = at;
    this.#words[CONTROL.lanes] = lanes;
    try {
      this.#together(name, items, runOwn);
    } finally {
      this.#words[CONTROL.sequences] = 0;
      this.memory.give(at);
    }
  }

  #setArguments(words: readonly number[], numbers: readonly number[] = []): void {
    const { buffer } = this.memory.memory;
    new Uint32Array(buffer, ARGUMENTS_AT, 128).set(words);
    if (numbers.length > 0) new Float64Array(buffer, NUMBERS_AT, numbers.length).set(numbers);
  }

  #alone(name: string, items: number, run: (item: number) => void): void {
    try {
      for (let item = 0; item < items; item++) run(item);
    } catch (error) {
      throw trapped(name, String(error));
    }
  }

  #together(name: string, items: number, run: (item: number) => void): void {
    const words = this.#words;
    words[CONTROL.items] = items;
    words[CONTROL.trap] = 0;
    Atomics.store(words, CONTROL.next, 0);
    Atomics.and(words, CONTROL.gate, ~CLOSED);
    Atomics.add(words, CONTROL.sequence, 1);
    Atomics.notify(words, CONTROL.sequence);
    let failure: unknown;
    try {
      for (;;) {
        const item = Atomics.add(words, CONTROL.next, 1);
        if (item >= items) break;
        run(item);
      }
    } catch (error) {
      failure = error;
      Atomics.store(words, CONTROL.next, items);
    }
    Atomics.or(words, CONTROL.gate, CLOSED);
    this.#wait(name);
    if (failure !== undefined) throw trapped(name, String(failure));
    const trap = Atomics.load(words, CONTROL.trap);
    if (trap !== 0) throw trapped(name, this.#message(), trap - 1);
  }

  /** Until no worker is inside the job any more. */
  #wait(name: string): void {
    const words = this.#words;
    const inside = () => Atomics.load(words, CONTROL.gate) & ~CLOSED;
    for (let spins = 0; spins < 20_000; spins++) if (inside() === 0) return;
    const deadline = Date.now() + this.#patience;
    for (let count = inside(); count !== 0; count = inside()) {
      // A worker cannot report its own death to a thread that waits, so patience must end.
      if (Date.now() > deadline) {
        throw this.#lose(`a worker did not finish '${name}' in ${this.#patience / 1000} s`);
      }
      if (mayBlock()) Atomics.wait(words, CONTROL.gate, CLOSED | count, 50);
    }
  }

  #message(): string {
    const { buffer } = this.memory.memory;
    const text = new Uint8Array(buffer, MESSAGE_AT, this.#words[CONTROL.messageBytes]);
    return new TextDecoder().decode(Uint8Array.from(text));
  }

  /** Goes on without workers, after one was lost. */
  #lose(what: string): VoxgradError {
    this.stop();
    const failure = new VoxgradError('DEVICE', `wasm: ${what}; the device goes on with one thread`);
    this.#failure = failure;
    return failure;
  }

  /** What happened to lost workers, if any. */
  get failure(): VoxgradError | null {
    return this.#failure;
  }

  /** Stops the workers; the device computes on with one thread. */
  stop(): void {
    this.#started = true;
    for (const worker of this.#workers) worker.stop();
    this.#workers = [];
  }
}

const trapped = (name: string, reason: string, item?: number) =>
  new VoxgradError(
    'DEVICE',
    `wasm: the kernel '${name}' failed${item === undefined ? '' : ` in a worker at item ${item}`}: ${reason}`,
  );
