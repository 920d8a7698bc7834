// The engine of PyTorch's CPU generator: the Mersenne Twister MT19937 with the seeding `init_genrand` of its authors:
// M. Matsumoto, T. Nishimura, "Mersenne Twister: a 623-dimensionally equidistributed uniform
// pseudo-random number generator", ACM TOMACS 8 (1998), and their mt19937ar.c of 2002.

import { argumentError } from '../errors.js';

const N = 624; // words of state
const M = 397; // distance of the word that is mixed in
const MATRIX_A = 0x9908b0df;
const UPPER_MASK = 0x80000000;
const LOWER_MASK = 0x7fffffff;

/** A copy of an engine, in the terms of PyTorch's. */
export interface Mt19937State {
  readonly words: Uint32Array;
  /** 1 to 624: the draws until new words are made, the one that makes them included. */
  readonly left: number;
  /** 0 to 624: where the next word is read, unless new ones are made first. */
  readonly next: number;
}

/** Whether every draw from the state finds a word. */
const isValid = ({ words, left, next }: Mt19937State): boolean =>
  words.length === N &&
  [left, next].every(Number.isInteger) &&
  left >= 1 &&
  left <= N &&
  next >= 0 &&
  next <= N &&
  (left === 1 || next + left <= N + 1);

/** The engine: equally distributed 32-bit words, 2^19937 - 1 of them before they repeat. */
export class Mt19937 {
  #words = new Uint32Array(N);
  #left = 1;
  #next = 0;

  /** Of `seed` the lower 32 bits count. */
  constructor(seed: number) {
    this.seed(seed);
  }

  /** `init_genrand`: starts over from the lower 32 bits of `seed`. */
  seed(seed: number): void {
    const words = this.#words;
    words[0] = seed;
    for (let i = 1; i < N; i++) {
      const previous = words[i - 1] ^ (words[i - 1] >>> 30);
      words[i] = Math.imul(1812433253, previous) + i;
    }
    this.#left = 1;
    this.#next = 0;
  }

  nextUint32(): number {
    if (--this.#left === 0) this.#renew();
    let y = this.#words[this.#next++];
    y ^= y >>> 11;
    y ^= (y << 7) & 0x9d2c5680;
    y ^= (y << 15) & 0xefc60000;
    y ^= y >>> 18;
    return y >>> 0;
  }

  /** A copy, which later draws leave alone. */
  getState(): Mt19937State {
    return { words: this.#words.slice(), left: this.#left, next: this.#next };
  }

  setState(state: Mt19937State): void {
    if (!isValid(state)) {
      throw argumentError(
        `Invalid mt19937 state: expected ${N} words, but got ${state.words.length} of them, ` +
          `the next at ${state.next} and ${state.left} left`,
      );
    }
    this.#words.set(state.words);
    this.#left = state.left;
    this.#next = state.next;
  }

  #renew(): void {
    const words = this.#words;
    for (let i = 0; i < N; i++) {
      const y = (words[i] & UPPER_MASK) | (words[(i + 1) % N] & LOWER_MASK);
      words[i] = words[(i + M) % N] ^ (y >>> 1) ^ (y & 1 ? MATRIX_A : 0);
    }
    this.#left = N;
    this.#next = 0;
  }
}
