import { forkRng, requireFunction } from '@voxgrad/core';
import type { Module } from '../module.js';

/**
 * `new kind(...args)` for weights that are loaded next: the default generator is left as it was, as
 * after PyTorch's skip_init, though here the weights are drawn all the same.
 */
export function skipInit<A extends unknown[], M extends Module>(
  kind: new (...args: A) => M,
  ...args: A
): M {
  requireFunction('skipInit', 'kind', kind);
  return forkRng(() => new kind(...args));
}
