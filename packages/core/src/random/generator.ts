// The source of all random numbers, as PyTorch's CPUGeneratorImpl: equal seeds give equal streams.

import { argumentError } from '../errors.js';
import { shared } from '../shared.js';
import { describe } from '../tensor/shape.js';
import { Mt19937, type Mt19937State } from './mt19937.js';
import { decodeState, encodeState } from './state-bytes.js';

// PyTorch's default_rng_seed_val, from which a `torch.Generator()` starts. (torch's own default
// generator starts from a random seed; voxgrad's from this one, so that every run can be repeated.)
const DEFAULT_SEED = 67280421310721;
const LOWEST_SEED = -(2n ** 63n);
const HIGHEST_SEED = 2n ** 64n - 1n;

/** All that the next numbers of a {@link Generator} depend on. */
export interface GeneratorState {
  readonly seed: bigint;
  readonly engine: Mt19937State;
  /** The second half of a pair of normal samples whose first half has been given out. */
  readonly cachedNormal: number | undefined;
  /** PyTorch keeps a float32 sample too, which nothing on the CPU reads; states carry it along. */
  readonly cachedNormal32: number | undefined;
}

/** A stream of random numbers, those of PyTorch on the CPU for the same seed. */
export class Generator {
  #seed = 0n;
  #cachedNormal: number | undefined;
  #cachedNormal32: number | undefined;
  readonly #engine = new Mt19937(0);

  constructor(seed: number | bigint = DEFAULT_SEED) {
    this.manualSeed(seed);
  }

  /**
   * Starts over from `seed`, an integer from -2^63 to 2^64 - 1. A negative one counts from 2^64
   * downwards. The engine takes the lower 32 bits only.
   */
  manualSeed(seed: number | bigint): this {
    if (typeof seed !== 'bigint' && !Number.isInteger(seed)) {
      throw argumentError(`expected an integer as the seed, but got ${String(seed)}`);
    }
    const given = BigInt(seed);
    if (given < LOWEST_SEED || given > HIGHEST_SEED) {
      throw argumentError(`expected a seed of 64 bits (-2^63 to 2^64 - 1), but got ${given}`);
    }
    this.#seed = BigInt.asUintN(64, given);
    this.#engine.seed(Number(BigInt.asUintN(32, given)));
    this.#cachedNormal = undefined;
    this.#cachedNormal32 = undefined;
    return this;
  }

  /** Starts over from a seed that nobody can foresee, and returns it. */
  seed(): bigint {
    const [seed] = crypto.getRandomValues(new BigUint64Array(1));
    this.manualSeed(seed);
    return seed;
  }

  /** The seed in use, 0 to 2^64 - 1. */
  get initialSeed(): bigint {
    return this.#seed;
  }

  uint32(): number {
    return this.#engine.nextUint32();
  }

  /** Two draws, the first in the upper half. */
  uint64(): bigint {
    const high = BigInt(this.uint32());
    return (high << 32n) | BigInt(this.uint32());
  }

  /** 0 to 1 - 2^-24 in steps of 2^-24: a float32. One draw. */
  uniform32(): number {
    return (this.uint32() & 0xffffff) * 2 ** -24;
  }

  /** 0 to 1 - 2^-53 in steps of 2^-53. Two draws, the lower 53 bits of `uint64`. */
  uniform64(): number {
    const high = this.uint32() & 0x1fffff;
    return (high * 2 ** 32 + this.uint32()) * 2 ** -53;
  }

  /** 0 to 1 - 2^-digits in steps of 2^-digits; one draw for up to 24 digits, two for 53. */
  uniform(digits: number): number {
    return digits === 53 ? this.uniform64() : (this.uint32() & ((1 << digits) - 1)) / (1 << digits);
  }

  /** Keeps a normal sample until the next `takeNormal`, `manualSeed` or `setState`. */
  keepNormal(sample: number): void {
    this.#cachedNormal = sample;
  }

  takeNormal(): number | undefined {
    const sample = this.#cachedNormal;
    this.#cachedNormal = undefined;
    return sample;
  }

  /** A copy, which later draws leave alone. */
  getState(): GeneratorState {
    return {
      seed: this.#seed,
      engine: this.#engine.getState(),
      cachedNormal: this.#cachedNormal,
      cachedNormal32: this.#cachedNormal32,
    };
  }

  setState(state: GeneratorState): this {
    if (typeof state?.seed !== 'bigint' || typeof state.engine !== 'object')
      throw argumentError(`setState(): expected a state of getState(), but got ${describe(state)}`);
    this.#engine.setState(state.engine);
    this.#seed = state.seed;
    this.#cachedNormal = state.cachedNormal;
    this.#cachedNormal32 = state.cachedNormal32;
    return this;
  }

  /** The state as the 5056 bytes of PyTorch's `Generator.get_state()`. */
  stateBytes(): Uint8Array<ArrayBuffer> {
    return encodeState(this.getState());
  }

  /** Continues from bytes of `stateBytes` or PyTorch. Bytes that are no state change nothing. */
  setStateBytes(bytes: Uint8Array): this {
    return this.setState(decodeState(bytes));
  }
}

/** The generator of every random function that is given none. */
export const defaultGenerator = (): Generator => shared('generator', () => new Generator());

/** Seeds the default generator and returns it. */
export const manualSeed = (seed: number | bigint): Generator => defaultGenerator().manualSeed(seed);
