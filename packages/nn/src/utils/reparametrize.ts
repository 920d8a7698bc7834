// What weight norm and spectral norm share: a parameter of a module becomes a plain tensor that is
// computed from others before every call.

import { argumentError, describe, type Tensor } from '@voxgrad/core';
import { Module } from '../module.js';
import { Parameter } from '../parameter.js';

/** A parameter that is computed; `remove` stops that. */
interface Computed {
  readonly kind: string;
  readonly compute: (training: boolean) => Tensor;
  readonly parts: readonly string[];
  readonly hook: { remove(): void };
}

const computed = new WeakMap<Module, Map<string, Computed>>();

/** The parameter `name`, given as property. */
export function parameterOf(module: Module, name: string, kind: string): Parameter {
  if (!(module instanceof Module))
    throw argumentError(`${kind}(): expected a Module, but got ${describe(module)}`);
  const found = module.ownParameters().find(({ property }) => property === name);
  if (found) return found.value;
  if (computed.get(module)?.get(name)?.kind === kind)
    throw argumentError(`Cannot register two ${kind} hooks on the same parameter ${name}`);
  throw argumentError(`${kind}: ${module.constructor.name} has no parameter '${name}'`);
}

/** From now on `name` is what `compute` gives; `parts` are the properties it reads. */
export function reparametrize(
  module: Module,
  name: string,
  kind: string,
  parts: readonly string[],
  compute: (training: boolean) => Tensor,
): void {
  const assign = () => {
    Object.assign(module, { [name]: compute(module.training) });
  };
  const hook = module.registerForwardPreHook(assign);
  const known = computed.get(module) ?? new Map<string, Computed>();
  computed.set(module, known);
  known.set(name, { kind, compute, parts, hook });
}

/** Makes `name` a parameter again, with its present value. */
export function restore(module: Module, name: string, kind: string): void {
  const found = computed.get(module)?.get(name);
  if (found?.kind !== kind)
    throw argumentError(`${kind} of '${name}' not found in ${String(module)}`);
  const value = found.compute(false).detach();
  found.hook.remove();
  for (const property of [name, ...found.parts]) Reflect.deleteProperty(module, property);
  Object.assign(module, { [name]: new Parameter(value) });
  computed.get(module)?.delete(name);
}
