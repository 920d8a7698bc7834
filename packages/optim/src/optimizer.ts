import { checkOptions, instanceOfBrand, Tensor, zerosLike } from '@voxgrad/core';
import {
  completeGroup,
  groupsOf,
  type ParamGroup,
  type ParamGroupInput,
  type Params,
} from './groups.js';
import type { Defaults } from './options.js';
import { type OptimizerState, packState, type StateRules, unpackState } from './state-dict.js';

const BRAND = Symbol.for('voxgrad.Optimizer');

/** What an optimizer remembers of one parameter, under PyTorch's names. */
export type ParamState = Record<string, unknown>;

/** The options of an optimizer of which no more is known: every one has a learning rate. */
export interface AnyOptions {
  lr: number;
}

/** Parameter groups with their options, what is remembered of each parameter, and state dicts. */
export abstract class Optimizer<O extends object = AnyOptions> {
  readonly [BRAND] = true;
  readonly paramGroups: ParamGroup<O>[] = [];
  readonly state = new Map<Tensor, ParamState>();
  /** Steps since the last scheduler was made; schedulers warn when it is still 0. */
  stepCount = 0;
  /** Names in a loaded state that our spelling would not give back, such as `myKey`. */
  readonly #foreignNames = new Map<string, string>();

  constructor(
    params: Params<O>,
    readonly defaults: Readonly<Defaults<O>>,
  ) {
    for (const group of groupsOf(params)) this.addParamGroup(group);
  }

  static [Symbol.hasInstance](value: unknown): boolean {
    return instanceOfBrand(this, Optimizer, BRAND, value);
  }

  /** Throws on a value outside its range. */
  protected abstract checkOptions(options: O): void;

  /** How the state of a parameter looks in a state dict. */
  protected readonly stateRules: StateRules = {};

  /** One update. With a closure, which computes the loss and its gradients, returns the loss. */
  abstract step(closure?: undefined): null;
  abstract step<T>(closure: () => T): T;

  /** Adds parameters, with options where they differ from the defaults. */
  addParamGroup(input: ParamGroupInput<O>): void {
    const taken = new Set(this.paramGroups.flatMap((group) => group.params));
    const group = completeGroup(input, this.defaults, taken);
    this.checkOptions(group);
    this.paramGroups.push(group);
  }

  /** Forgets all gradients, or fills them with zeros. */
  zeroGrad(options: { setToNull?: boolean } = {}): void {
    checkOptions('zeroGrad', options, ['setToNull']);
    for (const { params } of this.paramGroups)
      for (const p of params)
        if (p.grad !== null) p.grad = options.setToNull === false ? zerosLike(p.grad) : null;
  }

  /** State in PyTorch's layout and key names. Tensors are shared with the optimizer. */
  stateDict(): OptimizerState {
    return packState(this.paramGroups, this.state, this.stateRules, this.#foreignNames);
  }

  /**
   * Takes over a state of `stateDict()` or of PyTorch, with Maps or plain objects for dicts. The
   * options of the groups become those of the state; tensors are copied, in the dtype and on the
   * device of their parameter. Nothing changes when anything does not fit. Counters are read at once:
   * where the default device cannot be read synchronously, load the file with `device: 'cpu'`.
   */
  loadStateDict(dict: OptimizerState | Map<unknown, unknown> | object): void {
    const loaded = unpackState(dict, this.paramGroups, this.stateRules);
    this.state.clear();
    for (const [parameter, state] of loaded.state) this.state.set(parameter, state);
    for (const [ours, name] of loaded.foreignNames) this.#foreignNames.set(ours, name);
    this.paramGroups.forEach((group, i) => {
      Object.assign(group, loaded.options[i]);
    });
  }

  toString(): string {
    const groups = this.paramGroups.map(({ params: _, ...options }, i) => {
      const lines = Object.entries(options)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, value]) => `    ${name}: ${String(value)}\n`);
      return `Parameter Group ${i}\n${lines.join('')}`;
    });
    return `${this.constructor.name} (\n${groups.join('\n')})`;
  }
}

/** The tensor `key` of a state, made with `value` in every element when it is first asked for. */
export function momentOf(state: ParamState, key: string, like: Tensor, value = 0): Tensor {
  const known = state[key];
  if (known instanceof Tensor) return known;
  const fresh = Tensor.filled(like.shape, value, like.dtype, like.device);
  state[key] = fresh;
  return fresh;
}

/** Lets what is remembered outlive the scope in which a step was made. */
export function keepState(state: ParamState): void {
  for (const value of Object.values(state).flat()) if (value instanceof Tensor) value.keep();
}

/** The number `key` of a state, `initial` where there is none yet. */
export function numberOf(state: ParamState, key: string, initial: number): number {
  const known = state[key];
  return typeof known === 'number' ? known : initial;
}

/** Counts one more step of a parameter, and says which it is: 1, 2, … */
export function countStep(state: ParamState): number {
  const step = numberOf(state, 'step', 0) + 1;
  state.step = step;
  return step;
}
