// Choices that a seed repeats.

import { randoms } from '../../../../test/support/randoms.js';

export class Chooser {
  readonly #next: () => number;

  /** The choices of input number `index` under `seed`. */
  constructor(seed: number, index: number) {
    // Neighbouring inputs have nothing in common.
    this.#next = randoms(Math.imul(seed, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b));
  }

  /** An integer from 0 to before `n`. */
  below(n: number): number {
    return Math.floor(this.#next() * n);
  }

  /** True once in `n` times. */
  oneIn(n: number): boolean {
    return this.below(n) === 0;
  }

  of<T>(items: readonly T[]): T {
    return items[this.below(items.length)];
  }

  /** A length of 1 to `most`, mostly a small one, and half of the time 1. */
  length(most: number): number {
    if (this.oneIn(2)) return 1;
    return Math.min(most, 1 + Math.floor(2 ** (this.#next() * Math.log2(most + 1)) - 1));
  }
}
