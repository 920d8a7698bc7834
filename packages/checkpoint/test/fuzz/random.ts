// Choices that a seed repeats.

/** Equal numbers in [0, 1) for equal seeds (mulberry32). */
export function randoms(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

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
