import {
  argumentError,
  asPart,
  atSite,
  checkArguments,
  checkOptions,
  type DeviceLike,
  type DType,
  describe,
  instanceOfBrand,
  type ModuleMetadata,
  mayRecompute,
  type OptionTable,
  optionalTensors,
  requireFunction,
  StateDict,
  Tensor,
  unseen,
} from '@voxgrad/core';
import { type BackwardHook, withBackwardHooks } from './backward-hook.js';
import { keepsNothing } from './keeps-nothing.js';
import { join } from './key.js';
import { type LoadResult, loadInto } from './load-state-dict.js';
import { memberAt, submoduleAt } from './lookup.js';
import { convertTensors } from './move.js';
import { Parameter } from './parameter.js';

const BRAND = Symbol.for('voxgrad.nn.Module');

type Hook<F> = Set<F>;
/** Sees the inputs of a call, and may return others in their place. */
export type ForwardPreHook = (
  module: Module,
  inputs: readonly unknown[],
) => readonly unknown[] | void;
/** Sees inputs and output of a call, and may return another output in its place. */
export type ForwardHook = (module: Module, inputs: readonly unknown[], output: unknown) => unknown;

/** May change the lists of keys, which a strict load goes by afterwards. */
export type LoadStateDictPostHook = (module: Module, keys: LoadResult) => void;

export type { BackwardHook } from './backward-hook.js';

/** Which of a module's tensors to name, and how. */
export interface NamedOptions {
  /** Put before every name. */
  prefix?: string;
  /** False leaves out the modules below. */
  recurse?: boolean;
}

const NAMED: OptionTable<NamedOptions> = { prefix: true, recurse: true };

/** A tensor of a module: the property that holds it and its name in state dicts. */
export interface Member<T> {
  readonly property: string;
  readonly name: string;
  readonly value: T;
}

/** Options of {@link Module.registerBuffer}. */
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
  readonly #backwardHooks: Hook<BackwardHook> = new Set();
  readonly #loadHooks: Hook<LoadStateDictPostHook> = new Set();

  /** Takes nothing, and says so: layers without options leave their arguments to this one. */
  constructor(...surplus: never[]) {
    checkArguments(new.target.name, '', surplus);
  }

  static [Symbol.hasInstance](value: unknown): boolean {
    return instanceOfBrand(this, Module, BRAND, value);
  }

  abstract forward(...inputs: never[]): unknown;

  /** Internal: whether a memory budget takes the module as one part; those that part themselves say no. */
  get isWhole(): boolean {
    return true;
  }

  /** Internal: whether somebody else than `forward` sees what goes in and out of `call`. */
  get isWatched(): boolean {
    return this.#preHooks.size + this.#hooks.size + this.#backwardHooks.size > 0;
  }

  /** Runs the module: pre-hooks, `forward`, hooks. */
  call<A extends unknown[], R>(this: { forward(...inputs: A): R } & Module, ...inputs: A): R {
    let args: readonly unknown[] = inputs;
    for (const hook of this.#preHooks) args = hook(this, args) ?? args;
    const forward = this.forward as (...all: readonly unknown[]) => unknown;
    if (typeof forward !== 'function')
      throw argumentError(
        `Module [${this.constructor.name}] is missing the required "forward" function`,
      );
    const run = (given: readonly unknown[]) => {
      // Beyond a memory budget, a module of several layers is computed again in backward.
      const compute = () =>
        atSite(this, () =>
          mayRecompute()
            ? asPart(
                this.isWhole && this.children().length > 0,
                (...inputs: unknown[]) => forward.apply(this, inputs),
                [...given],
              )
            : forward.apply(this, given as unknown[]),
        );
      // What a layer of the library makes on the way need not wait for a collector.
      let output = keepsNothing(this) ? unseen(compute) : compute();
      for (const hook of this.#hooks) output = hook(this, given, output) ?? output;
      return output;
    };
    if (this.#backwardHooks.size === 0) return run(args) as R;
    return withBackwardHooks(this, [...this.#backwardHooks], args, run) as R;
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

  /**
   * `hook(module, gradInput, gradOutput)` runs in backward, once the gradients of the module's
   * inputs are known, and may return others for them.
   */
  registerFullBackwardHook(hook: BackwardHook): { remove(): void } {
    this.#backwardHooks.add(hook);
    return { remove: () => this.#backwardHooks.delete(hook) };
  }

  /**
   * `hook(module, { missingKeys, unexpectedKeys })` runs after a state dict was loaded into this
   * module or one above it, and may take keys off the lists so that `strict` does not mind them.
   */
  registerLoadStateDictPostHook(hook: LoadStateDictPostHook): { remove(): void } {
    this.#loadHooks.add(hook);
    return { remove: () => this.#loadHooks.delete(hook) };
  }

  /** Internal: the hooks of {@link registerLoadStateDictPostHook}. */
  loadHooks(): readonly LoadStateDictPostHook[] {
    return [...this.#loadHooks];
  }

  /** A tensor that belongs to the state but is not learnt, readable as a property of that name. */
  registerBuffer(name: string, tensor: Tensor | null, options: RegisterBufferOptions = {}): void {
    checkOptions('registerBuffer', options, ['persistent']);
    optionalTensors('registerBuffer', { tensor });
    if (name === '' || name.includes('.'))
      throw argumentError(
        `registerBuffer(): a buffer's name must not be empty or hold a dot, but got ${describe(name)}`,
      );
    if (name in this && !this.#buffers.has(name))
      throw argumentError(`registerBuffer(): attribute '${name}' already exists`);
    this.#buffers.set(name, { persistent: options.persistent ?? true });
    Object.assign(this, { [name]: tensor });
  }

  /** A learnt tensor under `name`, for names that are computed; otherwise assign a property. */
  registerParameter(name: string, parameter: Parameter | null): void {
    this.#checkNewName('parameter', name, Parameter);
    if (parameter !== null && !(parameter instanceof Parameter))
      throw argumentError(
        `cannot assign '${describe(parameter)}' object to parameter '${name}' (torch.nn.Parameter or None required)`,
      );
    Object.assign(this, { [name]: parameter });
  }

  /** A submodule under `name`, for names that are computed; otherwise assign a property. */
  addModule(name: string, module: Module | null): void {
    this.#checkNewName('module', name, Module);
    if (module !== null && !(module instanceof Module))
      throw argumentError(`${describe(module)} is not a Module subclass`);
    Object.assign(this, { [name]: module });
  }

  /** See {@link addModule}. */
  registerModule(name: string, module: Module | null): void {
    this.addModule(name, module);
  }

  /** One of the same kind may be replaced, any other property not. */
  #checkNewName(
    kind: 'parameter' | 'module',
    name: string,
    type: typeof Parameter | typeof Module,
  ): void {
    if (name === '') throw argumentError(`${kind} name can't be empty string ""`);
    if (name.includes('.')) throw argumentError(`${kind} name can't contain "."`);
    if (name in this && !(Reflect.get(this, name) instanceof type))
      throw argumentError(`attribute '${name}' already exists`);
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
      value instanceof Module ? [[this.stateName(name), value]] : [],
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
  namedParameters(options: NamedOptions = {}): [string, Parameter][] {
    checkOptions('namedParameters', options, NAMED);
    return this.#collect((module) => module.ownParameters(), options);
  }

  parameters(options: Pick<NamedOptions, 'recurse'> = {}): Parameter[] {
    return this.namedParameters(options).map(([, parameter]) => parameter);
  }

  namedBuffers(options: NamedOptions = {}): [string, Tensor][] {
    checkOptions('namedBuffers', options, NAMED);
    return this.#collect((module) => module.ownBuffers(), options);
  }

  buffers(options: Pick<NamedOptions, 'recurse'> = {}): Tensor[] {
    return this.namedBuffers(options).map(([, buffer]) => buffer);
  }

  #collect<T>(
    own: (module: Module) => readonly Member<T>[],
    { prefix = '', recurse = true }: NamedOptions,
  ): [string, T][] {
    const seen = new Set<T>();
    const modules: [string, Module][] = recurse ? this.namedModules(prefix) : [[prefix, this]];
    return modules.flatMap(([path, module]) =>
      own(module).flatMap(({ name, value }): [string, T][] => {
        if (seen.has(value)) return [];
        seen.add(value);
        return [[join(path, name), value]];
      }),
    );
  }

  /** The module at a dotted path; '' is this one. */
  getSubmodule(target: string): Module {
    return submoduleAt(this, target);
  }

  /** The parameter at a dotted path, with the names of the state dict. */
  getParameter(target: string): Parameter {
    return memberAt(this, target, 'an nn.Parameter', (module) => module.ownParameters());
  }

  /** The buffer at a dotted path, with the names of the state dict. */
  getBuffer(target: string): Tensor {
    return memberAt(this, target, 'a buffer', (module) => module.ownBuffers());
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

  /** Calls `fn` on every module below (on one that a module holds twice, once), then on this one. */
  apply(fn: (module: Module) => void): this {
    requireFunction('apply', 'fn', fn);
    for (const child of new Set(this.children())) child.apply(fn);
    fn(this);
    return this;
  }

  /**
   * Converts floating parameters and buffers to a dtype, or moves all of them to a device. The
   * tensors are replaced: make optimizers afterwards.
   */
  to(target: DType | DeviceLike): this {
    convertTensors(this, target);
    return this;
  }

  /** Puts another tensor in the place of a member; containers that hold none as property override it. */
  replaceMember(property: string, tensor: Tensor): void {
    Object.assign(this, { [property]: tensor });
  }

  /** Floating parameters and buffers as float64. */
  double(): this {
    return this.to('float64');
  }

  /** Floating parameters and buffers as float32. */
  float(): this {
    return this.to('float32');
  }

  /** Floating parameters and buffers as float16. */
  half(): this {
    return this.to('float16');
  }

  /** Floating parameters and buffers as bfloat16. */
  bfloat16(): this {
    return this.to('bfloat16');
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
    checkOptions('loadStateDict', options, ['strict']);
    return loadInto(this, state, options.strict ?? true);
  }

  /** Changes saved entries of an older version before they are loaded; see batch norm. */
  upgradeState(_state: Map<string, Tensor>, _prefix: string, _version: number | undefined): void {}

  /** Arguments as PyTorch prints them, for `toString`. */
  extraRepr(): string {
    return '';
  }

  toString(): string {
    const own = this.extraRepr();
    const inside = this.namedChildren().map(
      ([name, child]) => `(${name}): ${child.toString().replaceAll('\n', '\n  ')}`,
    );
    const name = this.constructor.name;
    if (inside.length === 0 && !own.includes('\n')) return `${name}(${own})`;
    const lines = [...(own === '' ? [] : own.split('\n')), ...inside];
    return `${name}(\n  ${lines.join('\n  ')}\n)`;
  }
}
