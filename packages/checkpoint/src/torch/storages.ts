// The storages of one file: bytes by key, and one `Storage` per key and element type, so that
// tensors which share memory in the file share it here.

import { bytesPerElement, Storage } from '@voxgrad/core';
import { bytesPer, dtypeFor, elementsOver, type FileDType, swapBytes } from '../elements.js';
import { CheckpointError } from '../error.js';
import type { Source } from '../source.js';
import { type StoragePlace, spanOf } from './describe.js';
import type { StorageRef, TensorRef } from './values.js';

/** How the storages of one file are reached. */
export interface StorageFile {
  /** Whether the elements in it are big-endian. */
  readonly bigEndian: boolean;
  placeOf(key: string): StoragePlace;
  /** The bytes of a whole storage, checked as far as the format allows, in a buffer of their own. */
  read(key: string): Promise<Uint8Array<ArrayBuffer>>;
  /** Bytes `begin` to `end` of a storage that is not compressed. */
  readPart(key: string, begin: number, end: number): Promise<Uint8Array<ArrayBuffer>>;
  /** Where all this is read from. */
  readonly source: Source;
}

/** From this size on a storage is read in part where less than a quarter of it is wanted. */
const LARGE_BYTES = 2 ** 20;
const PART = 1 / 4;

/** The start of a part, so that elements of any type stay aligned. */
const ALIGNMENT = 16;

/** Storages that are read at the same time: the checksum of one overlaps the reading of another. */
const IN_FLIGHT = 4;

interface Part {
  readonly key: string;
  /** Where it begins in the file, where that is known, and how many bytes it has. */
  readonly offset: number | undefined;
  readonly length: number;
  /** Bytes of the storage; the whole of it if undefined. */
  readonly span?: readonly [begin: number, end: number];
}

interface Held {
  readonly buffer: ArrayBuffer;
  /** Bytes of the storage before it. */
  readonly skipped: number;
  /** Its bytes after the elements of so many bytes were turned around; the first is `buffer`. */
  readonly turned: Map<number, ArrayBuffer>;
}

/** Reads what `tensors` need; in part where `partial` and a small part of a large storage is. */
export async function readStorages(
  file: StorageFile,
  tensors: readonly TensorRef[],
  { partial }: { readonly partial: boolean },
): Promise<Storages> {
  const storages = new Storages(file);
  const planned = planReads(file, tensors, partial);
  planned.sort((a, b) => (a.offset ?? 0) - (b.offset ?? 0));
  file.source.plan(
    planned.flatMap(({ offset, length }) => (offset === undefined ? [] : [{ offset, length }])),
  );
  const parts = planned.values();
  const work = async () => {
    for (const { key, span } of parts) {
      const bytes = span ? await file.readPart(key, ...span) : await file.read(key);
      storages.add(key, bytes, span?.[0] ?? 0);
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, work));
  return storages;
}

function planReads(file: StorageFile, tensors: readonly TensorRef[], partial: boolean): Part[] {
  const spans = new Map<string, { size: number; begin: number; end: number }>();
  for (const ref of tensors) {
    const { key, type, length } = ref.storage;
    if (typeof key !== 'string') continue;
    const unit = bytesPer(ref.element);
    const [first, end] = spanOf(ref);
    const size = length * type.unit;
    const known = spans.get(key) ?? { size, begin: size, end: 0 };
    if (end > first) {
      known.begin = Math.min(known.begin, first * unit);
      known.end = Math.max(known.end, end * unit);
    }
    spans.set(key, known);
  }
  return [...spans].map(([key, { size, begin, end }]): Part => {
    const place = file.placeOf(key).begin;
    const few = size >= LARGE_BYTES && Math.max(0, end - begin) < size * PART;
    if (!partial || !few || place === undefined) return { key, offset: place, length: size };
    const first = begin < end ? begin - (begin % ALIGNMENT) : 0;
    const last = begin < end ? end : 0;
    return { key, offset: place + first, length: last - first, span: [first, last] };
  });
}

export class Storages {
  readonly #file: StorageFile;
  readonly #held = new Map<StorageRef['key'], Held>();
  readonly #storages = new Map<StorageRef['key'], Map<FileDType, Storage | string>>();

  constructor(file: StorageFile) {
    this.#file = file;
  }

  add(key: string, bytes: Uint8Array<ArrayBuffer>, skipped = 0): void {
    this.#held.set(key, { buffer: bytes.buffer, skipped, turned: new Map() });
  }

  /** The storage under a tensor and the tensor's offset in it, or why it cannot be had. */
  get(ref: TensorRef): { storage: Storage; offset: number } | string {
    const { key } = ref.storage;
    const ofKey = this.#storages.get(key) ?? new Map<FileDType, Storage | string>();
    this.#storages.set(key, ofKey);
    const storage = ofKey.get(ref.element) ?? this.#create(ref, ofKey.values());
    ofKey.set(ref.element, storage);
    if (typeof storage === 'string') return storage;
    if (ref.shape.includes(0)) return { storage, offset: 0 };
    const skipped = (this.#held.get(key)?.skipped ?? 0) / bytesPer(ref.element);
    return { storage, offset: ref.offset - skipped };
  }

  #create({ storage, element }: TensorRef, others: Iterable<Storage | string>): Storage | string {
    try {
      const buffer = this.#littleEndian(storage, bytesPer(element));
      const dtype = dtypeFor(element);
      const elements = Math.floor(buffer.byteLength / bytesPer(element));
      if (dtype !== element) this.#file.source.expand(elements * bytesPerElement(dtype));
      const array = elementsOver(buffer, element);
      // The same bytes as another dtype: writes to either concern both.
      const twin = [...others].find(
        (other) => typeof other === 'object' && other.array.buffer === array.buffer,
      );
      return new Storage(dtype, array, typeof twin === 'object' ? twin.writes : undefined);
    } catch (error) {
      if (error instanceof CheckpointError && error.code === 'UNSUPPORTED') return error.text;
      throw error;
    }
  }

  /** The bytes of a storage, with its elements of `unit` bytes in the order of this library. */
  #littleEndian({ key, bigEndian }: StorageRef, unit: number): ArrayBuffer {
    const { buffer, turned } = this.#heldOf(key);
    const wanted = (typeof key === 'string' ? this.#file.bigEndian : bigEndian) ? unit : 1;
    const known = turned.get(wanted);
    if (known !== undefined) return known;
    let bytes = new Uint8Array(buffer);
    const [first] = turned.keys();
    if (first !== undefined) {
      // Elements of two sizes over the same bytes in the other order: they can share no memory here.
      this.#file.source.expand(bytes.length);
      bytes = bytes.slice();
      swapBytes(bytes, first);
    }
    swapBytes(bytes, wanted);
    turned.set(wanted, bytes.buffer);
    return bytes.buffer;
  }

  #heldOf(key: StorageRef['key']): Held {
    const known = this.#held.get(key);
    if (known !== undefined) return known;
    if (typeof key === 'string') throw new CheckpointError('CORRUPT', `storage ${key} is missing`);
    // Bytes that stand in the pickle are copied: they may be shared with a `bytes` value.
    this.#file.source.expand(key.length);
    const held: Held = { buffer: key.slice().buffer, skipped: 0, turned: new Map() };
    this.#held.set(key, held);
    return held;
  }
}
