// Formats that hold named tensors and nothing else.

import { Tensor } from '@voxgrad/core';
import { CheckpointError } from '../error.js';

/**
 * The tensors of `value`, a Map or plain object, by name.
 * @param format as messages call it
 */
export function tensorsByName(value: unknown, format: string): [string, Tensor][] {
  if (
    typeof value !== 'object' ||
    value === null ||
    Array.isArray(value) ||
    value instanceof Tensor
  )
    throw new CheckpointError('VALUE', `${format} holds named tensors: save a Map of them`);
  const entries: [unknown, unknown][] = value instanceof Map ? [...value] : Object.entries(value);
  return entries.map(([name, tensor]) => {
    if (typeof name !== 'string' || /\p{Surrogate}/u.test(name))
      throw new CheckpointError(
        'VALUE',
        `${typeof name === 'string' ? JSON.stringify(name) : String(name)} is no name of a tensor in ${format}`,
      );
    if (!(tensor instanceof Tensor))
      throw new CheckpointError(
        'VALUE',
        `is not a tensor, and ${format} holds nothing else. Use { format: 'torch' }`,
        { path: [name] },
      );
    return [name, tensor];
  });
}
