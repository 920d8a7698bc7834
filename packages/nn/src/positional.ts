// PyTorch's optional tensors, which its programs give by position: `F.batch_norm(x, mean, var, w, b)`.

import { argumentError, checkOptions, describe, type OptionTable, Tensor } from '@voxgrad/core';

/**
 * The options in `given`: tensors (null for none) in the order of `names`, then an object, which may
 * hold the tensors too.
 */
export function tensorsThenOptions<O extends object>(
  operation: string,
  names: readonly (keyof O & string)[],
  known: OptionTable<O>,
  given: readonly unknown[],
): O {
  const [only] = given;
  if (given.length === 1 && !(only instanceof Tensor || only === null)) {
    checkOptions(operation, only, known);
    return (only ?? {}) as O;
  }
  const absent = (value: unknown) => value === null || value === undefined;
  const end = given.findIndex(
    (value, i) => !(value instanceof Tensor || absent(value)) || i === names.length,
  );
  const tensors = end === -1 ? given : given.slice(0, end);
  const [options, ...surplus] = end === -1 ? [] : given.slice(end);
  if (surplus.some((value) => value !== undefined))
    throw argumentError(
      `${operation}(): expected nothing after the options, but got ${surplus.map(describe).join(', ')}`,
    );
  checkOptions(operation, options, known);
  const named = tensors.flatMap((value, i) => (absent(value) ? [] : [[names[i], value]]));
  return { ...(options as O | undefined), ...Object.fromEntries(named) };
}

/** The tensors by position that `names` of `O` stand for, then the rest of the options. */
export type TensorsThenOptions<O> =
  | readonly [options?: O]
  | readonly [first: Tensor | null, ...rest: readonly (Tensor | null | undefined | O)[]];
