// How often properties run, and from which seed: here and nowhere else.
//
// Every run draws the same cases. `VOXGRAD_RUNS=20` tries twenty times as many, `VOXGRAD_SEED=7` others.

import fc from 'fast-check';

const SEED = 20_260_101;

const seed = Number(process.env.VOXGRAD_SEED ?? SEED);
const factor = Number(process.env.VOXGRAD_RUNS ?? 1);

/** Checks `predicate` (which throws or returns false where it fails) on `runs` drawn values. */
export const forAll = <T>(
  arbitrary: fc.Arbitrary<T>,
  predicate: (value: T) => boolean | void,
  runs = 100,
): void =>
  fc.assert(fc.property(arbitrary, predicate), { seed, numRuns: Math.ceil(runs * factor) });
