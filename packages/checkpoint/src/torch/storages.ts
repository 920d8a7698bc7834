// The storages of one file: bytes by name, and one `Storage` per name and dtype, so that tensors
// which share memory in the file share it here.

import { bytesPerElement, type DType, type Storage } from '@voxgrad/core';
import { CheckpointError } from '../error.js';
import { storageOver } from '../host.js';
import type { StorageRef } from './values.js';

type Key = StorageRef['key'];

export class Storages {
  readonly #bytes = new Map<Key, ArrayBuffer>();
  readonly #storages = new Map<Key, Map<DType, Storage>>();
  readonly #bigEndian: boolean;

  constructor(bigEndian = false) {
    this.#bigEndian = bigEndian;
  }

  add(key: string, bytes: Uint8Array<ArrayBuffer>): void {
    this.#bytes.set(key, bytes.buffer);
  }

  /** The storage of `ref`, its bytes taken as `dtype`. */
  get(ref: StorageRef, dtype: DType): Storage {
    const ofKey = this.#storages.get(ref.key) ?? new Map<DType, Storage>();
    this.#storages.set(ref.key, ofKey);
    const known = ofKey.get(dtype);
    const [sibling] = ofKey.values(); // the same bytes as another dtype: writes to either concern both
    const storage = known ?? this.#create(ref, dtype, sibling?.writes);
    ofKey.set(dtype, storage);
    return storage;
  }

  #create({ key }: StorageRef, dtype: DType, writes: Storage['writes'] | undefined): Storage {
    // Bytes that stand in the pickle are copied: they may be shared with a `bytes` value.
    const buffer = typeof key === 'string' ? this.#bytes.get(key) : key.slice().buffer;
    if (buffer === undefined) throw new CheckpointError('CORRUPT', `storage ${key} is missing`);
    const unit = bytesPerElement(dtype);
    if (this.#bigEndian && typeof key === 'string' && unit > 1) {
      if (writes)
        throw new CheckpointError(
          'UNSUPPORTED',
          `storage ${key} of a big-endian file is used under two dtypes`,
        );
      swapBytes(new Uint8Array(buffer), unit);
    }
    return storageOver(dtype, buffer, writes);
  }
}

function swapBytes(bytes: Uint8Array, unit: number): void {
  for (let start = 0; start + unit <= bytes.length; start += unit)
    bytes.subarray(start, start + unit).reverse();
}
