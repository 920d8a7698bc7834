// What functions do first with what users gave them, so that a wrong argument is named by the
// function it was given to, and not by whatever trips over it later.

import { argumentError } from './errors.js';
import { checkOptions, type KnownOptions } from './options.js';
import { describe } from './tensor/shape.js';
import { Tensor } from './tensor/tensor.js';

/** Throws unless all of `tensors`, given by the names of the arguments, are tensors. */
export function requireTensors(
  operation: string,
  tensors: Readonly<Record<string, unknown>>,
): void {
  for (const name in tensors)
    if (!(tensors[name] instanceof Tensor)) throw notTensor(operation, name, tensors[name]);
}

/** {@link requireTensors} for arguments that may be left out, or null. */
export function optionalTensors(
  operation: string,
  tensors: Readonly<Record<string, unknown>>,
): void {
  for (const name in tensors) {
    const value = tensors[name];
    if (value !== undefined && value !== null && !(value instanceof Tensor))
      throw notTensor(operation, name, value);
  }
}

/** Throws unless `list` is a list of tensors. */
export function requireTensorList(operation: string, name: string, list: unknown): void {
  if (!Array.isArray(list))
    throw argumentError(
      `${operation}(): expected a list of Tensors for '${name}', but got ${describe(list)}`,
    );
  list.forEach((value, i) => {
    if (!(value instanceof Tensor)) throw notTensor(operation, `${name}[${i}]`, value);
  });
}

/** `f`, whose first arguments are the tensors `names`, checked first. */
export function onTensors<A extends unknown[], R>(
  operation: string,
  names: readonly string[],
  f: (...args: A) => R,
): (...args: A) => R {
  return (...args) => {
    names.forEach((name, i) => {
      if (!(args[i] instanceof Tensor)) throw notTensor(operation, name, args[i]);
    });
    return f(...args);
  };
}

/** {@link requireTensors} and {@link checkOptions} in one. */
export function checkCall(
  operation: string,
  tensors: Readonly<Record<string, unknown>>,
  given: unknown,
  known: KnownOptions,
): void {
  requireTensors(operation, tensors);
  checkOptions(operation, given, known);
}

/** Throws unless `value` is a function. */
export function requireFunction(operation: string, name: string, value: unknown): void {
  if (typeof value !== 'function')
    throw argumentError(
      `${operation}(): expected a function for '${name}', but got ${describe(value)}`,
    );
}

/** The error for something that should have been a tensor. */
export const notTensor = (operation: string, name: string, value: unknown) =>
  argumentError(`${operation}(): expected a Tensor for '${name}', but got ${describe(value)}`);
