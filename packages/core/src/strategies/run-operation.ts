import { type DeviceLike, getDevice } from '../device/registry.js';
import type { Needs } from '../ops/conv/geometry.js';
import { checkOptions, type OptionTable } from '../options.js';
import { type AnyStrategy, canonical, checkStrategyName, known } from './catalogue.js';
import { select } from './registry.js';
import { runStrategy } from './run.js';
import type { Strategy } from './types.js';

/** Options of {@link strategies.run}. */
export interface RunOptions {
  /** Where the tensors are; the default device if omitted. */
  device?: DeviceLike;
  /** Which results are wanted; all if omitted. */
  needs?: Needs;
  /** The strategy to take whatever the others cost. */
  strategy?: string;
}

const OPTIONS: OptionTable<RunOptions> = { device: true, needs: true, strategy: true };

/**
 * Runs an operation by the strategy that is forced or cheapest, and writes it to the active traces: for
 * operations made known by {@link define}. Inside `defineFunction`'s forward, it has a derivative too.
 */
export function run<C, T, R>(op: string, call: C, tensors: T, options: RunOptions = {}): R {
  checkOptions('strategies.run', options, OPTIONS);
  const { needs = [true, true, true], strategy: explicit } = options;
  const { operation } = known(op);
  checkStrategyName(op, explicit);
  const full = operation.normalize ? operation.normalize(op, call as object) : call;
  const strategy: AnyStrategy = select(canonical(op), full, getDevice(options.device), {
    explicit,
  });
  return runStrategy(strategy as unknown as Strategy<C, T, R>, full as C, tensors, needs);
}
