// Parameters that a module computes from others (torch.nn.utils.parametrize).

import {
  argumentError,
  checkOptions,
  describe,
  formatShape,
  noGrad,
  sameShape,
  Tensor,
} from '@voxgrad/core';
import { Module } from '../module.js';
import { ModuleDict, ModuleList, type TensorModule } from '../modules/container.js';
import { Parameter } from '../parameter.js';

/** A module of a tensor; `rightInverse` gives what it would make a wanted tensor from. */
export type Parametrization = TensorModule & { rightInverse?(x: Tensor): Tensor };

/** The parametrizations of one parameter, in their order, and what the first of them begins with. */
export class ParametrizationList extends ModuleList<Parametrization> {
  original: Parameter;

  constructor(original: Parameter) {
    super();
    this.original = original;
  }

  /** The parameter as it is computed now. */
  compute(): Tensor {
    return [...this].reduce<Tensor>((x, part) => part.call(x), this.original);
  }

  /** Changes `original` so that the parameter becomes `value`, as far as it can be inverted. */
  assign(value: Tensor): void {
    const start = [...this].reduceRight<Tensor>((x, part) => {
      if (part.rightInverse) return part.rightInverse(x);
      throw argumentError(
        `${part.constructor.name} has no rightInverse: assign to the 'original' of the parametrization`,
      );
    }, value);
    noGrad(() => this.original.copy_(start));
  }
}

const KEY = 'parametrizations';

/** All parametrizations of a module by the names of its parameters. */
function allOf(module: Module): ModuleDict | undefined {
  const all: unknown = Reflect.get(module, KEY);
  return all instanceof ModuleDict ? all : undefined;
}

function listOf(module: Module, name: string): ParametrizationList | undefined {
  const all = allOf(module);
  const key = module.stateName(name);
  const found: unknown = all?.has(key) ? all.get(key) : undefined;
  return found instanceof ParametrizationList ? found : undefined;
}

/** Whether the parameter `name` of a module is parametrized; any of them when no name is given. */
export function isParametrized(module: Module, name?: string): boolean {
  requireModule('isParametrized', 'module', module);
  return name === undefined ? allOf(module) !== undefined : listOf(module, name) !== undefined;
}

function requireModule(operation: string, name: string, value: unknown): void {
  if (!(value instanceof Module))
    throw argumentError(
      `${operation}(): expected a Module for '${name}', but got ${describe(value)}`,
    );
}

function requireLike(value: Tensor, made: unknown, name: string): void {
  const start = 'Registering a parametrization may not change the';
  const end = 'unless `unsafe` flag is enabled.';
  if (!(made instanceof Tensor))
    throw argumentError(
      `A parametrization must return a tensor. Got ${String(made)} (parametrization of '${name}')`,
    );
  if (made.dtype !== value.dtype)
    throw argumentError(`${start} dtype of the tensor, ${end} ${value.dtype} became ${made.dtype}`);
  if (!sameShape(made.shape, value.shape))
    throw argumentError(
      `${start} shape of the tensor, ${end} ${formatShape(value.shape)} became ${formatShape(made.shape)}`,
    );
}

/** `parameter` with another value; another parameter only where the shape is another. */
function withValue(parameter: Parameter, value: Tensor): Parameter {
  if (!sameShape(parameter.shape, value.shape))
    return new Parameter(value.detach(), { requiresGrad: parameter.requiresGrad });
  noGrad(() => parameter.copy_(value));
  return parameter;
}

/**
 * From now on the parameter `name` (the property) of `module` is what `parametrization` makes of
 * it, computed whenever it is read. State dicts hold `parametrizations.<name>.original`, and the
 * state of the parametrizations by their number. Several are applied in their order. Returns the
 * module.
 *
 * @throws VoxgradError if shape or dtype would change, unless `unsafe`
 */
export function registerParametrization<M extends Module>(
  module: M,
  name: string,
  parametrization: Parametrization,
  options: { unsafe?: boolean } = {},
): M {
  checkOptions('registerParametrization', options, ['unsafe']);
  requireModule('registerParametrization', 'module', module);
  requireModule('registerParametrization', 'parametrization', parametrization);
  parametrization.train(module.training);
  const known = listOf(module, name);
  const parameter = module.ownParameters().find(({ property }) => property === name)?.value;
  if (!known && !parameter)
    throw argumentError(
      `Module '${module.constructor.name}' does not have a parameter or a parametrized element with name '${name}'`,
    );
  const value = noGrad(() => (known ? known.compute() : (parameter as Parameter).detach()));
  const start = noGrad(() => parametrization.rightInverse?.(value) ?? value);
  if (!options.unsafe)
    requireLike(
      value,
      noGrad(() => parametrization.call(start)),
      name,
    );
  if (known) known.append(parametrization);
  else replaceParameter(module, name, withValue(parameter as Parameter, start), parametrization);
  return module;
}

function replaceParameter(
  module: Module,
  name: string,
  original: Parameter,
  parametrization: Parametrization,
): void {
  const list = new ParametrizationList(original);
  list.append(parametrization);
  list.train(module.training);
  Reflect.deleteProperty(module, name);
  if (!allOf(module)) Object.assign(module, { [KEY]: new ModuleDict() });
  allOf(module)?.set(module.stateName(name), list);
  // Not enumerable: what is computed is no parameter of the module.
  Object.defineProperty(module, name, {
    get: () => list.compute(),
    set: (value: Tensor) => list.assign(value),
    configurable: true,
  });
}

/**
 * Makes `name` a parameter again: with its computed value, or with `leaveParametrized: false` the
 * original one. Returns the module.
 */
export function removeParametrizations<M extends Module>(
  module: M,
  name: string,
  options: { leaveParametrized?: boolean } = {},
): M {
  checkOptions('removeParametrizations', options, ['leaveParametrized']);
  requireModule('removeParametrizations', 'module', module);
  const list = listOf(module, name);
  const all = allOf(module);
  if (!list || !all)
    throw argumentError(
      `Module ${module.constructor.name} does not have a parametrization on ${name}`,
    );
  const value = noGrad(() =>
    options.leaveParametrized === false ? list.original : list.compute(),
  );
  all.pop(module.stateName(name));
  if (all.length === 0) Reflect.deleteProperty(module, KEY);
  Reflect.deleteProperty(module, name);
  const parameter = value === list.original ? list.original : withValue(list.original, value);
  Object.assign(module, { [name]: parameter });
  return module;
}
