// Numbers that options take.

import { argumentError, describe } from '@voxgrad/core';

export function checkCount(owner: string, name: string, value: unknown, least: number): void {
  if (value === undefined || (Number.isInteger(value) && Number(value) >= least)) return;
  throw argumentError(
    `${owner}: ${name} should be a whole number from ${least} on, but got ${describe(value)}`,
  );
}

export function checkPositive(owner: string, name: string, value: unknown): void {
  if (value === undefined || (typeof value === 'number' && value > 0)) return;
  throw argumentError(`${owner}: ${name} should be a number above 0, but got ${describe(value)}`);
}
