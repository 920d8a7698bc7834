// What the values of options must be, told before anything is read or written. By what they can do and not
// by their class: they may come from another realm.

import { describe } from '@voxgrad/core';
import { CheckpointError } from './error.js';

interface Kind {
  readonly is: string;
  accepts(value: unknown): boolean;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const FLAG: Kind = { is: 'true or false', accepts: (value) => typeof value === 'boolean' };
const CALLBACK: Kind = { is: 'a function', accepts: (value) => typeof value === 'function' };
const SIGNAL: Kind = {
  is: 'an AbortSignal',
  accepts: (value) => isObject(value) && 'aborted' in value && 'throwIfAborted' in value,
};
const TEXTS: Kind = {
  is: 'an object from names to texts',
  accepts: (value) =>
    // A Headers or a Map has no properties to read.
    Object.prototype.toString.call(value) === '[object Object]' &&
    Object.values(value as object).every((text) => typeof text === 'string'),
};
const BYTES: Kind = {
  is: 'a number of bytes, 0 or more',
  accepts: (value) => typeof value === 'number' && value >= 0,
};

const KINDS: Readonly<Record<string, Kind>> = {
  stripPrefixes: FLAG,
  compact: FLAG,
  onUnreadable: CALLBACK,
  onProgress: CALLBACK,
  signal: SIGNAL,
  headers: TEXTS,
  expansionLimit: BYTES,
};

/** @throws CheckpointError VALUE for an option that is not what its name stands for; undefined is none. */
export function checkKinds(operation: string, options: object): void {
  for (const [name, value] of Object.entries(options)) {
    const kind = Object.hasOwn(KINDS, name) ? KINDS[name] : undefined;
    if (value === undefined || kind === undefined || kind.accepts(value)) continue;
    throw new CheckpointError(
      'VALUE',
      `${operation}(): the option '${name}' takes ${kind.is}, not ${describe(value)}`,
    );
  }
}
