import { requireFunction } from '../arguments.js';
import { argumentError } from '../errors.js';
import type { Storage } from './storage.js';
import { hide, hiding, releasing } from './temporaries.js';
import { Tensor } from './tensor.js';

/**
 * Runs `fn` and gives the memory of every tensor made in it back at its end, except for those in
 * what it returns (a tensor, or arrays, plain objects, Maps and Sets of them), gradients of leaves,
 * and the state of optimizers. Never needed for correctness or flat memory; it makes room sooner.
 *
 * A tensor that left by another way throws when its elements are read. So does a backward through
 * the graph of what is returned, if the tensors that it saved were made inside: call `backward`
 * within the scope.
 *
 * @throws VoxgradError ARGUMENT for an asynchronous function
 */
export function scope<T>(fn: () => T): T {
  requireFunction('scope', 'fn', fn);
  return releasing(() => {
    const result = fn();
    if (result instanceof Promise)
      throw argumentError(
        'scope(): the function returned a promise, but the scope ends as soon as it returns; call scope ' +
          'around the synchronous parts',
      );
    return result;
  }, storagesIn);
}

/**
 * Internal: runs a part of a module library whose tensors no user can reach, but for what it returns
 * (see {@link hiding}).
 */
export const unseen = <T>(fn: () => T): T => hiding(fn, storagesIn);

/** Internal: the library has used up a tensor that no user has seen. */
export const usedUp = ({ storage }: Tensor): void => hide(storage);

/** Internal: the storages of all tensors in a value. */
export function storagesIn(value: unknown): Set<Storage> {
  const found = new Set<Storage>();
  const seen = new Set<unknown>();
  const visit = (part: unknown): void => {
    if (typeof part !== 'object' || part === null || seen.has(part)) return;
    seen.add(part);
    if (part instanceof Tensor) {
      found.add(part.storage);
      visit(part.grad);
    } else if (part instanceof Map)
      for (const [key, item] of part) {
        visit(key);
        visit(item);
      }
    else if (Array.isArray(part) || part instanceof Set) for (const item of part) visit(item);
    else for (const item of Object.values(part)) visit(item);
  };
  visit(value);
  return found;
}
