// How arguments are read: a customary number that may stand alone, and PyTorch's `inplace`.

import { isGradEnabled, type Tensor } from '@voxgrad/core';

/** Options, of which the number under `key` may be given alone: `f(x, 0.1)`, `f(x, { slope: 0.1 })`. */
export const optionsOf = <K extends string, O extends { readonly [P in K]?: number | undefined }>(
  given: number | O,
  key: K,
): O => (typeof given === 'number' ? ({ [key]: given } as unknown as O) : given);

export interface InPlaceOptions {
  /**
   * Writes the result into the input and returns that. Where the tape does not allow it (the input
   * shares its storage with a view) the result is a new tensor and the input stays as it is.
   */
  inplace?: boolean;
}

/** `f(x)`, written into `x`; an error where the tape does not allow that. */
export function inPlace(operation: string, x: Tensor, f: (x: Tensor) => Tensor): Tensor {
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
