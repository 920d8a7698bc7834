/** Bytes of new array buffers after which V8 collects by itself, about. */
const PATIENCE = 64 * 2 ** 20;

/** Bytes between two signs. */
const INTERVAL = 2 ** 20;

/**
 * Makes the collector of a small program run in time. Elements that are dropped from the device are
 * mostly dead, and become host arrays that a collection frees; V8 collects once some 64 MB of array
 * buffers are new, which can be more than all that a program uses. Buffers that nobody touches take no
 * memory, but they count: with them a collection comes when a quarter of the cache has been dropped.
 */
export class CollectorPressure {
  #bytes = 0;
  /** The last untouched buffer, so that no compiler leaves it out. */
  untouched: ArrayBuffer | null = null;

  /** `bytes` more on the host, from a cache of `capacity` bytes. */
  add(bytes: number, capacity: number): void {
    this.#bytes += bytes;
    if (this.#bytes < INTERVAL) return;
    const extra = Math.floor(this.#bytes * (PATIENCE / (capacity / 4) - 1));
    this.#bytes = 0;
    if (extra < INTERVAL) return;
    try {
      this.untouched = new ArrayBuffer(extra);
    } catch {
      // No room for an empty buffer: the collector knows.
    }
    this.untouched = null;
  }
}
