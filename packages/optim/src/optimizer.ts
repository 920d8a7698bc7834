import { argumentError, autogradError, describe, noGrad, Tensor, zerosLike } from '@voxgrad/core';

/** A list of parameters with its own options; the rest comes from the optimizer's defaults. */
export type ParamGroupInput<O> = Partial<O> & { params: readonly Tensor[] };
export type ParamGroup<O> = O & { params: Tensor[] };

/** What an optimizer remembers of one parameter, under PyTorch's names. */
export type ParamState = Record<string, Tensor | number | null>;

/** PyTorch's layout: parameters are numbered across groups, in order. */
export interface OptimizerState {
  state: Map<number, ParamState>;
  param_groups: Record<string, unknown>[];
}

/** Checks an option: `valid` or an error in PyTorch's words. */
export function checkOption(what: string, value: number, valid: boolean): void {
  if (!valid || Number.isNaN(value)) throw argumentError(`Invalid ${what}: ${value}`);
}

/** Options shared by all groups of one optimizer. `names` maps them to PyTorch's keys. */
export abstract class Optimizer<O extends object> {
  readonly paramGroups: ParamGroup<O>[];
  readonly state = new Map<Tensor, ParamState>();

  constructor(
    params: readonly Tensor[] | readonly ParamGroupInput<O>[],
    readonly defaults: O,
  ) {
    const list = [...params];
    if (list.length === 0) throw argumentError('optimizer got an empty parameter list');
    const tensors = list.filter((item): item is Tensor => item instanceof Tensor);
    const groups = list.filter((item): item is ParamGroupInput<O> => !(item instanceof Tensor));
    if (tensors.length > 0 && groups.length > 0)
      throw argumentError(
        'an optimizer takes either tensors or groups { params: tensors, … }, not both',
      );
    this.paramGroups =
      tensors.length > 0
        ? [{ ...defaults, params: checkParams(tensors) }]
        : groups.map((group) => ({ ...defaults, ...group, params: checkParams(group.params) }));
    const all = this.paramGroups.flatMap((group) => group.params);
    if (new Set(all).size !== all.length)
      throw argumentError('some parameters appear in more than one parameter group');
    for (const group of this.paramGroups) this.checkOptions(group);
  }

  /** Throws on a value outside its range. */
  protected abstract checkOptions(options: O): void;

  /** Updates one parameter from its gradient; runs without recording. */
  protected abstract update(
    parameter: Tensor,
    gradient: Tensor,
    options: O,
    state: ParamState,
  ): void;

  /** PyTorch's names of the options in a state dict. */
  protected abstract readonly optionNames: Readonly<Record<string, string>>;

  /** One update of every parameter that has a gradient. */
  step(): void {
    noGrad(() => {
      for (const group of this.paramGroups)
        for (const parameter of group.params) {
          if (parameter.grad === null) continue;
          const state = this.state.get(parameter) ?? {};
          this.state.set(parameter, state);
          this.update(parameter, parameter.grad, group, state);
        }
    });
  }

  /** Forgets all gradients. */
  zeroGrad(): void {
    for (const group of this.paramGroups) for (const p of group.params) p.grad = null;
  }

  /** State in PyTorch's layout and key names. */
  stateDict(): OptimizerState {
    const all = this.paramGroups.flatMap((group) => group.params);
    const state = new Map<number, ParamState>();
    all.forEach((parameter, i) => {
      const known = this.state.get(parameter);
      if (known) state.set(i, { ...known });
    });
    let next = 0;
    const param_groups = this.paramGroups.map((group) => {
      const { params, ...options } = group as ParamGroup<Record<string, unknown>>;
      const named = Object.entries(options).map(([key, v]) => [this.optionNames[key] ?? key, v]);
      return { ...Object.fromEntries(named), params: params.map(() => next++) };
    });
    return { state, param_groups };
  }

  /** Takes over a state of the same shape; nothing changes when it does not fit. */
  loadStateDict(dict: OptimizerState | Map<unknown, unknown>): void {
    const groups = listOf(field(dict, 'param_groups'));
    if (groups.length !== this.paramGroups.length)
      throw argumentError('loaded state dict has a different number of parameter groups');
    const sizes = groups.map((group) => listOf(field(group, 'params')).length);
    if (sizes.some((size, i) => size !== this.paramGroups[i].params.length))
      throw argumentError(
        "loaded state dict contains a parameter group that doesn't match the size of optimizer's group",
      );
    const all = this.paramGroups.flatMap((group) => group.params);
    const numbers = groups.flatMap((group) => listOf(field(group, 'params')));
    const states = field(dict, 'state');
    const loaded = new Map<Tensor, ParamState>();
    all.forEach((parameter, i) => {
      const state = field(states, numbers[i]);
      if (state !== undefined) loaded.set(parameter, copyState(state, parameter));
    });
    this.state.clear();
    for (const [parameter, state] of loaded) this.state.set(parameter, state);
    groups.forEach((group, i) => {
      for (const key of Object.keys(this.defaults)) {
        const value = field(group, this.optionNames[key] ?? key);
        if (value !== undefined) Object.assign(this.paramGroups[i], { [key]: value });
      }
    });
  }
}

function checkParams(params: unknown): Tensor[] {
  return listOf(params).map((p) => {
    if (!(p instanceof Tensor))
      throw argumentError(
        `optimizer can only optimize Tensors, but one of the params is ${describe(p)}`,
      );
    if (!p.isLeaf) throw autogradError("can't optimize a non-leaf Tensor");
    return p;
  });
}

/** A field of a Python dict that came as a Map, or of a plain object. */
function field(container: unknown, key: unknown): unknown {
  if (container instanceof Map) return container.get(key);
  if (typeof container === 'object' && container !== null)
    return (container as Record<string, unknown>)[String(key)];
  throw argumentError(
    `loadStateDict(): expected a state dict with the key '${String(key)}', but got ${describe(container)}`,
  );
}

function listOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  throw argumentError(`optimizer: expected a list, but got ${describe(value)}`);
}

/** Moments take the parameter's dtype and device; the step count stays a number. */
function copyState(state: unknown, parameter: Tensor): ParamState {
  const entries = state instanceof Map ? [...state] : Object.entries(state as object);
  return Object.fromEntries(
    entries.map(([key, value]) => {
      if (!(value instanceof Tensor)) return [key, value];
      if (key === 'step') return [key, Number(value.item())];
      return [key, value.detach().to(parameter.dtype).to(parameter.device).clone()];
    }),
  );
}

/** The tensor `state[key]`, made of zeros at first use. */
export function momentOf(state: ParamState, key: string, like: Tensor): Tensor {
  const known = state[key];
  if (known instanceof Tensor) return known;
  const made = zerosLike(like.detach());
  state[key] = made;
  return made;
}

/** The number of updates so far, counting this one. */
export function countStep(state: ParamState): number {
  const step = Number(state.step ?? 0) + 1;
  state.step = step;
  return step;
}
