// What the unpickler makes: Python values as data, before tensors have their numbers.
//
// None, bool, int, float and str are JavaScript's own; a list is an array and bytes a Uint8Array.
// The rest are the classes below. Nothing here runs anything.

import type { DType } from '@voxgrad/core';
import { dtypeFor, type FileDType } from '../elements.js';
import type { CheckpointError, Where } from '../error.js';

export type PyValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array<ArrayBuffer>
  | PyValue[]
  | PyTuple
  | PyDict
  | PySet
  | PyGlobal
  | StorageRef
  | TensorRef
  | Unsupported
  | Buildable;

/** What functions of the allow list get from the unpickler that calls them. */
export interface CallContext {
  /** Where the current opcode stands. */
  readonly where: Where;
  /** An error located at the current opcode. */
  error(text: string): CheckpointError;
  /** Pays for work that is not proportional to the opcode's own length; throws when too much. */
  spend(units: number): void;
}

export class PyTuple {
  constructor(readonly items: readonly PyValue[]) {}
}

export class PySet {
  constructor(
    readonly items: PyValue[] = [],
    /** Whether it is a frozenset, which may be a key. */
    readonly frozen = false,
  ) {}
}

/** What a dict costs more than other objects, for its hash table; see `CallContext.spend`. */
export const DICT_WORK = 4;

/** What bytes cost more, for the buffer of their own. */
export const BYTES_WORK = 4;

/** A dict or a subclass of it. */
export class PyDict {
  readonly entries = new Map<PyValue, PyValue>();
  /** Attributes set by BUILD; `_metadata` of a state dict. */
  attributes: PyDict | undefined;

  constructor(readonly className = 'dict') {}
}

/** Lists, dicts and sets are no keys in Python; here they would only be found by identity. */
export function checkKey(key: PyValue, context: CallContext): void {
  const frozen = key instanceof PySet && key.frozen;
  if (Array.isArray(key) || key instanceof PyDict || (key instanceof PySet && !frozen))
    throw context.error('uses a list, dict or set as a key');
}

/** A name from the allow list; callable where `call` is given. */
export class PyGlobal {
  constructor(
    readonly name: string,
    readonly call?: (args: readonly PyValue[], context: CallContext) => PyValue,
  ) {}
}

/** An object that BUILD completes. */
export abstract class Buildable {
  abstract build(state: PyValue, context: CallContext): void;
}

/** A class or function that is not on the allow list: its name, and where it is named. */
export class UnknownGlobal extends PyGlobal {
  constructor(
    name: string,
    readonly where: Where,
  ) {
    super(name, (args, context) => {
      context.spend(DICT_WORK);
      return new InertObject(this, args);
    });
  }
}

/**
 * What a file says of an object of an unknown class: the arguments that it would have been made
 * with and what it would have been filled with. It is data, and nothing is made from it.
 */
export class InertObject extends Buildable {
  /** What would have been appended or added to it, as to a subclass of list or set. */
  readonly items: PyValue[] = [];
  /** What would have been set in it, as in a subclass of dict. */
  readonly entries = new Map<PyValue, PyValue>();
  #state: PyValue = null;

  constructor(
    readonly type: UnknownGlobal,
    readonly args: readonly PyValue[],
  ) {
    super();
  }

  get className(): string {
    return this.type.name;
  }

  build(state: PyValue): void {
    this.#state = state;
  }

  /** Its `__dict__`; `(dict, slots)` is the form of classes with slots. */
  get attributes(): ReadonlyMap<PyValue, PyValue> {
    const [first] = this.#state instanceof PyTuple ? this.#state.items : [this.#state];
    return first instanceof PyDict ? first.entries : NONE;
  }
}

const NONE: ReadonlyMap<PyValue, PyValue> = new Map();

/** torch.float32 and its like; `element` is undefined for those that cannot be held here. */
export class DTypeName extends PyGlobal {
  constructor(
    readonly shortName: string,
    readonly element: FileDType | undefined,
  ) {
    super(`torch.${shortName}`);
  }
}

/** torch.FloatStorage and its like. */
export class StorageClass extends PyGlobal {
  constructor(
    name: string,
    /** Undefined for plain bytes, and where there is no counterpart. */
    readonly dtype: DType | undefined,
    /** Bytes of an element. */
    readonly unit: number,
    /** Of tensors over it that cannot be loaded: `complex` or `quantized`, and their dtype. */
    readonly unsupported?: { readonly kind: string; readonly dtype: string },
  ) {
    super(name);
  }
}

/** A storage of the file: which, of what, and how long. Its bytes are read later. */
export class StorageRef {
  constructor(
    /** Name in the file, or the bytes themselves where they stand in the pickle. */
    readonly key: string | Uint8Array<ArrayBuffer>,
    readonly type: StorageClass,
    /** Elements of the whole storage. */
    readonly length: number,
    /** The part that tensors may look into; legacy files name parts of a storage. */
    readonly window: { readonly offset: number; readonly length: number } = { offset: 0, length },
    /** Of bytes in the pickle: whether the elements are big-endian. */
    readonly bigEndian = false,
  ) {}
}

/** A tensor whose geometry has been checked against its storage. Strides and offset in elements. */
export class TensorRef {
  constructor(
    readonly storage: StorageRef,
    readonly element: FileDType,
    readonly shape: readonly number[],
    readonly strides: readonly number[],
    readonly offset: number,
    readonly requiresGrad: boolean,
  ) {}

  /** The dtype that it is loaded with. */
  get dtype(): DType {
    return dtypeFor(this.element);
  }
}

/** A value that is understood but has no counterpart; it is left out of what is loaded. */
export class Unsupported {
  constructor(
    /** Such as `a complex tensor (ComplexFloatStorage)`. */
    readonly what: string,
    readonly advice: string,
    /** Of a tensor, what PyTorch or NumPy would call its dtype, and its shape. */
    readonly tensor?: { readonly dtype: string; readonly shape: readonly number[] },
  ) {}
}
