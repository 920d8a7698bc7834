// Which curve a scheduler's state goes on with: PyTorch 1.13 saves a function, which a checkpoint
// gives as its name, and later versions a word.

import { field } from '../plain.js';

export type AnnealStrategy = 'cos' | 'linear';

/** The curve that a state names, if it does. */
export function annealingIn(state: object): AnnealStrategy | undefined {
  for (const key of ['_anneal_func_type', '_anneal_strategy', 'anneal_func']) {
    const value = field(state, key);
    if (typeof value !== 'string') continue;
    if (/linear/.test(value)) return 'linear';
    if (/cos/.test(value)) return 'cos';
  }
  return undefined;
}
