// Calls from plain JavaScript, checked against the types that TypeScript would have checked: an
// argument too many, or something else where a number belongs, is named instead of dropped or turned
// into NaN. Options and tensors are the functions' own to check (options.ts, arguments.ts).

import { argumentError } from './errors.js';
import { describe } from './tensor/shape.js';

/** A row of signatures.ts, read. */
interface Signature {
  readonly names: readonly string[];
  readonly most: number;
  /** Places where only a number belongs; `required` where it must be given. */
  readonly numbers: readonly { readonly at: number; readonly required: boolean }[];
}

function read(text: string): Signature {
  const names = text === '' ? [] : text.split(', ');
  const variadic = names.at(-1)?.startsWith('...') ?? false;
  return {
    names: names.map((name) => name.replace(/^#/, '')),
    most: variadic ? Number.POSITIVE_INFINITY : names.length,
    numbers: names.flatMap((name, at) =>
      name.startsWith('#') ? [{ at, required: !name.endsWith('?') }] : [],
    ),
  };
}

/** Throws where `args` do not fit; of a method, `names` begins with the tensor, which `args` lacks. */
function check(name: string, signature: Signature, args: readonly unknown[], self: 0 | 1): void {
  const { names, most, numbers } = signature;
  if (args.length + self > most) refuseSurplus(name, args, names.slice(self));
  for (let i = 0; i < numbers.length; i++) {
    const { at, required } = numbers[i];
    const value = args[at - self];
    if (typeof value === 'number' || (value === undefined && !required)) continue;
    refuseNumber(name, names[at], value);
  }
}

/** Throws where one of `args` after the first `names` is something. */
function refuseSurplus(name: string, args: readonly unknown[], names: readonly string[]): void {
  const at = args.findIndex((value, i) => i >= names.length && value !== undefined);
  if (at === -1) return;
  const takes = names.length === 0 ? 'no arguments' : `at most (${names.map(plain).join(', ')})`;
  throw argumentError(
    `${name}() takes ${takes}, but argument ${at + 1} is ${describe(args[at])}${adviceFor(name, args, names)}`,
  );
}

/** Where PyTorch takes by position what goes into the options here, and pools above all. */
function adviceFor(name: string, args: readonly unknown[], names: readonly string[]): string {
  const at = names.length - 1;
  if (!/options|more|first/.test(names[at] ?? '')) return '';
  if (/pool/i.test(name) && typeof args[at] !== 'object')
    return `; write { stride: ${describe(args[at])}, padding: ${describe(args[at + 1])} }`;
  return '; the optional ones of PyTorch go by name into an object in the last place';
}

const plain = (name: string) => name.replace(/\?$/, '');

function refuseNumber(name: string, argument: string, value: unknown): never {
  const wanted = plain(argument);
  const named = typeof value === 'object' && value !== null && wanted in value;
  const advice = named ? '; give it by position' : '';
  throw argumentError(
    `${name}(): expected a number for '${wanted}', but got ${describe(value)}${advice}`,
  );
}

/**
 * {@link checked} for one call, of a constructor above all: `text` as in signatures.ts, and all that
 * was given.
 */
export const checkArguments = (name: string, text: string, args: readonly unknown[]): void =>
  check(name, read(text), args, 0);

type Loose = (...args: unknown[]) => unknown;

/** `f` as a method, checked by its signature where there is one. */
export function methodOf(name: string, text: string | undefined, f: Loose): Loose {
  const signature = text === undefined ? undefined : read(text);
  return function (this: unknown, ...args: unknown[]) {
    if (signature !== undefined) check(name, signature, args, 1);
    return f(this, ...args);
  };
}

/** The functions of `home` that `signatures` names, checked by them. */
export function checked<H extends object>(
  home: H,
  signatures: Readonly<Record<string, string>>,
): H {
  const entries = Object.entries(home).flatMap(([name, f]): [string, unknown][] => {
    const text = signatures[name];
    if (text === undefined || typeof f !== 'function') return [];
    const signature = read(text);
    const guarded = (...args: unknown[]) => {
      check(name, signature, args, 0);
      return (f as Loose)(...args);
    };
    return [[name, Object.defineProperty(guarded, 'name', { value: name })]];
  });
  return Object.fromEntries(entries) as H;
}
