import { formatShape } from '@voxgrad/core';

const isList = (value: unknown): value is readonly number[] => Array.isArray(value);

/** `name=value, …` as modules print their arguments; undefined ones are left out. */
export const repr = (fields: Readonly<Record<string, unknown>>): string =>
  Object.entries(fields)
    .flatMap(([name, value]) =>
      value === undefined ? [] : [`${name}=${isList(value) ? formatShape(value) : String(value)}`],
    )
    .join(', ');
