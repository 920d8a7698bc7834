// Modules and parameters under names that are not properties: any name is free, and the order is
// that of insertion also where names look like numbers.

import {
  argumentError,
  budgetReached,
  bytesPerElement,
  checkArguments,
  describe,
  mayRecompute,
  partEnd,
  recomputable,
  Tensor,
  usedUp,
} from '@voxgrad/core';
import { keepsNothing } from '../keeps-nothing.js';
import { Module } from '../module.js';

/** A module from one tensor to one tensor, as most layers are. */
export type TensorModule = Module & { forward(x: Tensor): Tensor };

/** A module whose children lie in a map; properties that a subclass assigns come after them. */
abstract class Container extends Module {
  readonly #modules = new Map<string, Module>();

  override namedChildren(): [string, Module][] {
    return [...this.#modules, ...super.namedChildren()];
  }

  /** Adds or replaces a child. */
  protected put(name: string, module: Module): void {
    if (!(module instanceof Module))
      throw argumentError(
        `${this.constructor.name}: expected a Module, but got ${describe(module)}`,
      );
    if (name === '') throw argumentError('module name can\'t be empty string ""');
    if (name.includes('.')) throw argumentError('module name can\'t contain "."');
    this.#modules.set(name, module);
  }

  protected take(name: string): Module | undefined {
    const module = this.#modules.get(name);
    this.#modules.delete(name);
    return module;
  }

  override addModule(name: string, module: Module | null): void {
    if (module === null) super.addModule(name, module);
    else this.put(name, module);
  }

  /** Number of modules. */
  get length(): number {
    return this.children().length;
  }

  [Symbol.iterator](): Iterator<Module> {
    return this.children()[Symbol.iterator]();
  }
}

/** A container whose names are '0', '1', … */
abstract class IndexedContainer extends Container {
  /** Adds a module at the end. */
  append(module: Module): this {
    this.put(String(this.length), module);
    return this;
  }

  /** Adds modules at the end. */
  extend(modules: Iterable<Module>): this {
    requireIterable(this, 'modules', modules);
    for (const module of modules) this.append(module);
    return this;
  }

  /** Puts a module before position `index`. */
  insert(index: number, module: Module): this {
    const modules = this.children();
    const names = this.namedChildren().map(([name]) => name);
    modules.splice(index, 0, module);
    for (const name of names) this.take(name);
    return this.extend(modules);
  }

  #nameAt(index: number): string {
    const name = this.namedChildren()
      .map(([known]) => known)
      .at(index);
    if (name === undefined)
      throw argumentError(`index ${index} is out of range for ${this.length} modules`);
    return name;
  }

  /** The module at `index`; negative counts from the end. */
  at(index: number): Module {
    return this.getSubmodule(this.#nameAt(index));
  }

  /** Replaces the module at `index`. */
  set(index: number, module: Module): this {
    this.put(this.#nameAt(index), module);
    return this;
  }
}

/** Whether `layer` and all layers in it keep no tensor of a call. */
const isPlain = (layer: Module): boolean =>
  layer instanceof Sequential && layer.constructor === Sequential
    ? !layer.isWatched && !Object.hasOwn(layer, 'forward') && layer.children().every(isPlain)
    : keepsNothing(layer);

/**
 * Modules run one after another. Their names are '0', '1', … as in PyTorch, or those of a map
 * (PyTorch's OrderedDict).
 */
export class Sequential<X = Tensor, Y = Tensor> extends IndexedContainer {
  constructor(...modules: Module[] | [ReadonlyMap<string, Module>]) {
    super();
    for (const entry of modules)
      if (entry instanceof Map) for (const [name, module] of entry) this.put(name, module);
      else this.append(entry as Module);
  }

  override get isWhole(): boolean {
    return false;
  }

  forward(x: X): Y {
    const layers = this.children() as unknown as Layer[];
    // Between layers that keep nothing, nobody sees the tensors, and they need not wait for a collector.
    const plain = this.children().every(isPlain);
    if (!mayRecompute()) return runLayers(layers, 0, x, plain).value as Y;
    let [at, value] = [0, x as unknown];
    while (at < layers.length) {
      if (!budgetReached()) {
        ({ at, value } = runLayers(layers, at, value, plain, budgetReached));
        continue;
      }
      const from = at;
      let to: number | undefined;
      value = recomputable((input: unknown) => {
        // The first run finds out where the part ends, and the second one ends there.
        const ends = partEnd(layers.length, bytesOf(input));
        const stop = (done: number) => (to === undefined ? ends(done) : from + done === to);
        const part = runLayers(layers, from, input, plain, stop);
        to = part.at;
        return part.value;
      }, value);
      at = to ?? layers.length;
    }
    return value as Y;
  }
}

const bytesOf = (x: unknown): number =>
  x instanceof Tensor ? x.numel * bytesPerElement(x.dtype) : 0;

interface Layer {
  call(value: unknown): unknown;
}

/** Runs layers from number `from` on until there are none, or `stop` says so of how many have run. */
function runLayers(
  layers: readonly Layer[],
  from: number,
  x: unknown,
  plain: boolean,
  stop: (done: number) => boolean = () => false,
): { value: unknown; at: number } {
  let value = x;
  let own = false;
  for (let at = from; at < layers.length; at++) {
    const fused = withRelu(layers[at], layers[at + 1], value);
    const next = fused ?? layers[at].call(value);
    if (fused) at++;
    if (
      plain &&
      value instanceof Tensor &&
      next instanceof Tensor &&
      next.storage !== value.storage
    ) {
      if (own) usedUp(value);
      own = true;
    }
    value = next;
    if (stop(at + 1 - from)) return { value, at: at + 1 };
  }
  return { value, at: layers.length };
}

/** A layer that can take a ReLU along. Asked for what it can, so that a container brings no layers along. */
interface TakesRelu {
  fusesRelu(x: unknown): boolean;
  callWithRelu(x: unknown): Tensor;
}

const takesRelu = (layer: unknown): layer is Module & TakesRelu =>
  layer instanceof Module && 'callWithRelu' in layer;

/** What a batch norm and the ReLU after it make of `x`, if they run as one and nobody looks between. */
function withRelu(layer: Layer, after: Layer | undefined, x: unknown): Tensor | null {
  if (!(takesRelu(layer) && after instanceof Module)) return null;
  if (!Object.hasOwn(after.constructor, 'isRelu')) return null;
  const unwatched = keepsNothing(layer) && keepsNothing(after);
  return unwatched && layer.fusesRelu(x) ? layer.callWithRelu(x) : null;
}

/** Modules in a list, for a `forward` of one's own. */
export class ModuleList<M extends Module = TensorModule> extends IndexedContainer {
  constructor(modules: Iterable<M> = [], ...surplus: never[]) {
    checkArguments(new.target.name, 'modules', [modules, ...surplus]);
    super();
    this.extend(modules);
  }

  override at(index: number): M {
    return super.at(index) as M;
  }

  override [Symbol.iterator](): Iterator<M> {
    return super[Symbol.iterator]() as Iterator<M>;
  }

  forward(): never {
    throw notCallable(this);
  }
}

type ModuleEntries = Readonly<Record<string, Module>> | Iterable<readonly [string, Module]>;

/** Modules by name, for a `forward` of one's own. */
export class ModuleDict<M extends Module = TensorModule> extends Container {
  constructor(modules: ModuleEntries = {}, ...surplus: never[]) {
    checkArguments(new.target.name, 'modules', [modules, ...surplus]);
    super();
    this.update(modules);
  }

  /** Adds or replaces modules. */
  update(modules: ModuleEntries): this {
    requireEntries(this, 'modules', modules);
    const entries =
      Symbol.iterator in modules
        ? (modules as Iterable<readonly [string, Module]>)
        : Object.entries(modules);
    for (const [name, module] of entries) this.put(name, module);
    return this;
  }

  get(name: string): M {
    return this.getSubmodule(name) as M;
  }

  set(name: string, module: Module): this {
    this.put(name, module);
    return this;
  }

  has(name: string): boolean {
    return this.keys().includes(name);
  }

  /** Takes a module out and returns it. */
  pop(name: string): M {
    const module = this.get(name);
    this.take(name);
    return module;
  }

  clear(): void {
    for (const name of this.keys()) this.take(name);
  }

  keys(): string[] {
    return this.entries().map(([name]) => name);
  }

  values(): M[] {
    return this.children() as M[];
  }

  entries(): [string, M][] {
    return this.namedChildren() as [string, M][];
  }

  forward(): never {
    throw notCallable(this);
  }
}

const isPair = (value: unknown): boolean => Array.isArray(value) && value.length === 2;

/** Throws unless `value` can be gone through. */
export function requireIterable(owner: Module, name: string, value: unknown): void {
  if (typeof value !== 'object' || value === null || !(Symbol.iterator in value))
    throw argumentError(
      `${owner.constructor.name}(): expected a list of ${name}, but got ${describe(value)}`,
    );
}

/** Throws unless `value` is an object or iterable of named entries. */
export function requireEntries(owner: Module, name: string, value: unknown): void {
  if (typeof value !== 'object' || value === null || (Array.isArray(value) && !value.every(isPair)))
    throw argumentError(
      `${owner.constructor.name}(): expected ${name} by name, but got ${describe(value)}`,
    );
}

export const notCallable = (module: Module) =>
  argumentError(`Module [${module.constructor.name}] is missing the required "forward" function`);
