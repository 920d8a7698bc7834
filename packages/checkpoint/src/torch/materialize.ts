// From the unpickler's values to what a caller gets: dicts to Maps, storages to tensors.

import { type Device, isFloat, StateDict, Tensor } from '@voxgrad/core';
import { CheckpointError, type PathStep } from '../error.js';
import { stripPrefixes } from '../state-dict.js';
import { type Loaded, type LoadedKey, MAX_DEPTH } from '../value.js';
import { NumpyArray } from './numpy.js';
import { OpaqueObject } from './schedulers.js';
import type { Storages } from './storages.js';
import {
  Buildable,
  DTypeName,
  PyDict,
  PyGlobal,
  PySet,
  PyTuple,
  type PyValue,
  StorageRef,
  TensorRef,
  Unsupported,
} from './values.js';

export interface MaterializeOptions {
  readonly storages: Storages;
  readonly device: Device;
  /** See `LoadOptions.stripPrefixes`. */
  readonly stripPrefixes: boolean;
}

/** The loaded form of `value`. What one object is in the file (a shared tensor, say) is one here. */
export function materialize(value: PyValue, options: MaterializeOptions): Loaded {
  return new Materializer(options).value(value);
}

class Materializer {
  readonly #options: MaterializeOptions;
  /** Objects already made, so that shared ones stay shared and cycles end. */
  readonly #made = new Map<object, Loaded>();
  readonly #path: PathStep[] = [];

  constructor(options: MaterializeOptions) {
    this.#options = options;
  }

  value(value: PyValue): Loaded {
    if (value === null || typeof value !== 'object') return value;
    const known = this.#made.get(value);
    if (known !== undefined) return known;
    if (this.#path.length > MAX_DEPTH)
      throw this.#error('LIMIT', `values are nested more than ${MAX_DEPTH} deep`);
    return this.#object(value);
  }

  #object(value: Exclude<PyValue, null | boolean | number | bigint | string>): Loaded {
    if (value instanceof Uint8Array) return this.#keep(value, value);
    if (Array.isArray(value)) return this.#list(value, value);
    if (value instanceof PyTuple) return this.#list(value, value.items);
    if (value instanceof PySet) return this.#set(value);
    if (value instanceof PyDict) return this.#dict(value);
    if (value instanceof TensorRef) return this.#keep(value, this.#tensor(value));
    if (value instanceof DTypeName) return value.shortName;
    if (value instanceof PyGlobal) return value.name;
    if (value instanceof NumpyArray && value.contents !== undefined)
      return this.value(value.contents);
    if (value instanceof Unsupported)
      throw this.#error('UNSUPPORTED', `${value.what} cannot be loaded. ${value.advice}`);
    if (value instanceof StorageRef)
      throw this.#error('UNSUPPORTED', 'a bare storage cannot be loaded. Save a tensor over it');
    if (value instanceof OpaqueObject)
      throw this.#error(
        'UNSUPPORTED',
        `an object of ${value.className} cannot be loaded. Save its state_dict() instead`,
      );
    if (value instanceof Buildable)
      throw this.#error('UNSUPPORTED', 'a NumPy object that is not an array cannot be loaded');
    throw this.#error('CORRUPT', 'an object of an unknown kind');
  }

  #list(key: object, items: readonly PyValue[]): Loaded {
    const list = this.#keep(key, new Array<Loaded>(items.length));
    items.forEach((item, i) => {
      list[i] = this.#under(i, item);
    });
    return list;
  }

  #set(value: PySet): Loaded {
    const set = this.#keep(value, new Set<Loaded>());
    for (const [i, item] of value.items.entries()) set.add(this.#under(i, item));
    return set;
  }

  #dict(value: PyDict): Loaded {
    const metadata = value.attributes?.entries.get('_metadata');
    if (metadata instanceof PyDict && isStateDict(value)) return this.#stateDict(value, metadata);
    const map = this.#keep(value, new Map<LoadedKey, Loaded>());
    for (const [pyKey, item] of value.entries) {
      const key = this.#key(pyKey);
      map.set(key, this.#under(key, item));
    }
    if (this.#options.stripPrefixes && isStateDict(value)) stripPrefixes(map);
    return map;
  }

  #stateDict(value: PyDict, metadata: PyDict): StateDict {
    const dict = this.#keep(value, new StateDict());
    for (const [key, item] of value.entries) {
      const tensor = this.#under(String(key), item);
      if (tensor instanceof Tensor) dict.set(String(key), tensor);
    }
    dict.metadata = new Map();
    for (const [module, facts] of metadata.entries) {
      if (typeof module !== 'string' || !(facts instanceof PyDict)) continue;
      const plain = [...facts.entries].map(([name, fact]) => [String(name), this.value(fact)]);
      dict.metadata.set(module, Object.fromEntries(plain));
    }
    if (this.#options.stripPrefixes) stripPrefixes(dict);
    return dict;
  }

  #key(key: PyValue): LoadedKey {
    if (key === null || typeof key !== 'object') return key;
    if (key instanceof PyGlobal) return key.name;
    throw this.#error('UNSUPPORTED', 'a dict whose keys are tuples or objects cannot be loaded');
  }

  #tensor({ storage, dtype, shape, strides, offset, requiresGrad }: TensorRef): Tensor {
    const { storages, device } = this.#options;
    const made = storages.get(storage, dtype);
    const tensor = new Tensor({ storage: made, device, shape, strides, offset });
    // Only floating point tensors can; a file that says so of another is ignored.
    if (requiresGrad && isFloat(dtype)) tensor.requiresGrad = true;
    return tensor;
  }

  #under(step: PathStep, value: PyValue): Loaded {
    this.#path.push(step);
    const result = this.value(value);
    this.#path.pop();
    return result;
  }

  #keep<T extends Loaded>(key: object, made: T): T {
    this.#made.set(key, made);
    return made;
  }

  #error(code: 'LIMIT' | 'UNSUPPORTED' | 'CORRUPT', text: string): CheckpointError {
    // A path of hundreds of steps says no more than its beginning.
    return new CheckpointError(code, text, { path: this.#path.slice(0, 8) });
  }
}

/** Whether every entry is a tensor under a text key, as in the state dict of a module. */
const isStateDict = ({ entries }: PyDict): boolean =>
  [...entries].every(
    ([key, value]) =>
      typeof key === 'string' && (value instanceof TensorRef || value instanceof Unsupported),
  );
