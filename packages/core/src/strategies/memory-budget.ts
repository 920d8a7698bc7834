// Recomputation where memory asks for it. While a forward runs, the bytes that its graph holds are
// counted. Half of the budget is for what is kept; beyond, parts of the model are checkpointed: they keep
// their inputs alone, and run again in backward, one after another, within the other half.

import { requireFunction } from '../arguments.js';
import { isRecomputing, recomputedLater } from '../autograd/checkpoint.js';
import { isGradEnabled } from '../autograd/mode.js';
import { heldBytes } from '../autograd/node.js';
import { getDevice } from '../device/registry.js';
import { argumentError } from '../errors.js';
import { shared } from '../shared.js';
import { describe } from '../tensor/shape.js';
import { Tensor } from '../tensor/tensor.js';
import {
  type CheckpointCall,
  type CheckpointStrategy,
  KEPT_SHARE,
  setBudgetNow,
} from './recompute.js';
import { select } from './registry.js';
import { runStrategy } from './run.js';

interface Budget {
  readonly bytes: number;
  /** What graphs held before. */
  readonly base: number;
  /** Runs a part so that it runs again in backward; brought by the budget, so that programs without one do not hold it. */
  readonly runLater: <A extends unknown[], O>(fn: (...inputs: A) => O, inputs: A) => O;
}

const state = shared('strategies.memoryBudget', () => ({
  budget: null as Budget | null,
  /** Inside of a part that will run again: it is not cut further. */
  inside: false,
  /** Calls of modules that are open. */
  depth: 0,
}));

/**
 * Lets the graphs recorded while `fn` runs hold about `bytes` for backward (parameters aside, and as far
 * as the model has parts that fit). What a forward saves beyond half of that, it saves as the inputs of
 * whole parts, which run again in backward: parts of an `nn.Sequential`, modules of several layers inside
 * another module, and what is passed to {@link recomputable}. Gradients are those of a run without a
 * budget; hooks inside of a part run twice. Make one call for each training step.
 *
 * @param bytes 0 recomputes all that can be; Infinity nothing
 * @throws VoxgradError ARGUMENT where `fn` returns a promise: the budget ends with the call
 */
export function memoryBudget<T>(bytes: number, fn: () => T): T {
  if (typeof bytes !== 'number' || !(bytes >= 0))
    throw argumentError(
      `strategies.memoryBudget(): bytes must be a number from 0 on, but got ${describe(bytes)}`,
    );
  requireFunction('strategies.memoryBudget', 'fn', fn);
  const before = { ...state };
  const base = heldBytes();
  state.budget = {
    bytes,
    base,
    runLater: <A extends unknown[], O>(part: (...inputs: A) => O, inputs: A): O => {
      const tensors = inputs.filter((x) => x instanceof Tensor);
      const call: CheckpointCall = {
        inputs: tensors.map((x) => x.shape),
        dtype: tensors[0]?.dtype ?? 'float32',
        heldBytes: heldBytes() - base,
        budgetBytes: bytes,
      };
      const device = tensors[0]?.device ?? getDevice();
      const ways = {
        keep: () => part(...inputs),
        recompute: () => recomputedLater({ preserve: true, release: true }, insideOf(part), inputs),
      };
      const strategy = select<CheckpointStrategy>('checkpoint', call, device);
      return runStrategy(strategy, call, ways, [true, true, true]) as O;
    },
  };
  const outer = setBudgetNow(() => ({ heldBytes: heldBytes() - base, budgetBytes: bytes }));
  state.inside = false;
  state.depth = 0;
  try {
    const result = fn();
    if (result instanceof Promise)
      throw argumentError(
        'strategies.memoryBudget(): the function returned a promise, but the budget ends as soon as it ' +
          'returns; put the synchronous part of a step into it',
      );
    return result;
  } finally {
    setBudgetNow(outer);
    state.budget = before.budget;
    state.inside = before.inside;
    state.depth = before.depth;
  }
}

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
const insideOf =
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
