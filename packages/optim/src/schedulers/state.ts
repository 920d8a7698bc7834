// A scheduler's state is its own fields, in PyTorch as here: only the spelling of names differs.

import { argumentError, describe } from '@voxgrad/core';
import { snakeCase } from '../names.js';
import { fieldsOf, plain, sameKind } from '../plain.js';

const isData = (value: unknown): boolean =>
  value === null ||
  ['number', 'boolean', 'string', 'undefined'].includes(typeof value) ||
  value instanceof Map ||
  (Array.isArray(value) && value.every(isData));

const dataOf = (scheduler: object): [string, unknown][] =>
  Object.entries(scheduler).filter(([, value]) => value !== undefined && isData(value));

/** The fields of numbers, texts and lists of them. Functions and other objects are left out. */
export function packFields(scheduler: object): Record<string, unknown> {
  const named = dataOf(scheduler).map(([name, value]) => [
    snakeCase(name),
    Array.isArray(value) ? [...value] : value,
  ]);
  return Object.fromEntries(named);
}

/** The fields of `scheduler` in a state, under our names; throws where one cannot be meant. */
export function unpackFields(scheduler: object, state: unknown): Record<string, unknown> {
  const ours = new Map(
    dataOf(scheduler).map(([name, value]) => [snakeCase(name), { name, value }]),
  );
  const loaded: Record<string, unknown> = {};
  for (const [key, raw] of fieldsOf(state, "a scheduler's state dict")) {
    const own = ours.get(key);
    if (own === undefined) continue;
    const value = raw instanceof Map ? new Map(raw) : plain(raw);
    if (!sameKind(own.value, value))
      throw argumentError(`loadStateDict(): '${key}' of a scheduler cannot be ${describe(raw)}`);
    loaded[own.name] = value;
  }
  return loaded;
}
