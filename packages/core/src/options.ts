import { argumentError } from './errors.js';
import { describe } from './tensor/shape.js';

/**
 * The options of a function by name: `true`, or `'nullable'` where null has a meaning of its own.
 * Every name of `O` must be there and no other, which the compiler checks.
 */
export type OptionTable<O> = {
  readonly [K in keyof O]-?: null extends O[K] ? 'nullable' : true;
};

const plainName = (name: string) => name.replaceAll('_', '').toLowerCase();

/** Letters to insert, drop or exchange to come from `a` to `b`. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
    row = next;
  }
  return row[b.length];
}

/** The one of `names` that someone who wrote `name` may have meant. */
export function likelyName(name: string, names: readonly string[]): string | undefined {
  const wanted = plainName(name);
  const [closest] = names
    .map((known) => ({ known, away: distance(wanted, plainName(known)) }))
    .sort((a, b) => a.away - b.away);
  return closest && closest.away <= Math.ceil(wanted.length / 4) ? closest.known : undefined;
}

/** What {@link checkOptions} goes by: a table, or a list of names none of which may be null. */
export type KnownOptions = readonly string[] | Readonly<Record<string, true | 'nullable'>>;

/**
 * Refuses what is not an options object, a name that `operation` does not know (with the name that
 * may have been meant), and null where nothing is meant: leave an option out instead.
 */
export function checkOptions(operation: string, given: unknown, known: KnownOptions): void {
  if (given === undefined) return;
  const names: readonly string[] = isList(known) ? known : Object.keys(known);
  const entries = typeof given === 'object' && given !== null ? Object.entries(given) : [];
  const stranger = entries.find(([name]) => !names.includes(name))?.[0];
  // An object of a class may hold options, but a tensor or a Map stands in the wrong place.
  if (!isPlainObject(given) && (stranger !== undefined || entries.length === 0))
    throw argumentError(
      `${operation}(): expected an options object { ${names.join(', ')} }, but got ${describe(given)}`,
    );
  if (stranger !== undefined) throw unexpected(operation, stranger, names);
  for (const [name, value] of entries) {
    if (name === 'generator' && value !== undefined) requireGenerator(operation, value);
    if (value === null && (isList(known) || known[name] !== 'nullable'))
      throw argumentError(
        `${operation}(): option '${name}' must not be null; leave it out instead`,
      );
  }
}

/** One of any copy of the library that is loaded, which its class would not say. */
function requireGenerator(operation: string, value: unknown): void {
  if (typeof value !== 'object' || value === null || !('uint32' in value && 'manualSeed' in value))
    throw argumentError(
      `${operation}(): expected a Generator for 'generator', but got ${describe(value)}`,
    );
}

function unexpected(operation: string, name: string, names: readonly string[]) {
  const start = `${operation}() got an unexpected option '${name}'`;
  if (names.length === 0) return argumentError(`${start}; it takes none`);
  const meant = likelyName(name, names);
  const advice = meant === undefined ? '; it takes' : `; did you mean '${meant}'? It takes`;
  return argumentError(`${start}${advice} ${names.join(', ')}`);
}

const isList = (known: KnownOptions): known is readonly string[] => Array.isArray(known);

const isPlainObject = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
};
