import { defaultGenerator } from '@voxgrad/core';
import type { Module } from './module.js';

/** What `make` returns, with its draws from the random stream taken back. */
export function withoutDraws<T>(make: () => T): T {
  const generator = defaultGenerator();
  const before = generator.getState();
  const made = make();
  generator.setState(before);
  return made;
}

/** A copy of `original`: what `make` builds, with the state and the modes of the original. */
export function rebuild<M extends Module>(original: M, make: () => M): M {
  const copy = withoutDraws(make);
  copy.loadStateDict(original.stateDict());
  const modules = copy.modules();
  for (const [i, module] of original.modules().entries()) modules[i].training = module.training;
  const parameters = copy.parameters();
  for (const [i, { requiresGrad }] of original.parameters().entries())
    parameters[i].requiresGrad = requiresGrad;
  return copy;
}
