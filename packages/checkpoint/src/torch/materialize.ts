// From the unpickler's values to what a caller gets: dicts to Maps, storages to tensors.

import { isFloat, StateDict, Tensor } from '@voxgrad/core';
import { CheckpointError, type PathStep } from '../error.js';
import type { ReadOptions } from '../format.js';
import { stripPrefixes } from '../state-dict.js';
import { type Loaded, type LoadedKey, MAX_DEPTH } from '../value.js';
import { type Description, KEY_OF_NO_KIND } from './describe.js';
import { moduleAdvice } from './modules.js';
import type { Storages } from './storages.js';
import { PyDict, type PyValue, type TensorRef } from './values.js';
import { keyOf, type View, viewOf } from './view.js';

/** Stands for what is left out. */
const LEFT_OUT = Symbol('left out');
type Made = Loaded | typeof LEFT_OUT;

/** The loaded form of a file. What one object is in it (a shared tensor, say) is one here. */
export function materialize(
  description: Description,
  storages: Storages,
  options: ReadOptions,
): Loaded {
  return new Materializer(description, storages, options).root();
}

class Materializer {
  readonly #description: Description;
  readonly #storages: Storages;
  readonly #options: ReadOptions;
  /** Objects already made, so that shared ones stay shared and cycles end. */
  readonly #made = new Map<object, Loaded>();
  readonly #path: PathStep[] = [];

  constructor(description: Description, storages: Storages, options: ReadOptions) {
    this.#description = description;
    this.#storages = storages;
    this.#options = options;
  }

  /** The outermost value; nothing is left of the file if that has no counterpart. */
  root(): Loaded {
    const { value } = this.#description;
    const view = viewOf(value);
    if (view.kind === 'unreadable')
      throw new CheckpointError(
        view.code,
        `${view.what} cannot be loaded. ${view.advice}`,
        view.where,
      );
    if (view.kind === 'module' && !this.#options.pickledModules) {
      const { what, advice } = moduleAdvice(view.module);
      throw new CheckpointError('REFUSED', `is ${what}, not a state dict. ${advice}`);
    }
    const made = this.#value(value, '');
    return made === LEFT_OUT ? null : made;
  }

  /** `name` is that of a tensor or of what is left out; containers have names of their own. */
  #value(value: PyValue, name: string): Made {
    const view = viewOf(value);
    if (view.kind === 'plain') return view.value;
    if (view.kind === 'unreadable') return this.#leave(name, view);
    if (view.kind === 'tensor') return this.#tensor(view.tensor, name);
    if (typeof value !== 'object' || value === null) return LEFT_OUT;
    const known = this.#made.get(value);
    return known ?? this.#container(value, view, name);
  }

  #container(value: object, view: View, name: string): Made {
    if (this.#path.length > MAX_DEPTH)
      throw this.#error('LIMIT', `values are nested more than ${MAX_DEPTH} deep`);
    switch (view.kind) {
      case 'list':
        return this.#list(value, view.items);
      case 'set':
        return this.#set(value, view.items);
      case 'dict':
        return this.#map(value, view.entries);
      case 'state dict':
        return view.metadata === undefined
          ? this.#map(value, view.dict.entries, true)
          : this.#stateDict(value, view.dict.entries, view.metadata);
      case 'module': {
        const parts = this.#description.modules.get(view.module);
        if (this.#options.pickledModules && parts !== undefined)
          return this.#stateDict(value, parts, undefined);
        const { what, advice } = moduleAdvice(view.module);
        return this.#report(name, `is ${what}. ${advice}`);
      }
      default:
        return LEFT_OUT;
    }
  }

  #list(key: object, items: readonly PyValue[]): Loaded {
    const list = this.#keep(key, new Array<Loaded>(items.length));
    items.forEach((item, i) => {
      const made = this.#under(key, i, item);
      list[i] = made === LEFT_OUT ? null : made;
    });
    return list;
  }

  #set(key: object, items: readonly PyValue[]): Loaded {
    const set = this.#keep(key, new Set<Loaded>());
    for (const [i, item] of items.entries()) {
      const made = this.#under(key, i, item);
      if (made !== LEFT_OUT) set.add(made);
    }
    return set;
  }

  #map(key: object, entries: ReadonlyMap<PyValue, PyValue>, holdsTensors = false): Loaded {
    const map = this.#keep(key, new Map<LoadedKey, Loaded>());
    for (const [pyKey, item] of entries) {
      const step = keyOf(pyKey);
      if (step === undefined) {
        this.#report(this.#description.nameIn(key, '…'), KEY_OF_NO_KIND);
        continue;
      }
      if (typeof pyKey === 'object' && pyKey !== null && entries.has(step)) {
        this.#report(
          this.#description.nameIn(key, step),
          'stands under a key whose text is a key of its own',
        );
        continue;
      }
      const made = this.#under(key, step, item);
      if (made !== LEFT_OUT) map.set(step, made);
    }
    if (this.#options.stripPrefixes && holdsTensors) stripPrefixes(map);
    return map;
  }

  #stateDict(
    value: object,
    entries: ReadonlyMap<PyValue, PyValue>,
    metadata: PyDict | undefined,
  ): StateDict {
    const dict = this.#keep(value, new StateDict());
    for (const [key, item] of entries) {
      const made = this.#under(value, String(key), item);
      if (made instanceof Tensor) dict.set(String(key), made);
      else if (made !== LEFT_OUT)
        this.#report(
          this.#description.nameIn(value, String(key)),
          'is the extra state of a module, not a tensor, and has no place in a StateDict',
        );
    }
    if (metadata !== undefined) dict.metadata = this.#metadata(metadata);
    if (this.#options.stripPrefixes) stripPrefixes(dict);
    return dict;
  }

  #metadata(metadata: PyDict): NonNullable<StateDict['metadata']> {
    const made: NonNullable<StateDict['metadata']> = new Map();
    for (const [module, facts] of metadata.entries) {
      if (typeof module !== 'string' || !(facts instanceof PyDict)) continue;
      const plain: [string, Loaded][] = [];
      for (const [name, fact] of facts.entries) {
        const view = viewOf(fact);
        if (view.kind === 'plain') plain.push([String(keyOf(name)), view.value]);
      }
      made.set(module, Object.fromEntries(plain));
    }
    return made;
  }

  #tensor(ref: TensorRef, name: string): Made {
    if (!this.#options.wanted(name)) return LEFT_OUT;
    const known = this.#made.get(ref);
    if (known !== undefined) return known;
    const placed = this.#storages.get(ref);
    if (typeof placed === 'string') return this.#report(name, placed, ref);
    const { shape, strides, dtype } = ref;
    const { device } = this.#options;
    const { storage, offset } = placed;
    const tensor = new Tensor({ storage, device, shape, strides, offset });
    // Only floating point tensors can; a file that says so of another is ignored.
    if (ref.requiresGrad && isFloat(dtype)) tensor.requiresGrad = true;
    return this.#keep(ref, tensor);
  }

  #leave(name: string, { what, advice, tensor }: View & { kind: 'unreadable' }): Made {
    return this.#report(name, `is ${what}, which cannot be loaded. ${advice}`, tensor);
  }

  #report(
    name: string,
    unreadable: string,
    tensor?: { readonly dtype: string; readonly shape: readonly number[] },
  ): typeof LEFT_OUT {
    const { report, wanted } = this.#options;
    if (wanted(name))
      report({ name, ...(tensor && { dtype: tensor.dtype, shape: tensor.shape }), unreadable });
    return LEFT_OUT;
  }

  #under(container: object, step: PathStep, value: PyValue): Made {
    this.#path.push(step);
    const isObject = value !== null && typeof value === 'object';
    const made = this.#value(value, isObject ? this.#description.nameIn(container, step) : '');
    this.#path.pop();
    return made;
  }

  #keep<T extends Loaded>(key: object, made: T): T {
    this.#made.set(key, made);
    return made;
  }

  #error(code: 'LIMIT', text: string): CheckpointError {
    // A path of hundreds of steps says no more than its beginning.
    return new CheckpointError(code, text, { path: this.#path.slice(0, 8) });
  }
}
