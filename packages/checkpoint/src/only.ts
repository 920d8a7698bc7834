// Choosing tensors by name.

import { describe, likelyName } from '@voxgrad/core';
import { CheckpointError } from './error.js';

/** Names of tensors, a pattern that they match, or a function that says which. */
export type Only = readonly string[] | RegExp | ((name: string) => boolean);

/** At most this many names are listed, and compared with a misspelt one. */
const MAX_LISTED = 5;
const MAX_COMPARED = 5000;

/**
 * What `only` chooses among `names`; everything if it is undefined.
 * @throws CheckpointError for a name that is not there, with the nearest that is, and for a function that
 *   does not say yes or no
 */
export function chooser(
  only: Only | undefined,
  names: readonly string[],
): (name: string) => boolean {
  if (only === undefined) return () => true;
  if (typeof only === 'function')
    return (name) => {
      const wanted: unknown = only(name);
      if (typeof wanted === 'boolean') return wanted;
      const but = wanted instanceof Promise ? 'a promise; it must not be async' : describe(wanted);
      throw new CheckpointError(
        'VALUE',
        `the function of the option 'only' must return true or false, but for ${JSON.stringify(name)} it ` +
          `returned ${but}`,
      );
    };
  // By search and not by test: patterns with the flag g would begin where they last ended.
  if (isPattern(only)) return (name) => name.search(only) >= 0;
  if (!Array.isArray(only) || !only.every((name) => typeof name === 'string'))
    throw new CheckpointError(
      'VALUE',
      "the option 'only' takes a list of names, a RegExp or a function of a name",
    );
  const known = new Set(names);
  const stranger = only.find((name) => !known.has(name));
  if (stranger !== undefined) throw unknown(stranger, names);
  const chosen = new Set(only);
  return (name) => chosen.has(name);
}

/** By tag and not by instanceof: it may come from another realm. */
const isPattern = (value: unknown): value is RegExp =>
  Object.prototype.toString.call(value) === '[object RegExp]';

function unknown(name: string, names: readonly string[]): CheckpointError {
  const ending = names.filter((known) => known.endsWith(`.${name}`));
  const meant = ending.length === 1 ? ending[0] : likelyName(name, names.slice(0, MAX_COMPARED));
  const listed = names.slice(0, MAX_LISTED).map((known) => JSON.stringify(known));
  const more = names.length > MAX_LISTED ? `, … (${names.length} in all)` : '';
  const advice =
    meant !== undefined
      ? `did you mean ${JSON.stringify(meant)}?`
      : names.length > 0
        ? `there are ${listed.join(', ')}${more}`
        : 'there are no tensors';
  return new CheckpointError('VALUE', `has no tensor ${JSON.stringify(name)}; ${advice}`);
}
