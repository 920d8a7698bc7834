// Batches of a dataset, as torch.utils.data.DataLoader without worker processes.
//
// There are no worker threads, because a dataset is code: neither functions nor what they close
// over can be sent to a worker. What loading waits for (files, addresses, inflating) runs
// concurrently with `prefetch`; what it computes runs here.

import {
  argumentError,
  checkOptions,
  defaultGenerator,
  describe,
  type Generator,
  type OptionTable,
  VoxgradError,
} from '@voxgrad/core';
import { inOrder } from './ahead.js';
import { type Collated, defaultCollate } from './collate.js';
import { type Dataset, type DatasetLike, isPromise, requireList, toDataset } from './dataset.js';
import { BatchSampler, drawSeed, RandomSampler, SequentialSampler } from './sampler.js';

/** A sampler, or any list of its entries; without a length the loader has none either. */
export type SamplerLike<T> = Iterable<T> & { readonly length?: number };

/** `(sample) => sample`, or an object with such a `call`. */
export type SampleTransform<T, U = T> = ((sample: T) => U) | { call(sample: T): U };

/** Options of {@link DataLoader}. */
export interface DataLoaderOptions<T, B = Collated<T>> {
  /** Samples per batch, 1 by default; null gives the samples themselves. */
  batchSize?: number | null;
  /** A new random order in every epoch. */
  shuffle?: boolean;
  /** The order of the samples, instead of `shuffle`. */
  sampler?: SamplerLike<number>;
  /** The indices of every batch, instead of `batchSize`, `shuffle`, `sampler` and `dropLast`. */
  batchSampler?: SamplerLike<readonly number[]>;
  /** Leaves out a last batch that is not full. */
  dropLast?: boolean;
  /** Source of the random order; the default generator seeds a new one per epoch otherwise. */
  generator?: Generator;
  /**
   * Runs on every sample after it has been loaded, strictly in the order of the samples: a random
   * transform draws the same numbers whichever sample arrives first.
   */
  transform?: SampleTransform<T>;
  /** Makes a batch of samples; {@link defaultCollate} unless given. */
  collate?: (samples: T[]) => B | Promise<B>;
  /**
   * Batches that `for await` loads ahead, all their samples at once: for datasets that wait for
   * files or the network. 0 by default, which loads one sample after the other.
   */
  prefetch?: number;
}

const LOADER_OPTIONS: OptionTable<DataLoaderOptions<unknown>> = {
  batchSize: 'nullable',
  shuffle: true,
  sampler: true,
  batchSampler: true,
  dropLast: true,
  generator: true,
  transform: true,
  collate: true,
  prefetch: true,
};

interface Batch {
  /** Number of the batch in this epoch. */
  readonly number: number;
  readonly indices: readonly number[];
}

/**
 * Iterates over a dataset in batches, an epoch per loop: `for (const batch of loader)` where the
 * dataset is synchronous, `for await` always. With the same seed the order is that of PyTorch,
 * epoch after epoch.
 */
export class DataLoader<T, B = Collated<T>> implements Iterable<B>, AsyncIterable<B> {
  readonly dataset: Dataset<T>;
  readonly sampler: SamplerLike<number>;
  readonly batchSampler: SamplerLike<readonly number[]> | null;
  readonly #options: DataLoaderOptions<T, B>;
  readonly #transform: (sample: T) => T;
  readonly #collate: (samples: T[]) => B | Promise<B>;

  constructor(dataset: DatasetLike<T>, options: DataLoaderOptions<T, B> = {}) {
    checkOptions('DataLoader', options, LOADER_OPTIONS);
    checkCombination(options);
    const { batchSize = 1, shuffle, generator, dropLast, transform } = options;
    this.#options = options;
    this.dataset = toDataset(dataset);
    this.sampler =
      options.sampler ??
      (shuffle && !options.batchSampler
        ? new RandomSampler(this.dataset, { generator })
        : new SequentialSampler(this.dataset));
    this.batchSampler =
      options.batchSampler ??
      (batchSize === null ? null : new BatchSampler(this.sampler, batchSize, { dropLast }));
    this.#transform =
      typeof transform === 'object' ? (sample) => transform.call(sample) : (transform ?? identity);
    // The types of the options see to it that B is what these two return.
    const collate = this.batchSampler === null ? single : defaultCollate;
    this.#collate = options.collate ?? (collate as (samples: T[]) => B);
  }

  /** Batches per epoch. */
  get length(): number {
    const { length } = this.batchSampler ?? this.sampler;
    if (length === undefined)
      throw argumentError('DataLoader: the sampler has no length, so its batches have no number');
    return length;
  }

  /** The source of the random order, where the loader was given one. */
  get generator(): Generator | undefined {
    return this.#options.generator;
  }

  [Symbol.iterator](): IterableIterator<B> {
    return this.#synchronous(batchesOf(this.#begin()));
  }

  [Symbol.asyncIterator](): AsyncIterableIterator<B> {
    return this.#asynchronous(batchesOf(this.#begin()));
  }

  /**
   * Begins an epoch without loading anything: draws the indices of all of its batches, which `batches`
   * loads. A loop that is to go on where it was interrupted keeps them.
   */
  order(): (readonly number[])[] {
    return [...this.#begin()];
  }

  /** Loads the batches of an `order`, from batch `start` on (0 by default). */
  batches(
    order: readonly (readonly number[])[],
    options: { start?: number } = {},
  ): AsyncIterableIterator<B> {
    checkOptions('batches', options, ['start']);
    requireList('batches', 'order', order);
    const { start = 0 } = options;
    return this.#asynchronous(batchesOf(order.slice(start), start));
  }

  /** A new epoch. PyTorch draws the seed of its workers here, whether it has any or not. */
  #begin(): Iterable<readonly number[]> {
    drawSeed(this.#options.generator ?? defaultGenerator());
    return this.batchSampler ?? singles(this.sampler);
  }

  *#synchronous(batches: Iterator<Batch>): globalThis.Generator<B, void, undefined> {
    try {
      for (let next = batches.next(); !next.done; next = batches.next()) {
        const batch = next.value;
        const samples = batch.indices.map((index) => {
          const sample = located(batch, index, () => this.dataset.get(index));
          refusePromise(sample, `sample ${index} of the dataset`);
          return located(batch, index, () => this.#transform(sample));
        });
        const made = located(batch, undefined, () => this.#collate(samples));
        refusePromise(made, 'the result of collate');
        yield made;
      }
    } finally {
      batches.return?.();
    }
  }

  async *#asynchronous(batches: Iterator<Batch>): AsyncGenerator<B, void, undefined> {
    const { prefetch = 0 } = this.#options;
    const tasks = mapIterator(batches, (batch) => () => this.#load(batch, prefetch > 0));
    for await (const { batch, samples } of inOrder(tasks, prefetch)) {
      const ready = samples.map((sample, i) =>
        located(batch, batch.indices[i], () => this.#transform(sample)),
      );
      yield await locatedAsync(batch, undefined, async () => this.#collate(ready));
    }
  }

  async #load(batch: Batch, concurrently: boolean): Promise<{ batch: Batch; samples: T[] }> {
    const get = (index: number) => locatedAsync(batch, index, async () => this.dataset.get(index));
    if (concurrently) {
      // All are waited for also when one fails: nothing of this batch is left running.
      const results = await Promise.allSettled(batch.indices.map(get));
      const samples = results.map((result) => {
        if (result.status === 'rejected') throw result.reason;
        return result.value;
      });
      return { batch, samples };
    }
    const samples: T[] = [];
    for (const index of batch.indices) samples.push(await get(index));
    return { batch, samples };
  }
}

const identity = <T>(sample: T): T => sample;
const single = <T>(samples: T[]): T => samples[0];

function checkCombination<T, B>(options: DataLoaderOptions<T, B>): void {
  const { batchSize, shuffle, sampler, batchSampler, dropLast, prefetch = 0 } = options;
  if (sampler && shuffle) throw argumentError('sampler option is mutually exclusive with shuffle');
  const one = batchSize === undefined || batchSize === 1;
  if (batchSampler && (!one || shuffle || sampler || dropLast))
    throw argumentError(
      'batchSampler option is mutually exclusive with batchSize, shuffle, sampler, and dropLast',
    );
  if (batchSize === null && dropLast)
    throw argumentError(
      'batchSize: null disables batching and is mutually exclusive with dropLast',
    );
  if (!(Number.isInteger(prefetch) && prefetch >= 0))
    throw argumentError(
      `prefetch should be a number of batches, 0 or more, but got ${describe(prefetch)}`,
    );
}

function* singles(indices: Iterable<number>): Iterable<readonly number[]> {
  for (const index of indices) yield [index];
}

function* batchesOf(lists: Iterable<readonly number[]>, first = 0): Iterator<Batch> {
  let number = first;
  for (const indices of lists) yield { number: number++, indices };
}

function mapIterator<T, U>(source: Iterator<T>, fn: (value: T) => U): Iterator<U> {
  return {
    next() {
      const next = source.next();
      return next.done ? { done: true, value: undefined } : { done: false, value: fn(next.value) };
    },
    return() {
      source.return?.();
      return { done: true, value: undefined };
    },
  };
}

function refusePromise<T>(value: T | Promise<T>, what: string): asserts value is T {
  if (isPromise(value)) {
    value.then(undefined, () => {}); // its own error would surface elsewhere
    throw argumentError(
      `DataLoader: ${what} is a promise; read the loader with "for await (… of …)"`,
    );
  }
}

/** The error of one sample or batch, saying which. */
function locate({ number }: Batch, index: number | undefined, error: unknown): VoxgradError {
  const code = error instanceof VoxgradError ? error.code : 'DATA';
  const where = index === undefined ? `batch ${number}` : `sample ${index} (batch ${number})`;
  const reason = error instanceof Error ? error.message : String(error);
  return new VoxgradError(code, `DataLoader: ${where}: ${reason}`, { cause: error });
}

function located<T>(batch: Batch, index: number | undefined, fn: () => T): T {
  try {
    return fn();
  } catch (error) {
    throw locate(batch, index, error);
  }
}

async function locatedAsync<T>(
  batch: Batch,
  index: number | undefined,
  fn: () => Promise<T>,
): Promise<T> {
  try {
    return await fn();
  } catch (error) {
    throw locate(batch, index, error);
  }
}
