// The scope of a memory budget, and the strategies that compete in it. Apart from what modules ask of a
// budget (`memory-budget.ts`), so that a page without one does not hold them.

import { requireFunction } from '../arguments.js';
import { recomputedLater } from '../autograd/checkpoint.js';
import { heldBytes } from '../autograd/node.js';
import { getDevice } from '../device/registry.js';
import { argumentError } from '../errors.js';
import { describe } from '../tensor/shape.js';
import { Tensor } from '../tensor/tensor.js';
import { defineBuiltin, registerBuiltin } from './catalogue.js';
import { insideOf, state } from './memory-budget.js';
import {
  type CheckpointCall,
  type CheckpointStrategy,
  checkpointOperation,
  checkpointStrategies,
  setBudgetNow,
} from './recompute.js';
import { select } from './registry.js';
import { runStrategy } from './run.js';

defineBuiltin(checkpointOperation);
for (const strategy of checkpointStrategies) registerBuiltin(strategy);

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
