import { arange, Generator, manualSeed, type Tensor, tensor } from '@voxgrad/core';
import { describe, expect, it } from 'vitest';
import {
  BatchSampler,
  DataLoader,
  RandomFlip,
  RandomSampler,
  TensorDataset,
} from '../src/index.js';

const range = (length: number) => Array.from({ length }, (_, i) => i);
const list = (batch: Tensor) => batch.to('float64').tolist();

async function collect<B>(loader: AsyncIterable<B>): Promise<B[]> {
  const batches: B[] = [];
  for await (const batch of loader) batches.push(batch);
  return batches;
}

/** A dataset whose samples arrive when they are told to, and that counts those under way. */
class Slow {
  readonly length: number;
  started: number[] = [];
  underWay = 0;
  most = 0;
  readonly #fails: ReadonlySet<number>;

  constructor(length: number, fails: readonly number[] = []) {
    this.length = length;
    this.#fails = new Set(fails);
  }

  async get(index: number): Promise<number> {
    this.started.push(index);
    this.most = Math.max(this.most, ++this.underWay);
    // Later samples arrive earlier.
    await new Promise((resolve) => setTimeout(resolve, 2 * (this.length - index)));
    this.underWay--;
    if (this.#fails.has(index)) throw new Error(`no sample ${index}`);
    return index;
  }
}

describe('DataLoader', () => {
  it('gives typed batches of a synchronous dataset', () => {
    const set = new TensorDataset(tensor([[1], [2], [3]]), tensor([4, 5, 6]));
    const loader = new DataLoader(set, { batchSize: 2 });
    expect(loader.length).toBe(2);
    const seen: unknown[] = [];
    for (const [x, y] of loader) seen.push([x.shape, list(y)]);
    expect(seen).toEqual([
      [
        [2, 1],
        [4, 5],
      ],
      [[1, 1], [6]],
    ]);
  });

  it('gives single samples with batchSize null, and own batches with batchSampler', () => {
    expect([...new DataLoader(['a', 'b'], { batchSize: null })]).toEqual(['a', 'b']);
    const batchSampler = [[2, 0], [1]];
    const loader = new DataLoader(range(3), { batchSampler, collate: (samples) => samples });
    expect([...loader]).toEqual([[2, 0], [1]]);
    expect(loader.length).toBe(2);
  });

  it('refuses options that contradict each other', () => {
    const sampler = [0];
    const make = (options: object) => () => new DataLoader(range(3), options);
    expect(make({ sampler, shuffle: true })).toThrow('mutually exclusive with shuffle');
    expect(make({ batchSampler: [[0]], batchSize: 2 })).toThrow('batchSampler option is mutually');
    expect(make({ batchSize: null, dropLast: true })).toThrow('mutually exclusive with dropLast');
    expect(make({ batchSize: 0 })).toThrow('batchSize should be a positive integer value');
    expect(make({ prefetch: -1 })).toThrow('prefetch should be a number of batches');
    expect(() => new DataLoader([], { shuffle: true })).toThrow('numSamples should be a positive');
    expect(() => new DataLoader(new Date() as unknown as number[])).toThrow('expected a dataset');
    const endless = {
      *[Symbol.iterator]() {
        yield 0;
      },
    };
    expect(() => new DataLoader(range(1), { sampler: endless }).length).toThrow('has no length');
    expect(() => new BatchSampler(endless, 2).length).toThrow('has no length');
  });

  it('says that a promise needs "for await"', () => {
    const loader = new DataLoader({ length: 1, get: async () => 1 });
    expect(() => [...loader]).toThrow('sample 0 of the dataset is a promise');
    const asynchronous = new DataLoader([1], { collate: async (samples) => samples });
    expect(() => [...asynchronous]).toThrow('the result of collate is a promise');
  });

  it('names the sample and the batch of an error, and keeps its code', () => {
    const get = (index: number) => (index === 3 ? tensor([1, 2]).select(0, 9) : tensor(index));
    const loader = new DataLoader({ length: 5, get }, { batchSize: 2 });
    expect(() => [...loader]).toThrow(/^DataLoader: sample 3 \(batch 1\): /);
    const failing = new DataLoader([1], {
      transform: () => {
        throw new Error('broken');
      },
    });
    expect(() => [...failing]).toThrow('DataLoader: sample 0 (batch 0): broken');
    const mixed = new DataLoader([tensor([1]), tensor([1, 2])], { batchSize: 2 });
    expect(() => [...mixed]).toThrow('DataLoader: batch 0: collate: stack expects');
  });

  it('draws anew in every epoch, and the same for a seed', () => {
    manualSeed(3);
    const loader = new DataLoader(range(20), { batchSize: 20, shuffle: true });
    const epochs = [0, 1].map(() => [...loader].map(list));
    expect(epochs[0]).not.toEqual(epochs[1]);
    manualSeed(3);
    expect([0, 1].map(() => [...loader].map(list))).toEqual(epochs);
  });

  it('takes a sampler of its own', () => {
    const sampler = new RandomSampler(range(4), { generator: new Generator(2), numSamples: 2 });
    const loader = new DataLoader(range(4), { sampler });
    expect(loader.length).toBe(2);
    expect([...loader]).toHaveLength(2);
  });
});

describe('for await', () => {
  it('loads one sample after the other without prefetch', async () => {
    const set = new Slow(5);
    const batches = await collect(new DataLoader(set, { batchSize: 2 }));
    expect(batches.map(list)).toEqual([[0, 1], [2, 3], [4]]);
    expect(set.most).toBe(1);
  });

  it('keeps the order with prefetch, and no more than that is under way', async () => {
    const set = new Slow(12);
    const loader = new DataLoader(set, { batchSize: 2, prefetch: 3 });
    expect((await collect(loader)).flatMap(list)).toEqual(range(12));
    expect(set.most).toBe(6);
  });

  it('transforms in the order of the samples, whichever comes first', async () => {
    const order = async (prefetch: number) => {
      const seen: number[] = [];
      const transform = (x: number) => {
        seen.push(x);
        return x;
      };
      await collect(new DataLoader(new Slow(8), { batchSize: 2, prefetch, transform }));
      return seen;
    };
    expect(await order(3)).toEqual(range(8));
    expect(await order(0)).toEqual(range(8));
  });

  it('gives random transforms the same numbers with and without prefetch', async () => {
    const image = arange(8).reshape(1, 2, 2, 2);
    const run = async (prefetch: number) => {
      const wait = new Slow(6);
      const get = async (index: number) => {
        await wait.get(index);
        return { image, index };
      };
      const transform = new RandomFlip({ generator: new Generator(5) });
      const options = { batchSize: 2, prefetch, transform };
      const batches = await collect(new DataLoader({ length: 6, get }, options));
      return batches.map((batch) => [list(batch.index), list(batch.image)]);
    };
    const alone = await run(0);
    expect(await run(2)).toEqual(alone);
    expect(alone[0][1]).not.toEqual(alone[1][1]);
  });

  it('throws an error of the sampler in its place', async () => {
    function* sampler() {
      yield 0;
      throw new Error('sampler broke');
    }
    const seen: unknown[] = [];
    const loop = async () => {
      const loader = new DataLoader(new Slow(3), { sampler: sampler(), prefetch: 3 });
      for await (const batch of loader) seen.push(list(batch));
    };
    await expect(loop()).rejects.toThrow('sampler broke');
    expect(seen).toEqual([[0]]);
  });

  it('throws an error in its place, after the batches before it', async () => {
    const set = new Slow(8, [5, 6]);
    const seen: unknown[] = [];
    const loop = async () => {
      for await (const batch of new DataLoader(set, { batchSize: 2, prefetch: 4 }))
        seen.push(list(batch));
    };
    await expect(loop()).rejects.toThrow('DataLoader: sample 5 (batch 2): no sample 5');
    expect(seen).toEqual([
      [0, 1],
      [2, 3],
    ]);
    expect(set.underWay).toBe(0);
  });

  it('leaves nothing behind when the loop is left', async () => {
    const rejected: unknown[] = [];
    const note = (reason: unknown) => rejected.push(reason);
    process.on('unhandledRejection', note);
    const set = new Slow(20, [4]);
    for await (const batch of new DataLoader(set, { batchSize: 2, prefetch: 3 })) {
      expect(list(batch)).toEqual([0, 1]);
      break;
    }
    expect(set.underWay).toBe(0);
    const { length } = set.started;
    await new Promise((resolve) => setTimeout(resolve, 60));
    process.off('unhandledRejection', note);
    expect(set.started).toHaveLength(length);
    expect(rejected).toEqual([]);
  });
});

describe('an order that is drawn before anything is loaded', () => {
  it('is that of the epoch which would have begun, and takes the same random numbers', async () => {
    const loader = new DataLoader(range(7), { batchSize: 3, shuffle: true, prefetch: 2 });
    manualSeed(3);
    const epochs = [await collect(loader), await collect(loader)].map((epoch) => epoch.map(list));
    manualSeed(3);
    for (const epoch of epochs) {
      const order = loader.order();
      expect((await collect(loader.batches(order))).map(list)).toEqual(epoch);
      expect(order).toEqual(epoch);
    }
  });

  it('can be entered in the middle, and nothing before is loaded', async () => {
    const dataset = new Slow(6);
    const loader = new DataLoader(dataset, { batchSize: 2 });
    const rest = await collect(loader.batches(loader.order(), { start: 1 }));
    expect(rest.map(list)).toEqual([
      [2, 3],
      [4, 5],
    ]);
    expect(dataset.started).toEqual([2, 3, 4, 5]);
  });

  it('errors keep the number that their batch has in the epoch', async () => {
    const loader = new DataLoader(new Slow(6, [5]), { batchSize: 2 });
    await expect(collect(loader.batches(loader.order(), { start: 1 }))).rejects.toThrow(
      'sample 5 (batch 2)',
    );
  });

  it('is refused where it is none', () => {
    const loader = new DataLoader(range(3));
    expect(() => loader.batches(3 as unknown as number[][])).toThrow(/expected a list for order/);
    expect(() => loader.batches([], { from: 1 } as object)).toThrow(/from/);
  });
});
