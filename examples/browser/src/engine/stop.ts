// A wish of the page to stop what runs. With shared memory it is heard at once, else when the engine
// next looks at its messages.

export class Stopped extends Error {
  override name = 'Stopped';
  constructor() {
    super('Stopped.');
  }
}

export class StopFlag {
  #wanted = false;
  #shared: Int32Array | null = null;

  /** Looks at `words[0]` from now on, which the page sets. */
  share(words: Int32Array): void {
    this.#shared = words;
  }

  set(): void {
    this.#wanted = true;
  }

  clear(): void {
    this.#wanted = false;
    if (this.#shared) Atomics.store(this.#shared, 0, 0);
  }

  get wanted(): boolean {
    return this.#wanted || (this.#shared !== null && Atomics.load(this.#shared, 0) !== 0);
  }

  /** @throws Stopped */
  check(): void {
    if (this.wanted) throw new Stopped();
  }
}

const channel = new MessageChannel();
const waiting: (() => void)[] = [];
channel.port1.onmessage = () => waiting.shift()?.();

/** Lets messages in. Not a timer, which waits for 4 ms. */
export const nextTask = (): Promise<void> =>
  new Promise((resolve) => {
    waiting.push(resolve);
    channel.port2.postMessage(null);
  });
