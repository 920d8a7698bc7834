// Parameters as users give them: a list of tensors, or groups with options of their own.

import { argumentError, autogradError, describe, likelyName, Tensor } from '@voxgrad/core';
import type { Defaults } from './options.js';

/** A list of parameters with its own options; the rest comes from the optimizer's defaults. */
export type ParamGroupInput<O> = Partial<O> & { params: Iterable<Tensor> | Tensor };
/** Parameters with options of their own. */
export type ParamGroup<O> = O & { params: Tensor[] };
/** What an optimizer's constructor takes first. */
export type Params<O> = Iterable<Tensor> | Iterable<ParamGroupInput<O>>;

/** The options of a group under any name: schedulers and loaded states add some. */
export const optionsOf = (group: { params: Tensor[] }): Record<string, unknown> =>
  group as unknown as Record<string, unknown>;

/** What the constructor got, as groups. */
export function groupsOf<O>(params: Params<O>): ParamGroupInput<O>[] {
  if (!isIterable(params))
    throw argumentError(
      'params argument given to the optimizer should be an iterable of Tensors or groups, but got ' +
        describe(params),
    );
  const list = [...(params as Iterable<Tensor | ParamGroupInput<O>>)];
  if (list.length === 0) throw argumentError('optimizer got an empty parameter list');
  const groups = list.filter(isGroup<O>);
  if (groups.length === list.length) return groups;
  if (groups.length > 0)
    throw argumentError(
      'an optimizer takes either tensors or groups { params: tensors, … }, not both',
    );
  return [Object.assign({} as Partial<O>, { params: list as Tensor[] })];
}

const isIterable = (value: unknown): value is Iterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.iterator in value;

const isGroup = <O>(item: Tensor | ParamGroupInput<O>): item is ParamGroupInput<O> =>
  typeof item === 'object' && item !== null && !(item instanceof Tensor) && 'params' in item;

/** The group with every option, checked against the parameters that are `taken`. */
export function completeGroup<O>(
  input: ParamGroupInput<O>,
  defaults: Defaults<O>,
  taken: ReadonlySet<Tensor>,
): ParamGroup<O> {
  const params = checkParams(input.params);
  if (new Set(params).size !== params.length)
    throw argumentError('optimizer contains a parameter group with duplicate parameters');
  if (params.some((p) => taken.has(p)))
    throw argumentError('some parameters appear in more than one parameter group');
  const group: Record<string, unknown> = { ...input };
  checkSpelling(Object.keys(group), Object.keys(defaults));
  for (const [name, value] of Object.entries(defaults)) {
    group[name] ??= value;
    if (group[name] === undefined)
      throw argumentError(
        `parameter group didn't specify a value of required optimization parameter ${name}`,
      );
  }
  return { ...group, params } as ParamGroup<O>;
}

/** A group may hold names of the user's own, but not an option misspelt. */
function checkSpelling(given: readonly string[], known: readonly string[]): void {
  for (const name of given) {
    if (name === 'params' || known.includes(name)) continue;
    const meant = likelyName(name, known);
    if (meant !== undefined)
      throw argumentError(
        `parameter group got an unexpected option '${name}'; did you mean '${meant}'? It takes ${known.join(', ')}`,
      );
  }
}

function checkParams(params: unknown): Tensor[] {
  if (params instanceof Tensor) return checkParams([params]);
  if (!isIterable(params))
    throw argumentError(`params of a group must be a list of Tensors, but got ${describe(params)}`);
  return [...params].map((p) => {
    if (!(p instanceof Tensor))
      throw argumentError(
        `optimizer can only optimize Tensors, but one of the params is ${describe(p)}`,
      );
    if (!p.isLeaf) throw autogradError("can't optimize a non-leaf Tensor");
    return p;
  });
}
