// A run that stops anywhere goes on as if it had not: the losses and weights of an undisturbed run are
// the right values, bit for bit.

import { load, save } from '@voxgrad/checkpoint';
import { Generator, rand, Tensor } from '@voxgrad/core';
import { DataLoader } from '@voxgrad/data';
import * as optim from '@voxgrad/optim';
import { describe, expect, it } from 'vitest';
import { type FitOptions, fit } from '../src/index.js';
import { problem, type Sample, weightsOf } from './support.js';

interface Outcome {
  readonly losses: readonly number[];
  readonly validation: readonly unknown[];
  readonly weights: readonly number[];
}

type Change = (options: ReturnType<typeof problem>) => Partial<FitOptions<Sample>>;

async function run(change: Change, more: Partial<FitOptions<Sample>>): Promise<Outcome> {
  const options = problem();
  const { history } = await fit({ ...options, ...change(options), ...more });
  return {
    losses: history.steps.map(({ loss }) => loss),
    validation: history.epochs.map(({ metrics, loss }) => [metrics, loss]),
    weights: weightsOf(options.model),
  };
}

/** Stops after every `stride` updates, and goes on from the saved bytes in a fresh program state. */
async function interrupted(change: Change, stride: number): Promise<Outcome> {
  let bytes: Uint8Array<ArrayBuffer> | undefined;
  for (let maxSteps = 1; ; maxSteps += stride) {
    const resume = bytes ?? false;
    const checkpoint = {
      to: (saved: Uint8Array<ArrayBuffer>) => {
        bytes = saved;
      },
      resume,
    };
    const outcome = await run(change, { checkpoint, maxSteps });
    if (outcome.losses.length < maxSteps) return outcome;
  }
}

const CASES: readonly (readonly [string, Change])[] = [
  ['as it is', () => ({})],
  ['a step of the scheduler per update', () => ({ schedulerInterval: 'step' })],
  ['several batches per update', () => ({ accumulateGradBatches: 3 })],
  ['clipped gradients', () => ({ clipGradNorm: 0.1 })],
  ['early stopping', () => ({ earlyStopping: { patience: 1, minDelta: 0.05 } })],
  [
    'SGD with momentum, and a schedule that follows the metric',
    ({ model }) => {
      const optimizer = new optim.SGD(model.parameters(), { lr: 0.1, momentum: 0.9 });
      return {
        optimizer,
        scheduler: new optim.lrScheduler.ReduceLROnPlateau(optimizer, { patience: 0 }),
      };
    },
  ],
  [
    "the loader's own generator and loading ahead",
    ({ loader }) => ({
      loader: new DataLoader<Sample>(loader.dataset, {
        batchSize: 3,
        shuffle: true,
        generator: new Generator(3),
        prefetch: 2,
      }),
    }),
  ],
  [
    'a sampler that draws as it goes, from where the network draws too',
    ({ loader }) => ({
      loader: new DataLoader<Sample>(loader.dataset, {
        sampler: {
          length: 5,
          *[Symbol.iterator]() {
            for (let i = 0; i < 5; i++) yield Math.floor(Number(rand([1]).item()) * 7);
          },
        },
      }),
    }),
  ],
  [
    'batches from a generator function',
    ({ loader }) => ({
      loader: {
        async *[Symbol.asyncIterator]() {
          for await (const batch of loader) yield batch;
        },
      },
    }),
  ],
  [
    'averaged weights',
    ({ model }) => {
      const averaged = new optim.ExponentialMovingAverage(model);
      return {
        stateful: { averaged },
        callbacks: [{ onStep: () => averaged.update(), onEpoch: () => averaged.update() }],
        validate: () => weightsOf(averaged).reduce((a, b) => a + b),
      };
    },
  ],
];

describe.each(CASES)('%s', (_, change) => {
  // An epoch has 4 batches: the stops are at its beginning, middle and end.
  it('ends as undisturbed when stopped after every fifth update', async () => {
    const expected = await run(change, {});
    expect(await interrupted(change, 5)).toEqual(expected);
    expect(expected.losses.length).toBeGreaterThan(5);
  });
});

it('stopped after every single update, it ends as undisturbed', async () => {
  expect(await interrupted(() => ({}), 1)).toEqual(await run(() => ({}), {}));
});

it('checkpoints do not change a run', async () => {
  const saves: number[] = [];
  const checkpoint = { to: (bytes: Uint8Array) => void saves.push(bytes.length), everySteps: 1 };
  expect(await run(() => ({}), { checkpoint })).toEqual(await run(() => ({}), {}));
  expect(saves).toHaveLength(16 + 4); // after each update, and each epoch
});

it('neither do profiles and watching for NaN', async () => {
  const plain = await run(() => ({}), { detectAnomaly: false });
  expect(await run(() => ({}), { profile: true, detectAnomaly: true })).toEqual(plain);
});

it('a longer run goes on from a shorter one', async () => {
  let bytes: Uint8Array<ArrayBuffer> | undefined;
  const to = (saved: Uint8Array<ArrayBuffer>) => {
    bytes = saved;
  };
  await run(() => ({}), { epochs: 2, checkpoint: { to } });
  const longer = await run(() => ({}), { checkpoint: { to, resume: bytes ?? false } });
  expect(longer).toEqual(await run(() => ({}), {}));
});

describe('a checkpoint', () => {
  const saved = async (more: Partial<FitOptions<Sample>> = {}) => {
    let bytes = new Uint8Array();
    const to = (given: Uint8Array<ArrayBuffer>) => {
      bytes = given;
    };
    await fit({ ...problem(), maxSteps: 3, ...more, checkpoint: { to } });
    return bytes;
  };

  it("has PyTorch's keys", async () => {
    const value = await load(await saved());
    if (!(value instanceof Map)) throw new Error('no dict');
    expect([value.get('epoch'), value.get('step')]).toEqual([0, 3]);
    expect([...(value.get('model') as Map<string, Tensor>).keys()]).toContain(
      'norm.num_batches_tracked',
    );
    expect([...(value.get('optimizer') as Map<string, unknown>).keys()]).toEqual([
      'state',
      'param_groups',
    ]);
    const state = value.get('rng_state');
    expect(state instanceof Tensor && [state.dtype, state.shape]).toEqual(['uint8', [5056]]);
  });

  const refusals: readonly (readonly [
    string,
    (options: ReturnType<typeof problem>) => Partial<FitOptions<Sample>>,
    RegExp,
  ])[] = [
    [
      'no scheduler',
      () => ({ scheduler: undefined }),
      /a run with 'scheduler', which this one has not/,
    ],
    [
      'early stopping',
      () => ({ earlyStopping: {} }),
      /a run without 'early_stopping', which this one has/,
    ],
    [
      'fewer samples',
      () => ({ loader: new DataLoader<Sample>([]) }),
      /has sample \d, and the dataset has 0\. Pass the same dataset/,
    ],
    [
      'a list for a loader',
      () => ({ loader: [] }),
      /data came from a DataLoader with a length; pass/,
    ],
    [
      'another generator',
      () => ({ generators: [new Generator(1)] }),
      /states of 1 generators.* this run has 2/,
    ],
    [
      'something else that is stateful',
      ({ optimizer }) => ({ stateful: { ema: optimizer } }),
      /no state of 'ema'/,
    ],
    [
      'another optimizer',
      ({ model }) => {
        const optimizer = new optim.SGD([{ params: model.parameters() }, { params: [] }], {
          lr: 1,
        });
        return { optimizer, scheduler: new optim.lrScheduler.StepLR(optimizer, 2) };
      },
      /different number of parameter groups/,
    ],
    ['another model', () => ({ model: problem({ channels: 5 }).model }), /size mismatch/],
  ];
  it.each(refusals)('of another run is refused whole: %s', async (_, change, message) => {
    const resume = await saved();
    const options = { ...problem({ seed: 6 }) };
    const changed = { ...options, ...change(options) };
    const before = [weightsOf(changed.model), changed.optimizer.stateDict()];
    const checkpoint = { to: () => {}, resume };
    await expect(fit({ ...changed, checkpoint })).rejects.toThrow(message);
    expect([weightsOf(changed.model), changed.optimizer.stateDict()]).toEqual(before);
  });

  it('that is none is refused', async () => {
    const options = problem();
    const resume = await save(options.model.stateDict());
    await expect(fit({ ...options, checkpoint: { to: () => {}, resume } })).rejects.toThrow(
      /cannot resume: the file is no checkpoint of fit\. Load weights with/,
    );
  });

  it.each([
    'fit_version',
    'epoch',
    'step',
    'model',
    'optimizer',
    'scheduler',
    'rng_state',
    'history',
    'data',
    'stateful',
  ])('with a broken %s is refused', async (key) => {
    const value = await load(await saved());
    if (!(value instanceof Map)) throw new Error('no dict');
    const broken = new Map<unknown, unknown>(value).set(key, 'nonsense');
    const resume = await save(broken);
    const options = problem({ seed: 6 });
    const before = weightsOf(options.model);
    const result = fit({ ...options, checkpoint: { to: () => {}, resume } });
    await expect(result).rejects.toMatchObject({ message: expect.stringMatching(/./) });
    expect(weightsOf(options.model)).toEqual(before);
  });
});
