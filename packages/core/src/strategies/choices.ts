// Who may decide instead of cost: the call or its module, scopes, and `use`.

import { argumentError } from '../errors.js';
import { shared } from '../shared.js';
import { describe } from '../tensor/shape.js';
import { canonical, catalogueChanged, find } from './catalogue.js';

/** Operation names to the name of the strategy to force; null gives the choice back. */
export type Choices = Readonly<Record<string, string | null>>;

const state = shared('strategies.choices', () => ({
  global: new Map<string, string>(),
  scopes: [] as Choices[],
}));

function checkChoices(choices: Choices): void {
  if (typeof choices !== 'object' || choices === null)
    throw argumentError(
      `strategies: expected choices such as { conv3d: 'composite' }, but got ${describe(choices)}`,
    );
  for (const [op, name] of Object.entries(choices)) if (name !== null) find(op, name);
}

/** Forces strategies globally, by operation: `use({ conv3d: 'composite' })`; null lets go. */
export function use(choices: Choices): void {
  checkChoices(choices);
  for (const [op, name] of Object.entries(choices)) {
    if (name === null) state.global.delete(canonical(op));
    else state.global.set(canonical(op), name);
  }
  catalogueChanged();
}

/** A choice of what is gone would make every later call fail. */
export function dropChoice(op: string, name: string): void {
  if (state.global.get(op) === name) state.global.delete(op);
}

/**
 * Forces strategies while `fn` runs. Convolutions recorded inside keep the choice for their
 * backward, unless another scope is active when that runs.
 */
function withChoices<T>(choices: Choices, fn: () => T): T {
  checkChoices(choices);
  const normalized = Object.fromEntries(
    Object.entries(choices).map(([op, name]) => [canonical(op), name]),
  );
  state.scopes.push(normalized);
  try {
    const result = fn();
    if (result instanceof Promise)
      throw argumentError(
        'strategies.with(): the function returned a promise, but the scope ends as soon as it ' +
          'returns; pass { backward } to the calls or modules instead',
      );
    return result;
  } finally {
    state.scopes.pop();
  }
}

export { withChoices as with };

/** The choice of the innermost scope that names `op`, a canonical name. */
export function scopedChoice(op: string): string | null | undefined {
  for (let i = state.scopes.length - 1; i >= 0; i--) {
    const choice = state.scopes[i][op];
    if (choice !== undefined) return choice;
  }
  return undefined;
}

/** What a call may force, from the strongest to the weakest. */
export interface Forcing {
  /** Named by the call or its module. */
  readonly explicit?: string;
  /** The scope in which the call was recorded. */
  readonly recorded?: string | null;
}

/** The strategy that somebody decided on for `op`, a canonical name, and who. */
export function forcedName(op: string, forcing: Forcing): { name: string; by: string } | null {
  if (forcing.explicit !== undefined) return { name: forcing.explicit, by: 'the call' };
  const active = scopedChoice(op);
  const scoped = active === undefined ? forcing.recorded : active;
  if (scoped === null) return null; // a scope that gives the choice back, also from `use`
  if (scoped !== undefined) return { name: scoped, by: 'strategies.with' };
  const global = state.global.get(op);
  return global === undefined ? null : { name: global, by: 'strategies.use' };
}
