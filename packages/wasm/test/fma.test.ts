// Fused multiply-adds: only where they are asked for, then in every algorithm, within the bounds of
// `precision`, and with the same bits on any number of threads.

import { describe, expect, it } from 'vitest';
import { BOUND } from './support/precision.js';
import { runProgram } from './support/programs.js';

interface Outcome {
  readonly byDefault: boolean[];
  readonly refused: boolean;
  readonly results: {
    readonly name: string;
    readonly precision: 'exact' | 'balanced' | 'fast';
    readonly dtype: 'float32' | 'float64';
    readonly sameAsUnfused: boolean;
    readonly sameOnTwoThreads: boolean;
    /** Fused and not, float32 alone. */
    readonly errors: number[];
  }[];
}

// Later versions of Node have relaxed SIMD without a flag, and do not know this one.
const flags = Number(process.versions.node.split('.')[0]) < 22 ? ['relaxed-simd'] : [];
const outcome = await runProgram<Outcome>(
  'fma.ts',
  flags.map((flag) => `--experimental-wasm-${flag}`),
);

it('are asked for by precision fast or by fma, and fma: false wins', () => {
  expect(outcome.byDefault).toEqual([false, false, true]);
  expect(outcome.refused).toBe(false);
});

describe.each(outcome.results)('$name, $dtype', ({ name, precision, dtype, ...result }) => {
  it('has the same bits on two threads', () => {
    expect(result.sameOnTwoThreads).toBe(true);
  });

  // Transforms, which float64 does not take, have no product that a sum follows.
  const same = name === 'fft' && dtype === 'float32';
  it(same ? 'keeps the bits of separate operations' : 'changes the last bits', () => {
    expect(result.sameAsUnfused).toBe(same);
  });

  // float64 is what errors are measured against.
  if (dtype === 'float64') return;
  it('keeps the bound', () => {
    // Plain sums in float32 of these few hundred products err by less than the bound of balanced.
    const bound = BOUND[precision === 'exact' ? 'balanced' : precision];
    expect(Math.max(...result.errors)).toBeLessThan(bound);
  });
});
