// The order in which samples are drawn, as torch.utils.data.sampler, with its draws from the seeded
// generator. Samplers draw lazily: a number is taken when the index is asked for.

import {
  argumentError,
  checkOptions,
  defaultGenerator,
  describe,
  Generator,
  randint,
} from '@voxgrad/core';
import { permutation, requireList } from './dataset.js';
import { multinomial } from './multinomial.js';

// JavaScript's generator, whose name core's source of random numbers has taken here.
type Indices<T> = globalThis.Generator<T, void, undefined>;

/** Indices (or lists of them) for one epoch at a time. */
export interface Sampler<T = number> extends Iterable<T> {
  /** Entries of one epoch. */
  readonly length: number;
}

/** What a sampler of whole datasets needs to know. */
interface Sized {
  readonly length: number;
}

function checkSized(owner: string, source: Sized): void {
  if (!Number.isInteger(source?.length))
    throw argumentError(
      `${owner}: expected a dataset, which has a length, but got ${describe(source)}`,
    );
}

function requireIterable(owner: string, name: string, value: unknown): void {
  if (typeof value !== 'object' || value === null || !(Symbol.iterator in value))
    throw argumentError(`${owner}: expected a list for ${name}, but got ${describe(value)}`);
}

function checkCount(name: string, value: number): void {
  if (!(Number.isInteger(value) && value > 0))
    throw argumentError(
      `${name} should be a positive integer value, but got ${name}=${describe(value)}`,
    );
}

/** `torch.empty((), dtype=torch.int64).random_()`: 63 bits. */
export const drawSeed = (generator: Generator): bigint => BigInt.asUintN(63, generator.uint64());

/** 0, 1, 2, … */
export class SequentialSampler implements Sampler {
  constructor(readonly source: Sized) {
    checkSized('SequentialSampler', source);
  }

  get length(): number {
    return this.source.length;
  }

  *[Symbol.iterator](): Indices<number> {
    for (let i = 0; i < this.length; i++) yield i;
  }
}

/** Options of {@link RandomSampler}. */
export interface RandomSamplerOptions {
  /** Draw each index independently; false by default, which shuffles. */
  replacement?: boolean;
  /** Indices per epoch: the dataset's length unless given. */
  numSamples?: number;
  /** Without one, every epoch seeds its own from the default generator. */
  generator?: Generator;
}

/** A random order of all samples, or independent draws. */
export class RandomSampler implements Sampler {
  constructor(
    readonly source: Sized,
    readonly options: RandomSamplerOptions = {},
  ) {
    checkSized('RandomSampler', source);
    checkOptions('RandomSampler', options, ['replacement', 'numSamples', 'generator']);
    checkCount('numSamples', this.length);
  }

  get length(): number {
    return this.options.numSamples ?? this.source.length;
  }

  *[Symbol.iterator](): Indices<number> {
    const { replacement = false } = this.options;
    const generator = this.options.generator ?? new Generator(drawSeed(defaultGenerator()));
    yield* replacement ? this.#independent(generator) : this.#shuffled(generator);
  }

  /** 32 at a time, as in PyTorch. */
  *#independent(generator: Generator): Indices<number> {
    for (let left = this.length; left > 0; left -= 32) {
      const drawn = randint(0, this.source.length, [Math.min(left, 32)], {
        generator,
        device: 'cpu',
      });
      yield* Array.from(drawn.dataSync(), Number);
    }
  }

  /** Orders of the whole dataset; the last one is drawn even where nothing of it is used. */
  *#shuffled(generator: Generator): Indices<number> {
    const n = this.source.length;
    const [whole, rest] = [Math.floor(this.length / n), this.length % n];
    for (let i = 0; i < whole; i++) yield* permutation(n, generator);
    yield* permutation(n, generator).slice(0, rest);
  }
}

/** The given indices in a random order. */
export class SubsetRandomSampler implements Sampler {
  constructor(
    readonly indices: readonly number[],
    readonly options: { generator?: Generator } = {},
  ) {
    requireList('SubsetRandomSampler', 'indices', indices);
    checkOptions('SubsetRandomSampler', options, ['generator']);
  }

  get length(): number {
    return this.indices.length;
  }

  *[Symbol.iterator](): Indices<number> {
    for (const i of permutation(this.indices.length, this.options.generator)) yield this.indices[i];
  }
}

/** Indices drawn with probabilities proportional to `weights`, which need not add up to 1. */
export class WeightedRandomSampler implements Sampler {
  readonly weights: Float64Array;
  readonly length: number;

  /**
   * @param numSamples indices per epoch
   * @param options.replacement true by default; false draws each index at most once
   */
  constructor(
    weights: Iterable<number>,
    numSamples: number,
    readonly options: { replacement?: boolean; generator?: Generator } = {},
  ) {
    checkOptions('WeightedRandomSampler', options, ['replacement', 'generator']);
    checkCount('numSamples', numSamples);
    requireIterable('WeightedRandomSampler', 'weights', weights);
    this.weights = Float64Array.from(weights);
    this.length = numSamples;
  }

  *[Symbol.iterator](): Indices<number> {
    const { replacement = true, generator = defaultGenerator() } = this.options;
    yield* multinomial(this.weights, this.length, replacement, generator);
  }
}

/** Lists of up to `batchSize` indices of another sampler. */
export class BatchSampler implements Sampler<number[]> {
  /** @param options.dropLast leaves out a last batch that is not full */
  constructor(
    readonly sampler: Iterable<number> & { readonly length?: number },
    readonly batchSize: number,
    readonly options: { dropLast?: boolean } = {},
  ) {
    requireIterable('BatchSampler', 'sampler', sampler);
    checkOptions('BatchSampler', options, ['dropLast']);
    checkCount('batchSize', batchSize);
  }

  get length(): number {
    const { length } = this.sampler;
    if (length === undefined)
      throw argumentError('BatchSampler: the sampler has no length, so its batches have no number');
    const { dropLast = false } = this.options;
    return (dropLast ? Math.floor : Math.ceil)(length / this.batchSize);
  }

  *[Symbol.iterator](): Indices<number[]> {
    let batch: number[] = [];
    for (const index of this.sampler) {
      batch.push(index);
      if (batch.length < this.batchSize) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0 && !this.options.dropLast) yield batch;
  }
}
