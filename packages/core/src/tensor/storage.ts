import { VoxgradError } from '../errors.js';
import { allocateHost, type DType, type HostArray } from './dtype.js';
import { made } from './temporaries.js';

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

/**
 * What a device that has memory of its own knows of a storage: the elements are on the host, on the
 * device, or both. The device decides when it copies; nobody else has to know.
 */
export interface Residence {
  /** Whether the host has the elements, so that `read` copies nothing. */
  readonly onHost: boolean;
  /** Brings the elements to the host; a copy on the device stays good. */
  read(): HostArray;
  /** The same, waited for: on devices that cannot be read synchronously. */
  fetch?(): Promise<HostArray>;
  /** The same, for someone who will write to them: the device forgets its copy. */
  write(): HostArray;
  /** The elements will never be read again. */
  release(): void;
}

export interface ResidentElements {
  readonly length: number;
  readonly residence: Residence;
}

/** A run of elements that one or more tensors look into. */
export class Storage {
  readonly dtype: DType;
  /** Elements. */
  readonly length: number;
  /** Shared by storages over the same bytes. */
  readonly writes: Writes;
  /** Internal: lives on beyond the scope in which it was made. */
  kept = false;
  /** Internal: how many places of a graph have saved it. */
  savers = 0;
  /** Internal: what it counts for among the bytes that graphs hold. */
  heldBytes = 0;
  /** Internal: nobody but a graph can reach it, so that the last one to let go gives it back. */
  hidden = false;
  /** Dimensions of the first tensor over it; -1 before there is one. Devices with formats ask. */
  rank = -1;
  #host: HostArray | null;
  #residence: Residence | null;

  /** `source` is the elements themselves, or where a device keeps `length` of them. */
  constructor(dtype: DType, source: HostArray | ResidentElements, writes?: Writes) {
    this.dtype = dtype;
    this.length = source.length;
    const resident = 'residence' in source;
    this.#host = resident ? null : source;
    this.#residence = resident ? source.residence : null;
    this.writes = writes ?? { count: 0, recorded: 0, holdsLeaf: false };
    made(this);
  }

  static allocate(dtype: DType, length: number): Storage {
    return new Storage(dtype, allocateHost(dtype, length));
  }

  /** In-place writes so far. */
  get version(): number {
    return this.writes.count;
  }

  /** The elements on the host, to be read. */
  get array(): HostArray {
    const array = this.#residence ? this.#residence.read() : this.#host;
    return array ?? used();
  }

  /** The elements on the host, to be written: a device's copy is forgotten. */
  get writableArray(): HostArray {
    const array = this.#residence ? this.#residence.write() : this.#host;
    return array ?? used();
  }

  /** Where a device keeps the elements; null for those that were only ever on the host. */
  get residence(): Residence | null {
    return this.#residence;
  }

  /** Internal: from now on `residence` answers for the elements. */
  moveTo(residence: Residence): void {
    this.#residence = residence;
    this.#host = null;
  }

  /** Internal: gives the memory back; whoever reads the elements afterwards gets an error. */
  release(): void {
    this.#residence?.release();
    this.#residence = null;
    this.#host = null;
  }
}

function used(): never {
  throw new VoxgradError(
    'MEMORY',
    'the elements of this tensor have been given back: it was made inside a scope that has ended, and ' +
      'was not returned from it',
  );
}

/** What a kernel reads: a strided window over a storage. Strides and offset are in elements. */
export interface View {
  readonly storage: Storage;
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly strides: readonly number[];
  readonly offset: number;
}
