// The order of the data, and where in it an epoch stands.
//
// A DataLoader says in which order it will load (`order()`); that order is saved with a checkpoint, and
// a resumed epoch loads what was still to come. Of any other source of batches, the epoch is begun
// again from the random state in which it began, and what has been used is passed over.

import { type Generator, type Tensor, tensor } from '@voxgrad/core';
import type { RandomStates } from './random-states.js';
import { columnOf, countOf, fieldsOf, resumeError } from './read.js';

/** The batches of an epoch, every time that it is looped over. */
export type Batches<B> = Iterable<B> | AsyncIterable<B>;

type Order = readonly (readonly number[])[];

/** What `DataLoader` offers beyond a loop. */
interface Ordered<B> {
  readonly length: number;
  readonly dataset: { readonly length: number };
  readonly generator?: Generator;
  readonly sampler?: { readonly options?: { readonly generator?: Generator } };
  order(): Order;
  batches(order: Order, options: { start?: number }): AsyncIterable<B>;
}

const isOrdered = <B>(loader: Batches<B> | Ordered<B>): loader is Ordered<B> =>
  'order' in loader && 'batches' in loader && lengthOf(loader) !== undefined;

/** Batches of an epoch; undefined where that is not known before its end. */
function lengthOf(loader: object): number | undefined {
  try {
    const length: unknown = Reflect.get(loader, 'length');
    return typeof length === 'number' ? length : undefined;
  } catch {
    return undefined; // a sampler without a length
  }
}

/** The generators that a loader draws its order from. */
export const generatorsOf = (loader: object): (Generator | undefined)[] => {
  const { generator, sampler } = loader as Partial<Ordered<unknown>>;
  return [generator, sampler?.options?.generator];
};

export class EpochOrder<B> {
  readonly #loader: Batches<B>;
  readonly #states: RandomStates;
  #order: Order | undefined;
  /** Where the random numbers stood when the epoch began, for sources without an order. */
  #begun: Tensor[] | undefined;
  /** Batches of the epoch that have been used. */
  position = 0;

  constructor(loader: Batches<B>, states: RandomStates) {
    this.#loader = loader;
    this.#states = states;
  }

  get length(): number | undefined {
    return this.#order?.length ?? lengthOf(this.#loader);
  }

  /** A new epoch. */
  begin(): void {
    this.position = 0;
    if (isOrdered(this.#loader)) this.#order = this.#loader.order();
    else this.#begun = this.#states.pack();
  }

  /** The batches that are still to come. */
  async *rest(): AsyncGenerator<B, void, undefined> {
    if (this.#order && isOrdered(this.#loader)) {
      yield* this.#loader.batches(this.#order, { start: this.position });
      return;
    }
    let passed = 0;
    const now = this.position > 0 ? this.#states.pack() : undefined;
    if (now && this.#begun) this.#states.unpack('data.rng_state', this.#begun);
    for await (const batch of this.#loader) {
      if (passed++ < this.position) {
        if (passed === this.position && now) this.#states.unpack('data.rng_state', now);
        continue;
      }
      yield batch;
    }
    if (passed < this.position)
      throw resumeError(`the loader has ${passed} batches, and ${this.position} were used`);
  }

  pack(): object {
    if (!this.#order) return { position: this.position, rng_state: this.#begun ?? [] };
    const int64 = (values: readonly number[]) =>
      tensor(BigInt64Array.from(values, BigInt), { device: 'cpu' });
    return {
      position: this.position,
      indices: int64(this.#order.flat()),
      batch_sizes: int64(this.#order.map((batch) => batch.length)),
    };
  }

  unpack(packed: unknown): void {
    const fields = fieldsOf('data', packed);
    const position = countOf('data.position', fields.get('position'));
    const ordered = isOrdered(this.#loader);
    if (ordered !== fields.has('indices'))
      throw resumeError(
        `the data came from ${ordered ? 'another kind of source than a DataLoader' : 'a DataLoader with a length'}; pass what was passed before`,
      );
    if (ordered) this.#order = orderOf(fields, this.#loader.dataset.length);
    else this.#begun = (fields.get('rng_state') ?? []) as Tensor[];
    this.position = position;
  }
}

function orderOf(fields: Map<string, unknown>, samples: number): Order {
  const indices = columnOf('data.indices', fields.get('indices'));
  const sizes = columnOf('data.batch_sizes', fields.get('batch_sizes'));
  const beyond = indices.find((index) => !(index < samples));
  if (beyond !== undefined)
    throw resumeError(
      `the order of the data has sample ${beyond}, and the dataset has ${samples}. Pass the same dataset`,
    );
  let at = 0;
  const order = sizes.map((size) => {
    at += size;
    return indices.slice(at - size, at);
  });
  if (at !== indices.length)
    throw resumeError(
      `the batches of its order hold ${at} samples, but there are ${indices.length}`,
    );
  return order;
}
