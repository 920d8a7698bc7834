import type { Module } from './module.js';

/**
 * Whether a module is one of the library's own layers that keep no tensor of a call, unchanged: what
 * a class declares (`static readonly keepsNothing = true`) does not hold for its subclasses. What such
 * a layer makes and does not return can go back to the device at once.
 */
export function keepsNothing(module: Module): boolean {
  return (
    Object.hasOwn(module.constructor, 'keepsNothing') &&
    !module.isWatched &&
    !Object.hasOwn(module, 'forward') &&
    !('parametrizations' in module)
  );
}
