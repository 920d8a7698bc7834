// Calls from plain JavaScript, checked against the types that TypeScript would have checked: an
// argument too many, or something else where a number belongs, is named instead of dropped or turned
// into NaN. Options and tensors are the functions' own to check (options.ts, arguments.ts).

import { currentRecorder } from './autograd/recorder.js';
import { argumentError } from './errors.js';
import { shared } from './shared.js';
import { describe } from './tensor/shape.js';

/** What a function takes, read from its text (see {@link guard}). */
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
 * {@link guard} for one call, of a constructor above all: its text, and all that was given.
 */
export const checkArguments = (name: string, text: string, args: readonly unknown[]): void =>
  check(name, read(text), args, 0);

type Loose = (...args: unknown[]) => unknown;

/** `read`, of every text once: most functions of a program are never called. */
function readOnce(text: string): () => Signature {
  let signature: Signature | undefined;
  return () => {
    signature ??= read(text);
    return signature;
  };
}

/** `f` as a method, checked by its signature where there is one. */
export function methodOf(name: string, text: string | undefined, f: Loose): Loose {
  const signature = text === undefined ? undefined : readOnce(text);
  return function (this: unknown, ...args: unknown[]) {
    if (signature !== undefined) check(name, signature(), args, 1);
    const recorder = currentRecorder();
    if (recorder) return recorder.call(name, [this, ...args], () => f(this, ...args));
    return f(this, ...args);
  };
}

const names = shared('guard.names', () => new Set<string>());

/** Whether a function of the library that this program holds has this name. */
export const isFunctionName = (name: string): boolean => names.has(name);

/**
 * `f`, whose calls are checked: `text` has its parameters, separated by commas, where # marks numbers, ?
 * those that may be left out, and ... any number of arguments.
 */
export function guard<F extends (...args: never[]) => unknown>(name: string, text: string, f: F): F;
export function guard(name: string, text: string, f: Loose): Loose {
  names.add(name);
  const signature = readOnce(text);
  const guarded = (...args: unknown[]) => {
    check(name, signature(), args, 0);
    const recorder = currentRecorder();
    if (recorder) return recorder.call(name, args, () => f(...args));
    return f(...args);
  };
  return Object.defineProperty(guarded, 'name', { value: name });
}
