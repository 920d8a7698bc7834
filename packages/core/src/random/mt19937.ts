// The engine of PyTorch's CPU generator: the Mersenne Twister MT19937 with the seeding `init_genrand` of its authors:
// M. Matsumoto, T. Nishimura, "Mersenne Twister: a 623-dimensionally equidistributed uniform
// pseudo-random number generator", ACM TOMACS 8 (1998), and their mt19937ar.c of 2002.

import { argumentError } from '../errors.js';

const N = 624; // words of state
const M = 397; // distance of the word that is mixed in
const MATRIX_A = 0x9908b0df;
const UPPER_MASK = 0x80000000;
const LOWER_MASK = 0x7fffffff;

/** A copy of an engine: its words, and how many of them have been used. */
export interface Mt19937State {
  readonly words: Uint32Array;
  /** 0 to 624; at 624 the next draw makes new words first. */
  readonly used: number;
}

/** The engine: equally distributed 32-bit words, 2^19937 - 1 of them before they repeat. */
export class Mt19937 {
  #words = new Uint32Array(N);
  #used = N;

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
    this.#used = N;
  }

  nextUint32(): number {
    if (this.#used === N) this.#renew();
    let y = this.#words[this.#used++];
    y ^= y >>> 11;
    y ^= (y << 7) & 0x9d2c5680;
    y ^= (y << 15) & 0xefc60000;
    y ^= y >>> 18;
    return y >>> 0;
  }

  /** A copy, which later draws leave alone. */
  getState(): Mt19937State {
    return { words: this.#words.slice(), used: this.#used };
  }

  setState(state: Mt19937State): void {
    const { words, used } = state;
    if (words.length !== N || !Number.isInteger(used) || used < 0 || used > N) {
      throw argumentError(
        `expected the state of an MT19937 (${N} words, 0 to ${N} of them used), ` +
          `but got ${words.length} words with ${used} used`,
      );
    }
    this.#words.set(words);
    this.#used = used;
  }

  #renew(): void {
    const words = this.#words;
    for (let i = 0; i < N; i++) {
      const y = (words[i] & UPPER_MASK) | (words[(i + 1) % N] & LOWER_MASK);
      words[i] = words[(i + M) % N] ^ (y >>> 1) ^ (y & 1 ? MATRIX_A : 0);
    }
    this.#used = 0;
  }
}
