import { allocateHost, type DType, type HostArray } from './dtype.js';

/**
 * A run of elements that one or more tensors look into. `version` counts in-place writes, so that
 * the tape can refuse to use a saved tensor that has changed since.
 */
export class Storage {
  readonly dtype: DType;
  readonly array: HostArray;
  version = 0;
  /** True once several tensors look into this storage; a recorded in-place write is then refused. */
  hasViews = false;

  constructor(dtype: DType, array: HostArray) {
    this.dtype = dtype;
    this.array = array;
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
