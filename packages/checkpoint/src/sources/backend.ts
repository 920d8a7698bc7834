import type { Batches } from './plan.js';

/** Where bytes come from. `Source` asks only for places inside `size`. */
export interface Backend {
  readonly size: number;
  /** Fills `target` with what stands at `offset`; returns how many bytes there were. */
  fill(target: Uint8Array<ArrayBuffer>, offset: number): Promise<number>;
  /** The same into several targets in a row. */
  fillAll?(targets: readonly Uint8Array<ArrayBuffer>[], offset: number): Promise<number>;
  /** How reads that are known beforehand are put together; left out where nothing is gained. */
  readonly batches?: Batches;
  /** Another file of the same folder, by a relative name that was found to stay inside. */
  sibling?(name: string): Promise<Backend>;
  close?(): Promise<void>;
}

/** A call costs some microseconds; two that take turns keep the disk and the processor busy. */
export const LOCAL_BATCHES: Batches = {
  gap: 64 * 1024,
  bytes: 4 * 2 ** 20,
  largest: 2 ** 20,
  inFlight: 2,
};

export const blobBackend = (blob: Blob): Backend => ({
  size: blob.size,
  batches: LOCAL_BATCHES,
  async fill(target, offset) {
    const bytes = await blob.slice(offset, offset + target.length).arrayBuffer();
    target.set(new Uint8Array(bytes));
    return bytes.byteLength;
  },
});

export const bytesBackend = (bytes: Uint8Array): Backend => ({
  size: bytes.length,
  async fill(target, offset) {
    const part = bytes.subarray(offset, offset + target.length);
    target.set(part);
    return part.length;
  },
});
