// Recomputation where memory asks for it. While a forward runs, the bytes that its graph holds are
// counted. Half of the budget is for what is kept; beyond, parts of the model are checkpointed: they keep
// their inputs alone, and run again in backward, one after another, within the other half.

import { requireFunction } from '../arguments.js';
import { isRecomputing } from '../autograd/checkpoint.js';
import { isGradEnabled } from '../autograd/mode.js';
import { heldBytes } from '../autograd/node.js';
import { shared } from '../shared.js';
import { KEPT_SHARE } from './recompute.js';

interface Budget {
  readonly bytes: number;
  /** What graphs held before. */
  readonly base: number;
  /** Runs a part so that it runs again in backward; brought by the budget, so that programs without one do not hold it. */
  readonly runLater: <A extends unknown[], O>(fn: (...inputs: A) => O, inputs: A) => O;
}

/** The budget in force; `budget-scope.ts` sets it. */
export const state = shared('strategies.memoryBudget', () => ({
  budget: null as Budget | null,
  /** Inside of a part that will run again: it is not cut further. */
  inside: false,
  /** Calls of modules that are open. */
  depth: 0,
}));

/** Whether parts of what runs now may be recomputed. */
export const mayRecompute = (): boolean =>
  state.budget !== null && !state.inside && isGradEnabled() && !isRecomputing();

/** Whether graphs hold as much as is kept for good. */
export const budgetReached = (): boolean =>
  state.budget !== null && heldBytes() - state.budget.base >= KEPT_SHARE * state.budget.bytes;

/**
 * A part of a model that may run again in backward: runs `fn(...inputs)`, and where the memory budget is
 * used up, keeps the inputs alone. `fn` must compute the same each time, and return tensors.
 */
export function recomputable<A extends unknown[], O>(fn: (...inputs: A) => O, ...inputs: A): O {
  requireFunction('strategies.recomputable', 'fn', fn);
  const { budget } = state;
  if (!budget || !mayRecompute() || !budgetReached()) return fn(...inputs);
  return budget.runLater(fn, inputs);
}

/** `fn` as a part that is not cut further. */
export const insideOf =
  <A extends unknown[], O>(fn: (...inputs: A) => O) =>
  (...inputs: A): O => {
    const before = state.inside;
    state.inside = true;
    try {
      return fn(...inputs);
    } finally {
      state.inside = before;
    }
  };

/**
 * Runs the forward of a module. One of several layers is a part, unless it is the whole model: to run
 * that again would save nothing.
 */
export function asPart<A extends unknown[], O>(
  several: boolean,
  fn: (...inputs: A) => O,
  inputs: A,
): O {
  requireFunction('asPart', 'fn', fn);
  const part = several && state.depth > 0;
  state.depth++;
  try {
    return part ? recomputable(fn, ...inputs) : fn(...inputs);
  } finally {
    state.depth--;
  }
}

/**
 * Where to end a part of a chain of `steps`, asked after each step how many it has. With `n` steps that
 * save `s` bytes each and parts that keep `i` bytes of input, parts of √(n·i/s) steps hold least in all
 * (Chen et al., arXiv:1604.06174, for i = s); they may be longer, up to half the budget.
 */
export function partEnd(steps: number, inputBytes: number): (done: number) => boolean {
  const start = heldBytes();
  const most = (state.budget?.bytes ?? 0) * (1 - KEPT_SHARE);
  return (done) => {
    const saved = heldBytes() - start;
    return saved >= most && done * saved >= steps * inputBytes;
  };
}
