/** Bytes between two signs. */
const INTERVAL = 2 ** 20;

/** How much more than it is each of these bytes counts. */
const WEIGHT = 8;

/**
 * Makes the collector run in time. Elements that are dropped from the device are mostly dead, and
 * become host arrays that a collection frees; V8 collects once some 64 MB of array buffers are new,
 * which would be most of the memory of a small program. Buffers that nobody touches take no memory,
 * but they count: with them a collection comes after an eighth of that.
 */
export class CollectorPressure {
  #bytes = 0;
  /** The last untouched buffer, so that no compiler leaves it out. */
  untouched: ArrayBuffer | null = null;

  /** `bytes` more on the host. */
  add(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes < INTERVAL) return;
    try {
      this.untouched = new ArrayBuffer(Math.min(this.#bytes, 64 * INTERVAL) * (WEIGHT - 1));
    } catch {
      // No room for an empty buffer: the collector knows.
    }
    this.untouched = null;
    this.#bytes = 0;
  }
}
