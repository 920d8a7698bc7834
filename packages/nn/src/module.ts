import {
  argumentError,
  atSite,
  type DeviceLike,
  type DType,
  describe,
  instanceOfBrand,
  isDType,
  isFloat,
  type ModuleMetadata,
  StateDict,
  Tensor,
} from '@voxgrad/core';
import { join } from './key.js';
import { type LoadResult, loadInto } from './load-state-dict.js';
import { Parameter } from './parameter.js';

const BRAND = Symbol.for('voxgrad.nn.Module');

type Hook<F> = Set<F>;
export type ForwardPreHook = (
  module: Module,
  inputs: readonly unknown[],
) => readonly unknown[] | void;
export type ForwardHook = (module: Module, inputs: readonly unknown[], output: unknown) => unknown;

/** A tensor of a module: the property that holds it and its name in state dicts. */
export interface Member<T> {
  readonly property: string;
  readonly name: string;
  readonly value: T;
}

export interface RegisterBufferOptions {
  /** False keeps the buffer out of state dicts. */
  persistent?: boolean;
}

/**
 * Base of all networks and layers. Parameters, buffers and submodules are found as properties, in
 * the order in which they were assigned. Subclasses write `forward`; users run `call`, which also
 * runs hooks.
 */
export abstract class Module {
  readonly [BRAND] = true;
  /** Whether layers such as batch norm and dropout behave as in training. */
  training = true;
  /** Written to `_metadata` of state dicts; raised when the meaning of saved tensors changes. */
  get version(): number {
    return 1;
  }
  // Private names stay out of the enumeration of properties.
  readonly #buffers = new Map<string, { persistent: boolean }>();
  readonly #preHooks: Hook<ForwardPreHook> = new Set();
  readonly #hooks: Hook<ForwardHook> = new Set();

  static [Symbol.hasInstance](value: unknown): boolean {
    return instanceOfBrand(this, Module, BRAND, value);
  }

  abstract forward(...inputs: never[]): unknown;

  /** Runs the module: pre-hooks, `forward`, hooks. */
  call<A extends unknown[], R>(this: { forward(...inputs: A): R } & Module, ...inputs: A): R {
    let args: readonly unknown[] = inputs;
    for (const hook of this.#preHooks) args = hook(this, args) ?? args;
    const forward = this.forward as (...all: readonly unknown[]) => unknown;
    let output = atSite(this, () => forward.apply(this, args as unknown[]));
    for (const hook of this.#hooks) output = hook(this, args, output) ?? output;
    return output as R;
  }

  /** `hook(module, inputs)` runs before `forward` and may return other inputs. */
  registerForwardPreHook(hook: ForwardPreHook): { remove(): void } {
    this.#preHooks.add(hook);
    return { remove: () => this.#preHooks.delete(hook) };
  }

  /** `hook(module, inputs, output)` runs after `forward` and may return another output. */
  registerForwardHook(hook: ForwardHook): { remove(): void } {
    this.#hooks.add(hook);
    return { remove: () => this.#hooks.delete(hook) };
  }

  /** A tensor that belongs to the state but is not learnt, readable as a property of that name. */
  registerBuffer(name: string, tensor: Tensor | null, options: RegisterBufferOptions = {}): void {
    if (name === '' || name.includes('.'))
      throw argumentError(
        `registerBuffer(): a buffer's name must not be empty or hold a dot, but got ${describe(name)}`,
      );
    this.#buffers.set(name, { persistent: options.persistent ?? true });
    Object.assign(this, { [name]: tensor });
  }

  // ---- what the module holds ----

  /** Name in state dicts of a property; layers with PyTorch's snake_case keys override it. */
  stateName(property: string): string {
    return property;
  }

  /** Parameters of this module alone. */
  ownParameters(): Member<Parameter>[] {
    return Object.entries(this).flatMap(([property, value]) =>
      value instanceof Parameter && !this.#buffers.has(property)
        ? [this.#member(property, value)]
        : [],
    );
  }

  /** Buffers of this module alone. */
  ownBuffers(): (Member<Tensor> & { readonly persistent: boolean })[] {
    return Object.entries(this).flatMap(([property, value]) => {
      const buffer = this.#buffers.get(property);
      return buffer && value instanceof Tensor
        ? [{ ...this.#member(property, value), ...buffer }]
        : [];
    });
  }

  /** What this module alone puts into a state dict: parameters, then persistent buffers. */
  ownState(): Member<Tensor>[] {
    return [...this.ownParameters(), ...this.ownBuffers().filter((buffer) => buffer.persistent)];
  }

  #member<T>(property: string, value: T): Member<T> {
    return { property, name: this.stateName(property), value };
  }

  namedChildren(): [string, Module][] {
    return Object.entries(this).flatMap(([name, value]): [string, Module][] =>
      value instanceof Module ? [[name, value]] : [],
    );
  }

  children(): Module[] {
    return this.namedChildren().map(([, child]) => child);
  }

  /** This module ('' by name) and all below it, each once. */
  namedModules(prefix = '', seen: Set<Module> = new Set()): [string, Module][] {
    if (seen.has(this)) return [];
    seen.add(this);
    const below = this.namedChildren().flatMap(([name, child]) =>
      child.namedModules(join(prefix, name), seen),
    );
    return [[prefix, this], ...below];
  }

  modules(): Module[] {
    return this.namedModules().map(([, module]) => module);
  }

  /** Every parameter once (shared ones under their first name), with its dotted name. */
  namedParameters(): [string, Parameter][] {
    return this.#collect((module) => module.ownParameters());
  }

  parameters(): Parameter[] {
    return this.namedParameters().map(([, parameter]) => parameter);
  }

  namedBuffers(): [string, Tensor][] {
    return this.#collect((module) => module.ownBuffers());
  }

  buffers(): Tensor[] {
    return this.namedBuffers().map(([, buffer]) => buffer);
  }

  #collect<T>(own: (module: Module) => readonly Member<T>[]): [string, T][] {
    const seen = new Set<T>();
    return this.namedModules().flatMap(([prefix, module]) =>
      own(module).flatMap(({ name, value }): [string, T][] => {
        if (seen.has(value)) return [];
        seen.add(value);
        return [[join(prefix, name), value]];
      }),
    );
  }

  // ---- modes and movement ----

  train(mode = true): this {
    for (const module of this.modules()) module.training = mode;
    return this;
  }

  eval(): this {
    return this.train(false);
  }

  /** Sets every parameter's gradient to null. */
  zeroGrad(): void {
    for (const parameter of this.parameters()) parameter.grad = null;
  }

  /** Sets `requiresGrad` of every parameter. */
  requiresGrad_(value = true): this {
    for (const parameter of this.parameters()) parameter.requiresGrad = value;
    return this;
  }

  /** Calls `fn` on every module below, then on this one. */
  apply(fn: (module: Module) => void): this {
    for (const child of this.children()) child.apply(fn);
    fn(this);
    return this;
  }

  /**
   * Converts floating parameters and buffers to a dtype, or moves all of them to a device. The
   * tensors are replaced: make optimizers afterwards.
   */
  to(target: DType | DeviceLike): this {
    if (isDType(target) && !isFloat(target))
      throw argumentError(
        `Module.to only accepts floating point dtypes, but got desired dtype=${target}`,
      );
    const convert = (x: Tensor) =>
      isDType(target) && !isFloat(x.dtype) ? x : x.detach().to(target);
    const done = new Map<Tensor, Tensor>();
    const once = (x: Tensor, make: () => Tensor) => {
      const known = done.get(x) ?? make();
      done.set(x, known);
      return known;
    };
    for (const module of this.modules()) {
      for (const { property, value: p } of module.ownParameters())
        Object.assign(module, {
          [property]: once(p, () => new Parameter(convert(p), { requiresGrad: p.requiresGrad })),
        });
      for (const { property, value: b } of module.ownBuffers())
        Object.assign(module, { [property]: once(b, () => convert(b)) });
    }
    return this;
  }

  // ---- state ----

  /** Parameters and persistent buffers under PyTorch's keys, sharing storage with the module. */
  stateDict(): StateDict {
    const state = new StateDict();
    const metadata = new Map<string, ModuleMetadata>();
    this.#addState('', state, metadata);
    state.metadata = metadata;
    return state;
  }

  #addState(prefix: string, state: StateDict, metadata: Map<string, ModuleMetadata>): void {
    metadata.set(prefix, { version: this.version });
    for (const { name, value } of this.ownState()) state.set(join(prefix, name), value.detach());
    for (const [name, child] of this.namedChildren())
      child.#addState(join(prefix, name), state, metadata);
  }

  /**
   * Copies the tensors of `state` into this module (converting dtype and device). With `strict`,
   * the default, keys must match exactly; a size mismatch is always an error. Nothing is written
   * unless everything fits.
   */
  loadStateDict(
    state: StateDict | Map<string, Tensor>,
    options: { strict?: boolean } = {},
  ): LoadResult {
    return loadInto(this, state, options.strict ?? true);
  }

  /** Changes saved entries of an older version before they are loaded; see batch norm. */
  upgradeState(_state: Map<string, Tensor>, _prefix: string, _version: number | undefined): void {}

  /** Arguments as PyTorch prints them, for `toString`. */
  extraRepr(): string {
    return '';
  }

  toString(): string {
    const inside = this.namedChildren().map(
      ([name, child]) => `  (${name}): ${child.toString().replaceAll('\n', '\n  ')}`,
    );
    const name = this.constructor.name;
    if (inside.length === 0) return `${name}(${this.extraRepr()})`;
    return `${name}(\n${inside.join('\n')}\n)`;
  }
}
