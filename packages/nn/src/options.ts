// How arguments are read: a customary number that may stand alone, and PyTorch's `inplace`.

import {
  checkOptions,
  isGradEnabled,
  type OptionTable,
  requireTensors,
  type Tensor,
} from '@voxgrad/core';

/**
 * Options, of which the number under `key` may stand before the others or alone: `f(x, 0.1)`,
 * `f(x, 0.1, { inplace })`, `f(x, { slope: 0.1, inplace })`. Checked by `known`.
 */
export function optionsOf<O extends object, K extends keyof O & string>(
  operation: string,
  known: OptionTable<O>,
  key: K,
  given: number | O,
  more?: Omit<O, K>,
): O {
  checkOptions(operation, more, known);
  if (typeof given === 'number') return { ...more, [key]: given } as O;
  checkOptions(operation, given, known);
  return more === undefined ? given : { ...given, ...more };
}

export interface InPlaceOptions {
  /**
   * Writes the result into the input and returns that. Where the tape does not allow it (the input
   * shares its storage with a view) the result is a new tensor and the input stays as it is.
   */
  inplace?: boolean;
}

/** `f(x)`, written into `x`; an error where the tape does not allow that. */
export function inPlace(operation: string, x: Tensor, f: (x: Tensor) => Tensor): Tensor {
  requireTensors(operation, { input: x });
  // What the derivative rules keep must survive the write.
  const y = f(isGradEnabled() && x.requiresGrad ? x.clone() : x);
  return y === x ? x : x.replaceWith(y, operation);
}

/** `f(x)`, written into `x` where `inplace` asks for it. */
export function inPlaceIf(
  inplace: boolean | undefined,
  operation: string,
  x: Tensor,
  f: (x: Tensor) => Tensor,
): Tensor {
  return inplace ? inPlace(operation, x, f) : f(x);
}
