// A list of samples becomes one sample with a leading batch axis (torch.utils.data.default_collate).

import {
  argumentError,
  describe,
  type ErrorCode,
  stack,
  Tensor,
  tensor,
  VoxgradError,
} from '@voxgrad/core';

/** What {@link defaultCollate} makes of samples of type `T`. */
export type Collated<T> = T extends Tensor | ArrayBufferView | number | bigint | boolean
  ? Tensor
  : T extends string
    ? string[]
    : T extends ReadonlyMap<infer K, infer V>
      ? Map<K, Collated<V>>
      : T extends object
        ? { -readonly [K in keyof T]: Collated<T[K]> }
        : never;

/**
 * Joins samples of one structure into a batch:
 *
 * - tensors and typed arrays of one shape are stacked along a new first axis;
 * - numbers become float64, whole ones too: JavaScript does not tell 1 from 1.0, and the dtype of a
 *   batch must not depend on its values. Bigints become int64 and booleans bool, so that a class
 *   number is `3n`, or `tensor(3, { dtype: 'int64' })`;
 * - strings stay a list;
 * - arrays, plain objects and Maps are joined entry by entry.
 *
 * @throws VoxgradError that names the entry which does not fit
 */
export function defaultCollate<T>(samples: readonly T[]): Collated<T> {
  if (samples.length === 0) throw argumentError('collate: a batch needs at least one sample');
  return join(samples, '') as Collated<T>;
}

function join(values: readonly unknown[], path: string): unknown {
  const kind = kindOf(values[0], path);
  values.forEach((value, i) => {
    if (kindOf(value, path) !== kind)
      throw misfit(path, `sample 0 has ${describe(values[0])}, sample ${i} ${describe(value)}`);
  });
  return JOIN[kind](values, path);
}

type Kind = keyof typeof JOIN;

function kindOf(value: unknown, path: string): Kind {
  if (value instanceof Tensor || ArrayBuffer.isView(value)) return 'array';
  if (Array.isArray(value)) return 'list';
  if (value instanceof Map) return 'map';
  const type = typeof value;
  if (type === 'number' || type === 'bigint' || type === 'boolean' || type === 'string')
    return type;
  if (type === 'object' && value !== null) {
    const prototype = Object.getPrototypeOf(value);
    if (prototype === null || Object.getPrototypeOf(prototype) === null) return 'object';
  }
  throw misfit(
    path,
    'batch must contain tensors, typed arrays, numbers, strings, arrays, plain objects or Maps; ' +
      `found ${describe(value)}. Give the loader a collate function for it`,
  );
}

function misfit(path: string, text: string, code: ErrorCode = 'ARGUMENT', cause?: unknown) {
  return new VoxgradError(code, `collate: ${path === '' ? '' : `${path}: `}${text}`, { cause });
}

const JOIN = {
  array(values: readonly unknown[], path: string): Tensor {
    const tensors = (values as readonly (Tensor | ArrayBufferView)[]).map((value) =>
      value instanceof Tensor ? value : tensor(value),
    );
    try {
      return stack(tensors);
    } catch (error) {
      if (!(error instanceof VoxgradError)) throw error;
      throw misfit(path, error.message, error.code, error);
    }
  },

  number: (values: readonly unknown[]): Tensor => tensor(values, { dtype: 'float64' }),
  bigint: (values: readonly unknown[]): Tensor => tensor(values, { dtype: 'int64' }),
  boolean: (values: readonly unknown[]): Tensor => tensor(values, { dtype: 'bool' }),
  string: (values: readonly unknown[]): string[] => [...(values as readonly string[])],

  list(values: readonly unknown[], path: string): unknown[] {
    const lists = values as readonly (readonly unknown[])[];
    if (lists.some(({ length }) => length !== lists[0].length))
      throw misfit(path, 'each element in list of batch should be of equal size');
    return lists[0].map((_, i) =>
      join(
        lists.map((list) => list[i]),
        `${path}[${i}]`,
      ),
    );
  },

  map(values: readonly unknown[], path: string): Map<unknown, unknown> {
    const maps = values as readonly ReadonlyMap<unknown, unknown>[];
    return new Map(
      [...maps[0].keys()].map((key) => {
        const at = `${path}.get(${describe(key)})`;
        return [
          key,
          join(
            maps.map((map) => map.get(key)),
            at,
          ),
        ];
      }),
    );
  },

  object(values: readonly unknown[], path: string): Record<string, unknown> {
    const objects = values as readonly Readonly<Record<string, unknown>>[];
    return Object.fromEntries(
      Object.keys(objects[0]).map((key) => {
        const at = path === '' ? key : `${path}.${key}`;
        return [
          key,
          join(
            objects.map((object) => object[key]),
            at,
          ),
        ];
      }),
    );
  },
};
