// What every optimizer does with its options: fill in defaults, refuse what PyTorch refuses.

import { argumentError, checkOptions, describe } from '@voxgrad/core';

/** Values for the groups that give none; undefined where each group must give one. */
export type Defaults<O> = { [K in keyof O]-?: O[K] | undefined };

/** Checks an option: `valid` or an error in PyTorch's words. */
export function checkOption(what: string, value: unknown, valid: boolean): void {
  if (!valid || typeof value !== 'number' || Number.isNaN(value))
    throw argumentError(`Invalid ${what}: ${describe(value)}`);
}

/** The checks that most optimizers share, of the options that are there. */
export function checkCommonOptions(o: {
  lr: number;
  eps?: number;
  betas?: readonly [number, number];
  weightDecay?: number;
}): void {
  checkOption('learning rate', o.lr, o.lr >= 0);
  if (o.eps !== undefined) checkOption('epsilon value', o.eps, o.eps >= 0);
  if (o.betas !== undefined && o.betas.length !== 2)
    throw argumentError(`Invalid betas: ${describe(o.betas)} (expected two numbers)`);
  o.betas?.forEach((beta, i) => {
    checkOption(`beta parameter at index ${i}`, beta, beta >= 0 && beta < 1);
  });
  if (o.weightDecay !== undefined)
    checkOption('weight_decay value', o.weightDecay, o.weightDecay >= 0);
}

/** `given` over `defaults`; a name that the class `owner` does not know is an error. */
export function withDefaults<T extends object>(
  owner: string,
  defaults: T,
  given: { readonly [K in keyof T]?: T[K] } = {},
): T {
  const known = Object.entries(defaults).map(([name, value]) => [
    name,
    value === null ? 'nullable' : true,
  ]);
  checkOptions(owner, given, Object.fromEntries(known));
  const set = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...defaults, ...Object.fromEntries(set) };
}
