// What a part of a model does under a memory budget: keep what its backward needs, or keep its inputs
// alone and run again. Both are strategies of `checkpoint`, so that `explain` and traces tell which, and
// a user may force one.

import { argumentError } from '../errors.js';
import { shared } from '../shared.js';
import type { DType } from '../tensor/dtype.js';
import { describe } from '../tensor/shape.js';
import type { Operation } from './operation.js';
import { dtypeOf } from './sizes.js';
import type { Strategy } from './types.js';

/** `explain('checkpoint', { inputs: [[2, 8, 4, 4, 4]], dtype: 'float32' })`, inside of a budget. */
export interface CheckpointCall {
  /** Shapes of the inputs of the part. */
  readonly inputs: readonly (readonly number[])[];
  readonly dtype: DType;
  /** What graphs hold, and the budget; those of the moment if omitted, and no budget where there is none. */
  readonly heldBytes?: number;
  readonly budgetBytes?: number;
}

export interface CheckpointTensors {
  readonly keep: () => unknown;
  readonly recompute: () => unknown;
}

export type CheckpointStrategy = Strategy<CheckpointCall, CheckpointTensors, unknown>;

/** How much graphs hold now, within which budget; null outside of any. */
export type BudgetNow = () => { readonly heldBytes: number; readonly budgetBytes: number } | null;

const state = shared('strategies.checkpoint', () => ({ now: null as BudgetNow | null }));

/** Lets `explain` see the budget that is in force. */
export function setBudgetNow(now: BudgetNow | null): BudgetNow | null {
  const before = state.now;
  state.now = now;
  return before;
}

/** What is kept for good may take this much of a budget; the rest is for parts that run again. */
export const KEPT_SHARE = 0.5;

const numbersOf = ({ heldBytes, budgetBytes }: CheckpointCall) =>
  heldBytes !== undefined && budgetBytes !== undefined
    ? { heldBytes, budgetBytes }
    : (state.now?.() ?? null);

function describeBudget(call: CheckpointCall): string {
  const numbers = numbersOf(call);
  return numbers
    ? `graphs hold ${numbers.heldBytes} bytes of a budget of ${numbers.budgetBytes}`
    : 'there is no memory budget';
}

const op = 'checkpoint';

const keep: CheckpointStrategy = {
  op,
  name: 'keep',
  kind: 'fused',
  supports: (call) => ({ ok: true, reasons: [describeBudget(call)] }),
  cost(call) {
    const numbers = numbersOf(call);
    const fits = !numbers || numbers.heldBytes < KEPT_SHARE * numbers.budgetBytes;
    return fits ? 0 : Number.POSITIVE_INFINITY;
  },
  run: (_, parts) => parts.keep(),
};

const recompute: CheckpointStrategy = {
  op,
  name: 'recompute',
  kind: 'composite',
  supports: (call) => ({
    ok: true,
    reasons: [describeBudget(call), 'the part keeps its inputs alone, and runs again in backward'],
  }),
  cost: () => 1,
  run: (_, parts) => parts.recompute(),
};

const isShapes = (value: unknown): value is readonly (readonly number[])[] =>
  Array.isArray(value) && value.every(Array.isArray);

// Without a key: what graphs hold changes from call to call.
export const checkpointOperation: Operation<CheckpointCall, CheckpointTensors> = {
  op,
  normalize(name, call) {
    const { inputs, heldBytes, budgetBytes } = call as CheckpointCall;
    if (!isShapes(inputs))
      throw argumentError(
        `explain('${name}'): expected a call with the shapes of the inputs, inputs: number[][], but got ${describe(call)}`,
      );
    return { inputs, dtype: dtypeOf(call), heldBytes, budgetBytes };
  },
  plain: (call) => call,
};

export const checkpointStrategies = [keep, recompute];
