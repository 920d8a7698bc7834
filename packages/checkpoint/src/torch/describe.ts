// The names of everything in an unpickled value, before any tensor has its numbers.
//
// A container gets its name from the first path that leads to it, and is listed once: containers
// that are shared at every level would otherwise have names without end.

import { contiguousStrides, sameShape } from '@voxgrad/core';
import { bytesPer } from '../elements.js';
import { CheckpointError, type PathStep } from '../error.js';
import type { OutlineEntry, TensorInfo, Unreadable } from '../format.js';
import { MAX_DEPTH } from '../value.js';
import { moduleAdvice, stateDictOf } from './modules.js';
import { InertObject, type PyValue, type StorageRef, type TensorRef } from './values.js';
import { inWords, keyOf, type View, viewOf } from './view.js';

/** All names together; a state dict of ten thousand tensors has less than a megabyte. */
const MAX_NAME_CHARACTERS = 32 * 2 ** 20;

/** Tensors and left out entries, over all places. */
const MAX_LISTED = 200_000;

/** How much of the outermost dict or list an outline has. */
const MAX_OUTLINE = 1000;

/** Where the bytes of a storage are in the file. */
export interface StoragePlace {
  readonly entry?: string;
  /** First byte in the file; undefined if they are compressed or stand in a pickle. */
  readonly begin?: number;
}

export interface ListedTensor {
  readonly info: TensorInfo;
  /** Undefined for tensors that cannot be loaded. */
  readonly ref: TensorRef | undefined;
  /** Whether it is loaded only with `pickledModules`. */
  readonly inModule: boolean;
}

export class Description {
  readonly tensors: ListedTensor[] = [];
  readonly unreadable: Unreadable[] = [];
  readonly outline: OutlineEntry[] | undefined;
  /** The tensors of each pickled module by their key in its state dict. */
  readonly modules = new Map<InertObject, ReadonlyMap<string, PyValue>>();
  readonly #names = new Map<object, string>();
  readonly #placeOf: (storage: StorageRef) => StoragePlace;
  readonly #path: PathStep[] = [];
  #characters = 0;

  constructor(
    readonly value: PyValue,
    placeOf: (storage: StorageRef) => StoragePlace,
  ) {
    this.#placeOf = placeOf;
    this.outline = outlineOf(viewOf(value));
    this.#visit(value, '');
  }

  /** The name of what `container` holds under `key`. */
  nameIn(container: object, key: PathStep): string {
    const prefix = this.prefixOf(container);
    return prefix + String(key);
  }

  /** What the names of all that `container` holds begin with. */
  prefixOf(container: object): string {
    const name = this.#names.get(container) ?? '';
    return name === '' ? '' : `${name}.`;
  }

  #visit(value: PyValue, name: string): void {
    if (typeof value === 'object' && value !== null && this.#names.has(value)) return;
    const view = viewOf(value);
    if (view.kind === 'plain') return;
    if (view.kind === 'tensor') this.#tensor(view.tensor, name, false);
    else if (view.kind === 'unreadable') this.#leave(view, name);
    else if (typeof value === 'object' && value !== null) {
      this.#names.set(value, name);
      this.#container(value, view, name);
    }
  }

  #container(value: object, view: View, name: string): void {
    if (this.#path.length > MAX_DEPTH)
      throw new CheckpointError('LIMIT', `values are nested more than ${MAX_DEPTH} deep`, {
        path: this.#path.slice(0, 8),
      });
    if (view.kind === 'module' && value instanceof InertObject) this.#module(value, name);
    else if (view.kind === 'list' || view.kind === 'set')
      for (const [i, item] of view.items.entries()) this.#under(value, i, item);
    else if (view.kind === 'dict' || view.kind === 'state dict')
      for (const [key, item] of view.kind === 'dict' ? view.entries : view.dict.entries) {
        const step = keyOf(key);
        if (typeof key === 'object' && typeof step === 'string') this.#pay(step.length);
        if (step === undefined) {
          this.#checkCount();
          this.unreadable.push({ name: this.#named(value, '…'), unreadable: KEY_OF_NO_KIND });
        } else this.#under(value, step, item);
      }
  }

  #under(container: object, step: PathStep, item: PyValue): void {
    // Numbers and texts, most of what lists hold, need no name.
    if (item === null || typeof item !== 'object') return;
    this.#path.push(step);
    this.#visit(item, this.#named(container, step));
    this.#path.pop();
  }

  #named(container: object, step: PathStep): string {
    const name = this.nameIn(container, step);
    this.#pay(name.length);
    return name;
  }

  #pay(characters: number): void {
    this.#characters += characters;
    if (this.#characters > MAX_NAME_CHARACTERS)
      throw new CheckpointError('LIMIT', 'the names of the values take more than 32 MB');
  }

  /** One tensor can stand in a million places, at two bytes each. */
  #checkCount(): void {
    if (this.tensors.length + this.unreadable.length >= MAX_LISTED)
      throw new CheckpointError('LIMIT', `names more than ${MAX_LISTED} tensors`);
  }

  #module(module: InertObject, name: string): void {
    const { what, advice } = moduleAdvice(module);
    this.unreadable.push({ name, unreadable: `is ${what}. ${advice}` });
    const parts = stateDictOf(module);
    this.modules.set(module, parts);
    for (const [key, part] of parts) {
      const full = this.#named(module, key);
      const view = viewOf(part);
      if (view.kind === 'tensor') this.#tensor(view.tensor, full, true);
      else if (view.kind === 'unreadable') this.#leave(view, full);
    }
  }

  #tensor(ref: TensorRef, name: string, inModule: boolean): void {
    this.#checkCount();
    const { dtype, shape, strides, storage } = ref;
    const place = this.#placeOf(storage);
    const info: TensorInfo = {
      name,
      dtype,
      shape,
      ...(!isRowMajor(shape, strides) && { strides }),
      ...bytesOf(ref, place),
      ...(place.entry !== undefined && { entry: place.entry }),
    };
    this.tensors.push({ info, ref, inModule });
  }

  #leave(view: View & { kind: 'unreadable' }, name: string): void {
    this.#checkCount();
    const unreadable = `is ${view.what}, which cannot be loaded. ${view.advice}`;
    if (view.tensor !== undefined)
      this.tensors.push({
        info: { name, ...view.tensor, unreadable },
        ref: undefined,
        inModule: false,
      });
    else this.unreadable.push({ name, unreadable });
  }
}

export const KEY_OF_NO_KIND =
  'stands under a key that is an object or a long tuple, which has no counterpart';

/** Strides of dimensions that have one element say nothing. */
const isRowMajor = (shape: readonly number[], strides: readonly number[]): boolean =>
  shape.includes(0) ||
  sameShape(
    strides.filter((_, axis) => shape[axis] > 1),
    contiguousStrides(shape).filter((_, axis) => shape[axis] > 1),
  );

/** The span of a tensor in its storage, in elements: its first and the one after its last. */
export function spanOf({
  shape,
  strides,
  offset,
}: Pick<TensorRef, 'shape' | 'strides' | 'offset'>): readonly [number, number] {
  if (shape.includes(0)) return [0, 0];
  return [offset, shape.reduce((last, n, axis) => last + (n - 1) * strides[axis], offset) + 1];
}

function bytesOf(ref: TensorRef, { begin }: StoragePlace): Pick<TensorInfo, 'bytes'> {
  if (begin === undefined) return {};
  const unit = bytesPer(ref.element);
  const [first, end] = spanOf(ref);
  return { bytes: [begin + first * unit, begin + end * unit] };
}

function outlineOf(view: View): OutlineEntry[] | undefined {
  const entries =
    view.kind === 'dict'
      ? [...view.entries].map(([key, item]): [string, PyValue] => [String(keyOf(key) ?? '…'), item])
      : view.kind === 'list'
        ? view.items.map((item, i): [string, PyValue] => [String(i), item])
        : undefined;
  return entries
    ?.slice(0, MAX_OUTLINE)
    .map(([key, item]) => ({ key, holds: inWords(viewOf(item)) }));
}
