// Reading states that came from elsewhere: Python dicts arrive as Maps, JSON as plain objects.

import { argumentError, describe, Tensor } from '@voxgrad/core';

/** A field of a Map or of a plain object; undefined where it is missing. */
export function field(container: unknown, key: string | number): unknown {
  if (container instanceof Map) return container.get(key);
  if (isObject(container)) return Object.hasOwn(container, key) ? container[key] : undefined;
  throw argumentError(
    `loadStateDict(): expected a state dict with the key '${key}', but got ${describe(container)}`,
  );
}

/** All fields of a Map or of a plain object. */
export function fieldsOf(container: unknown, what: string): [string, unknown][] {
  if (container instanceof Map) return [...container].map(([key, value]) => [String(key), value]);
  if (isObject(container)) return Object.entries(container);
  throw argumentError(`loadStateDict(): expected ${what}, but got ${describe(container)}`);
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !(value instanceof Tensor);

export function listOf(value: unknown, what: string): unknown[] {
  if (Array.isArray(value)) return value;
  throw argumentError(`loadStateDict(): expected ${what}, but got ${describe(value)}`);
}

/** Single elements as numbers: PyTorch keeps counters, and newer versions learning rates, in tensors. */
export function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === 'bigint') return Number(value);
  return value instanceof Tensor && value.numel === 1 ? Number(value.item()) : value;
}

/** Whether `value` can stand where `present` stands. Null and undefined say nothing of the kind. */
export function sameKind(present: unknown, value: unknown): boolean {
  if (present === null || present === undefined || value === null) return true;
  if (Array.isArray(present))
    return (
      Array.isArray(value) &&
      value.length === present.length &&
      present.every((item, i) => sameKind(item, value[i]))
    );
  return typeof value === typeof present;
}
