import { outsideCollections } from '../tensor/temporaries.js';
import type { Strategy } from './types.js';

/** Runs a strategy; one of a user may keep the tensors that it makes. */
export const runStrategy = <Call, Tensors, Result>(
  strategy: Strategy<Call, Tensors, Result>,
  ...[call, tensors, needs]: Parameters<Strategy<Call, Tensors, Result>['run']>
): Result => {
  const run = () => strategy.run(call, tensors, needs);
  return strategy.kind === 'custom' ? outsideCollections(run) : run();
};
