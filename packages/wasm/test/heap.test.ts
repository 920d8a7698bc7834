// The allocator against a model of it: a plain list of what is taken.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forAll } from '../../../test/support/properties.js';
import { aligned, Heap } from '../src/memory/heap.js';

const START = 128;
const END = START + 64 * 100;

/** `take`: bytes asked for; `give`: which of the taken blocks goes back. */
const steps = fc.array(
  fc.oneof(
    fc.record({ take: fc.integer({ min: 1, max: 1500 }) }),
    fc.record({ give: fc.nat(1000) }),
  ),
  { maxLength: 80 },
);

interface Taken {
  readonly at: number;
  readonly bytes: number;
}

/** The longest run of bytes that no block of `taken` touches. */
function longestGap(taken: readonly Taken[]): number {
  let [at, longest] = [START, 0];
  for (const block of [...taken].sort((a, b) => a.at - b.at)) {
    longest = Math.max(longest, block.at - at);
    at = block.at + block.bytes;
  }
  return Math.max(longest, END - at);
}

function fresh(): Heap {
  const heap = new Heap(START);
  heap.extend(END);
  return heap;
}

describe('Heap', () => {
  it('hands out what is free, never twice, and refuses only what fits nowhere', () => {
    forAll(
      steps,
      (list) => {
        const heap = fresh();
        const taken: Taken[] = [];
        for (const step of list) {
          if ('take' in step) {
            const bytes = aligned(step.take);
            const fits = longestGap(taken) >= bytes;
            const at = heap.take(step.take);
            expect(at !== null).toBe(fits);
            if (at === null) continue;
            expect(at % 64).toBe(0);
            expect(at >= START && at + bytes <= END).toBe(true);
            for (const other of taken)
              expect(at + bytes <= other.at || other.at + other.bytes <= at).toBe(true);
            taken.push({ at, bytes });
          } else if (taken.length > 0) {
            const [block] = taken.splice(step.give % taken.length, 1);
            heap.give(block.at);
          }
          expect(heap.used).toBe(taken.reduce((sum, { bytes }) => sum + bytes, 0));
        }
        // Whatever was done, neighbouring gaps have merged: everything fits in one piece again.
        for (const { at } of taken) heap.give(at);
        expect(heap.used).toBe(0);
        expect(heap.take(END - START)).toBe(START);
      },
      300,
    );
  });

  it('grows: what is missing is what has to be added', () => {
    forAll(
      fc.tuple(fc.integer({ min: 1, max: 2000 }), fc.integer({ min: 1, max: 20_000 })),
      ([before, bytes]) => {
        const heap = fresh();
        heap.take(before);
        heap.extend(heap.end + heap.missing(bytes));
        expect(heap.take(bytes)).not.toBeNull();
      },
    );
  });

  it('takes the smallest gap that is long enough', () => {
    const heap = fresh();
    const [wide, , narrow] = [heap.take(640), heap.take(64), heap.take(128), heap.take(64)];
    for (const at of [wide, narrow]) heap.give(Number(at));
    expect(heap.take(128)).toBe(narrow);
  });

  it('does not take back what it has not given', () => {
    expect(() => fresh().give(START)).toThrow('no block starts at 128');
  });
});
