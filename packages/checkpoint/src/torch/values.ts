// What the unpickler makes: Python values as data, before tensors have their numbers.
//
// None, bool, int, float and str are JavaScript's own; a list is an array and bytes a Uint8Array.
// The rest are the classes below. Nothing here runs anything.

import type { DType } from '@voxgrad/core';
import type { CheckpointError } from '../error.js';

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
  /** An error located at the current opcode. */
  error(text: string): CheckpointError;
  /** Pays for work that is not proportional to the opcode's own length; throws when too much. */
  spend(units: number): void;
}

export class PyTuple {
  constructor(readonly items: readonly PyValue[]) {}
}

export class PySet {
  constructor(readonly items: PyValue[] = []) {}
}

/** What a dict costs more than other objects, for its hash table; see `CallContext.spend`. */
export const DICT_WORK = 4;

/** A dict or a subclass of it. */
export class PyDict {
  readonly entries = new Map<PyValue, PyValue>();
  /** Attributes set by BUILD; `_metadata` of a state dict. */
  attributes: PyDict | undefined;

  constructor(readonly className = 'dict') {}
}

/** Lists, dicts and sets are no keys in Python; here they would only be found by identity. */
export function checkKey(key: PyValue, context: CallContext): void {
  if (Array.isArray(key) || key instanceof PyDict || key instanceof PySet)
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

/** torch.float32 and its like; `dtype` is undefined for those that cannot be held here. */
export class DTypeName extends PyGlobal {
  constructor(
    readonly shortName: string,
    readonly dtype: DType | undefined,
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
    /** What tensors over it are that cannot be loaded: `complex` or `quantized`. */
    readonly unsupported?: string,
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
  ) {}
}

/** A tensor whose geometry has been checked against its storage. Strides and offset in elements. */
export class TensorRef {
  constructor(
    readonly storage: StorageRef,
    readonly dtype: DType,
    readonly shape: readonly number[],
    readonly strides: readonly number[],
    readonly offset: number,
    readonly requiresGrad: boolean,
  ) {}
}

/** A value that is understood but has no counterpart; loading it is refused, skipping it is not. */
export class Unsupported {
  constructor(
    /** Such as `a complex tensor (ComplexFloatStorage)`. */
    readonly what: string,
    readonly advice: string,
  ) {}
}
