// Optimizer states in PyTorch's layout: { state: { 0: { exp_avg, … }, … }, param_groups: [{ lr, …,
// params: [0, …] }] }. Parameters are numbered across groups, in order.

import {
  argumentError,
  describe,
  formatShape,
  getDefaultDtype,
  isFloat,
  sameShape,
  Tensor,
} from '@voxgrad/core';
import { optionsOf, type ParamGroup } from './groups.js';
import { camelCase, snakeCase } from './names.js';
import type { ParamState } from './optimizer.js';
import { field, fieldsOf, listOf, plain, sameKind } from './plain.js';

/** The state of an optimizer in PyTorch's layout. */
export interface OptimizerState {
  state: Map<number, ParamState>;
  param_groups: Record<string, unknown>[];
}

/** How an optimizer's state of a parameter differs from a record of tensors of its shape. */
export interface StateRules {
  /**
   * Numbers that PyTorch 1.13 writes as 0-d tensors: in the default dtype, as `torch.tensor(0.)` and
   * `torch.ones([])` make them, or in the parameter's.
   */
  readonly tensorScalars?: Readonly<Record<string, 'default' | 'parameter'>>;
  /** Numbers that PyTorch writes as they are. */
  readonly scalars?: readonly string[];
  /** Keys without which a state cannot be continued. */
  readonly required?: readonly string[];
  /** The tensors of a state run over all parameters, end to end, as L-BFGS keeps them. */
  readonly flat?: boolean;
}

export function packState(
  groups: readonly ParamGroup<object>[],
  state: ReadonlyMap<Tensor, ParamState>,
  rules: StateRules,
  foreignNames: ReadonlyMap<string, string>,
): OptimizerState {
  const packed = new Map<number, ParamState>();
  groups
    .flatMap((group) => group.params)
    .forEach((parameter, i) => {
      const known = state.get(parameter);
      if (known) packed.set(i, packParam(known, parameter, rules));
    });
  let next = 0;
  const param_groups = groups.map((group) => {
    const { params: _, ...options } = optionsOf(group);
    const named = Object.entries(options).map(([name, value]) => [
      foreignNames.get(name) ?? snakeCase(name),
      value,
    ]);
    return { ...Object.fromEntries(named), params: group.params.map(() => next++) };
  });
  return { state: packed, param_groups };
}

function packParam(state: ParamState, parameter: Tensor, rules: StateRules): ParamState {
  const entries = Object.entries(state).map(([key, value]) => {
    const kind = rules.tensorScalars?.[key];
    if (kind === undefined) return [key, value];
    const dtype = kind === 'default' ? getDefaultDtype() : parameter.dtype;
    const pack = (item: unknown): unknown => {
      if (Array.isArray(item)) return item.map(pack);
      return typeof item === 'number' ? Tensor.filled([], item, dtype, parameter.device) : item;
    };
    return [key, pack(value)];
  });
  return Object.fromEntries(entries);
}

export interface UnpackedState {
  readonly state: Map<Tensor, ParamState>;
  /** Of each group, under our names. */
  readonly options: Record<string, unknown>[];
  readonly foreignNames: Map<string, string>;
}

/** Reads a state for `groups`, or throws in PyTorch's words. */
export function unpackState(
  dict: unknown,
  groups: readonly ParamGroup<object>[],
  rules: StateRules,
): UnpackedState {
  const saved = listOf(field(dict, 'param_groups'), 'a list of param_groups');
  if (saved.length !== groups.length)
    throw argumentError('loaded state dict has a different number of parameter groups');
  const numbers = saved.map((group) => listOf(field(group, 'params'), "a group's list of params"));
  if (numbers.some((list, i) => list.length !== groups[i].params.length))
    throw argumentError(
      "loaded state dict contains a parameter group that doesn't match the size of optimizer's group",
    );
  const foreignNames = new Map<string, string>();
  const options = saved.map((group, i) => unpackOptions(group, groups[i], foreignNames));
  const all = groups.flatMap((group) => group.params);
  const states = field(dict, 'state') ?? {};
  const state = new Map<Tensor, ParamState>();
  numbers.flat().forEach((number, i) => {
    const known = field(states, Number(number));
    if (known !== undefined) state.set(all[i], unpackParam(known, all, i, rules));
  });
  return { state, options, foreignNames };
}

function unpackOptions(
  group: unknown,
  present: ParamGroup<object>,
  foreignNames: Map<string, string>,
): Record<string, unknown> {
  const options: Record<string, unknown> = {};
  for (const [key, value] of fieldsOf(group, 'a parameter group')) {
    if (key === 'params') continue;
    const name = camelCase(key);
    if (snakeCase(name) !== key) foreignNames.set(name, key);
    options[name] = plain(value);
    if (!sameKind(optionsOf(present)[name], options[name]))
      throw argumentError(
        `loadStateDict(): '${key}' of a parameter group cannot be ${describe(value)}`,
      );
  }
  return options;
}

function unpackParam(
  saved: unknown,
  parameters: readonly Tensor[],
  index: number,
  rules: StateRules,
): ParamState {
  const parameter = parameters[index];
  const what = `the state of parameter ${index}`;
  const state: ParamState = {};
  for (const [key, value] of fieldsOf(saved, what))
    state[key] = isScalarKey(key, rules) ? plain(value) : copy(value, `${key} of ${what}`);
  const missing = rules.required?.find((key) => state[key] === undefined);
  if (missing !== undefined)
    throw argumentError(
      `loadStateDict(): ${what} has no '${missing}'; was it saved from another kind of optimizer?`,
    );
  return state;

  function copy(value: unknown, where: string): unknown {
    if (Array.isArray(value)) return value.map((item) => copy(item, where));
    if (!(value instanceof Tensor)) return value;
    const shape = rules.flat
      ? [parameters.reduce((total, p) => total + p.numel, 0)]
      : parameter.shape;
    if (!sameShape(value.shape, shape))
      throw argumentError(
        `loadStateDict(): ${where} has shape ${formatShape(value.shape)}, expected ${formatShape(shape)}`,
      );
    const moved = value.detach().to(parameter.device);
    return (isFloat(parameter.dtype) ? moved.to(parameter.dtype) : moved).clone();
  }
}

const isScalarKey = (key: string, rules: StateRules): boolean =>
  key === 'step' || rules.tensorScalars?.[key] !== undefined || !!rules.scalars?.includes(key);
