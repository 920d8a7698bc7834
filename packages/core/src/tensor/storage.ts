import { allocateHost, type DType, type HostArray } from './dtype.js';

/** What is known of the in-place writes to some memory. */
export interface Writes {
  /** All of them: the tape refuses a saved tensor that has changed since. */
  count: number;
  /**
   * Those that were recorded. A tensor made before the last one, other than its target, does not
   * know where its values' gradients go any more.
   */
  recorded: number;
  /** Whether a leaf that requires gradients lives here. */
  holdsLeaf: boolean;
}

/** A run of elements that one or more tensors look into. */
export class Storage {
  readonly dtype: DType;
  readonly array: HostArray;
  /** Shared by storages over the same bytes. */
  readonly writes: Writes;

  constructor(dtype: DType, array: HostArray, writes?: Writes) {
    this.dtype = dtype;
    this.array = array;
    this.writes = writes ?? { count: 0, recorded: 0, holdsLeaf: false };
  }

  /** In-place writes so far. */
  get version(): number {
    return this.writes.count;
  }

  static allocate(dtype: DType, length: number): Storage {
    return new Storage(dtype, allocateHost(dtype, length));
  }

  get length(): number {
    return this.array.length;
  }
}

/** What a kernel reads: a strided window over a storage. Strides and offset are in elements. */
export interface View {
  readonly storage: Storage;
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly strides: readonly number[];
  readonly offset: number;
}
