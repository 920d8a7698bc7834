import { requireFunction } from '../arguments.js';
import { argumentError } from '../errors.js';
import { shared } from '../shared.js';

const state = shared('gradMode', () => ({
  enabled: true,
  insideRule: false,
  site: undefined as object | undefined,
}));

/** Whether operations are recorded now: false inside of {@link noGrad}. */
export const isGradEnabled = (): boolean => state.enabled;

/** True while the untaped forward of an operation runs; tensors made there are not the user's. */
export const insideRule = (): boolean => state.insideRule;

function withMode<T>(enabled: boolean, insideRule: boolean, fn: () => T): T {
  const enabledBefore = state.enabled;
  const insideBefore = state.insideRule;
  state.enabled = enabled;
  state.insideRule = insideRule;
  try {
    return fn();
  } finally {
    state.enabled = enabledBefore;
    state.insideRule = insideBefore;
  }
}

function synchronous<T>(name: string, result: T): T {
  if (result instanceof Promise)
    throw argumentError(
      `${name}(): the function returned a promise, but the mode is restored as soon as it returns; ` +
        `call ${name} around the synchronous parts`,
    );
  return result;
}

function scoped<T>(name: string, enabled: boolean, fn: () => T): T {
  requireFunction(name, 'fn', fn);
  return synchronous(name, withMode(enabled, state.insideRule, fn));
}

/** Runs `fn` without recording; results do not require gradients. `fn` must be synchronous. */
export const noGrad = <T>(fn: () => T): T => scoped('noGrad', false, fn);

/** Runs `fn` with recording on, also inside `noGrad`. */
export const enableGrad = <T>(fn: () => T): T => scoped('enableGrad', true, fn);

/**
 * `setGradEnabled(false)` turns recording off from here on, `true` on again. With a function, only
 * while that runs.
 */
export function setGradEnabled(enabled: boolean): void;
export function setGradEnabled<T>(enabled: boolean, fn: () => T): T;
export function setGradEnabled<T>(enabled: boolean, fn?: () => T): T | void {
  if (typeof enabled !== 'boolean')
    throw argumentError(`setGradEnabled(): expected true or false, but got ${String(enabled)}`);
  if (fn) return scoped('setGradEnabled', enabled, fn);
  state.enabled = enabled;
}

/** {@link noGrad}. Unlike PyTorch's, the results may take part in recorded operations later. */
export const inferenceMode = <T>(fn: () => T): T => noGrad(fn);

/** What {@link enterOperation} found. */
export interface Mode {
  readonly enabled: boolean;
  readonly insideRule: boolean;
}

/**
 * From here on until {@link leaveOperation}, the inside of an operation runs: untaped, and not visible
 * to the user. A pair of calls and not a wrapper: this stands around every operation.
 */
export function enterOperation(): Mode {
  const before = { enabled: state.enabled, insideRule: state.insideRule };
  state.enabled = false;
  state.insideRule = true;
  return before;
}

export function leaveOperation(before: Mode): void {
  state.enabled = before.enabled;
  state.insideRule = before.insideRule;
}

/** Grad mode of a backward pass: recorded only when a graph of it is wanted. */
export const backwardMode = <T>(createGraph: boolean, fn: () => T): T =>
  withMode(createGraph, false, fn);

/** The object on whose behalf operations run now (a module), for traces. */
export const currentSite = (): object | undefined => state.site;

/** Runs `fn` on behalf of `site`. */
export function atSite<T>(site: object | undefined, fn: () => T): T {
  const before = state.site;
  state.site = site;
  try {
    return fn();
  } finally {
    state.site = before;
  }
}
