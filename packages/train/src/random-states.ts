// The sources of random numbers of a run, so that it goes on with the numbers it would have drawn.

import { defaultGenerator, type Generator, type Tensor, tensor } from '@voxgrad/core';
import { bytesOf, listOf, resumeError } from './read.js';

export type RandomState = ReturnType<Generator['getState']>;

export class RandomStates {
  readonly #generators: readonly Generator[];

  /** The default generator, and those of `others` that are different ones. */
  constructor(others: readonly (Generator | undefined)[]) {
    const given = others.filter((generator) => generator !== undefined);
    this.#generators = [...new Set([defaultGenerator(), ...given])];
  }

  get(): readonly RandomState[] {
    return this.#generators.map((generator) => generator.getState());
  }

  set(states: readonly RandomState[]): void {
    this.#generators.forEach((generator, i) => {
      generator.setState(states[i]);
    });
  }

  /** Runs `fn`, and leaves the generators as they were before. */
  unchanged<T>(fn: () => T): T {
    const states = this.get();
    try {
      return fn();
    } finally {
      this.set(states);
    }
  }

  /** One tensor of bytes per generator, as `torch.get_rng_state()` gives; the default one is first. */
  pack(): Tensor[] {
    return this.#generators.map((generator) => tensor(generator.stateBytes(), { device: 'cpu' }));
  }

  /** All or nothing: bytes that are no state change none of them. */
  unpack(name: string, packed: unknown): void {
    const states = listOf(name, packed).map((item) => bytesOf(name, item));
    if (states.length !== this.#generators.length)
      throw resumeError(
        `it holds the states of ${states.length} generators of random numbers, and this run has ` +
          `${this.#generators.length}. Give the loader and the option 'generators' the same ones as before`,
      );
    const before = this.get();
    try {
      this.#generators.forEach((generator, i) => {
        generator.setStateBytes(states[i]);
      });
    } catch (error) {
      this.set(before);
      throw resumeError(`'${name}': ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}
