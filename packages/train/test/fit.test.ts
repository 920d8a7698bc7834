// The loop itself: the same as the loop that a reader would write by hand, and what it refuses.

import { manualSeed, noGrad, tensor } from '@voxgrad/core';
import * as optim from '@voxgrad/optim';
import { describe, expect, it } from 'vitest';
import { type Callback, type FitOptions, fit } from '../src/index.js';
import { problem, type Sample, weightsOf } from './support.js';

type Problem = ReturnType<typeof problem>;

/** The loop by hand. */
async function byHand({ model, optimizer, scheduler, loader, trainingStep, validate }: Problem) {
  const losses: number[] = [];
  for (let epoch = 0; epoch < 2; epoch++) {
    model.train();
    for await (const batch of loader) {
      optimizer.zeroGrad();
      const loss = trainingStep(batch);
      loss.backward();
      optim.clipGradNorm(model.parameters(), 0.5);
      optimizer.step();
      losses.push(Number(loss.item()));
    }
    model.eval();
    noGrad(validate);
    scheduler.step();
  }
  return losses;
}

it('computes what the loop by hand computes', async () => {
  const [ours, theirs] = [problem(), problem()];
  manualSeed(1);
  const { history, ending } = await fit({ ...ours, epochs: 2, clipGradNorm: 0.5 });
  manualSeed(1);
  expect(history.steps.map(({ loss }) => loss)).toEqual(await byHand(theirs));
  expect(weightsOf(ours.model)).toEqual(weightsOf(theirs.model));
  expect(ending).toBe('completed');
  expect(history.epochs.map(({ epoch, step }) => [epoch, step])).toEqual([
    [0, 4],
    [1, 8],
  ]);
  // StepLR halves after two epochs.
  expect(history.steps.map(({ lr }) => lr)).toEqual(Array.from({ length: 8 }, () => 0.02));
});

it('accumulated gradients are those of the mean over the batches', async () => {
  const parameter = tensor([1], { requiresGrad: true, dtype: 'float64' });
  const { model } = problem();
  const { history } = await fit({
    model,
    optimizer: new optim.SGD([parameter], { lr: 1 }),
    loader: [1, 2, 6],
    epochs: 1,
    accumulateGradBatches: 2,
    trainingStep: (batch) => parameter.mul(batch).sum(),
  });
  // Steps of (1 + 2)/2 and, since one batch is left, of 6.
  expect(parameter.tolist()).toEqual([1 - 1.5 - 6]);
  // Losses 1·1 and 1·2; then (1 − 1.5)·6.
  expect(history.steps.map(({ loss }) => loss)).toEqual([1.5, -3]);
  expect(history.steps.map(({ gradNorm }) => gradNorm)).toEqual([1.5, 6]);
});

describe('early stopping', () => {
  const run = async (values: readonly number[], options: FitOptions<Sample>['earlyStopping']) => {
    const given = problem();
    const weights: number[][] = [];
    let at = 0;
    const result = await fit({
      ...given,
      epochs: values.length,
      validate: () => {
        weights.push(weightsOf(given.model));
        return { score: values[at++] };
      },
      earlyStopping: { monitor: 'score', ...options },
    });
    const final = JSON.stringify(weightsOf(given.model));
    return { ...result, weightsOfEpoch: weights.findIndex((w) => JSON.stringify(w) === final) };
  };

  it.each([
    // Epoch 1 is the best; two in a row that are no better end it.
    [[3, 1, 2, 2, 0, 0], { patience: 2 }, 'earlyStopping', 4, 1, 1],
    [[3, 1, 2, 0.5, 2, 0], { patience: 2 }, 'completed', 6, 5, 5],
    [[1, 2, 3, 2, 2, 4], { patience: 2, mode: 'max' }, 'earlyStopping', 5, 2, 2],
    // 0.05 better is no improvement.
    [[1, 0.95, 0.93, 0], { patience: 2, minDelta: 0.1 }, 'earlyStopping', 3, 0, 0],
    [[1, 2, 2, 2], { patience: 1, restoreBest: false }, 'earlyStopping', 2, 0, 1],
    [[Number.NaN, Number.NaN, 1], { patience: 2 }, 'earlyStopping', 2, -1, 1],
  ] as const)('%j, %j', async (values, options, ending, epochs, best, weights) => {
    const result = await run(values, options);
    expect([result.ending, result.epoch, result.best?.epoch]).toEqual([ending, epochs, best]);
    expect(result.weightsOfEpoch).toBe(weights);
  });

  it('names a metric that there is not', async () => {
    await expect(run([1], { monitor: 'dice' })).rejects.toThrow(
      /watches 'dice', which validation did not return; there are score/,
    );
  });
});

describe('a signal', () => {
  it('stops after the step under way, and saves it', async () => {
    const controller = new AbortController();
    const saves: number[] = [];
    const { ending, step } = await fit({
      ...problem(),
      signal: controller.signal,
      checkpoint: { to: (bytes) => void saves.push(bytes.length) },
      callbacks: [
        {
          onStep: (record) => {
            if (record.step === 3) controller.abort();
          },
        },
      ],
    });
    expect([ending, step, saves.length]).toEqual(['aborted', 3, 1]);
  });

  it('that was given before starts nothing', async () => {
    const { ending, step } = await fit({ ...problem(), signal: AbortSignal.abort() });
    expect([ending, step]).toEqual(['aborted', 0]);
  });

  it('of a timer comes through: others have their turn', async () => {
    const { ending } = await fit({ ...problem(), epochs: 10_000, signal: AbortSignal.timeout(60) });
    expect(ending).toBe('aborted');
  });
});

it('tells callbacks how it goes on, and leaves the mode of the model as it was', async () => {
  const given = problem();
  const calls: string[] = [];
  const callback: Callback = {
    onStart: ({ epoch, step, batches }) => calls.push(`start ${epoch} ${step} of ${batches}`),
    onStep: ({ step }, { model }) => calls.push(`step ${step} ${model.training}`),
    onEpoch: ({ epoch, metrics }) => calls.push(`epoch ${epoch} ${Object.keys(metrics)}`),
    onEnd: ({ step }) => calls.push(`end ${step}`),
  };
  given.model.eval();
  await fit({ ...given, epochs: 1, maxSteps: 9, callbacks: [callback] });
  expect(calls).toEqual([
    'start 0 0 of 4',
    ...['step 1 true', 'step 2 true', 'step 3 true', 'step 4 true'],
    'epoch 0 loss',
    'end 4',
  ]);
  expect(given.model.training).toBe(false);
});

it('leaves a loop over a loader that fails where it fails', async () => {
  const loader = {
    *[Symbol.iterator]() {
      yield* problem().loader;
      throw new Error('no more files');
    },
  };
  const ended: unknown[] = [];
  const callbacks = [{ onEnd: () => ended.push(1) }];
  await expect(fit({ ...problem(), loader, callbacks })).rejects.toThrow('no more files');
  expect(ended).toEqual([1]);
});

it('notices a source of batches that is used up', async () => {
  const loader = problem().loader[Symbol.asyncIterator]();
  await expect(fit({ ...problem(), loader })).rejects.toThrow(
    /gave no batch in epoch 1; an iterator/,
  );
  await expect(fit({ ...problem(), loader: [] })).rejects.toThrow(/gave no batch in epoch 0/);
});

describe('refuses', () => {
  const given = problem();
  it.each([
    ['nothing', undefined, /fit: model should be a Module, but got/],
    ['no model', { ...given, model: 1 }, /model should be a Module, but got 1/],
    ['no optimizer', { ...given, optimizer: {} }, /optimizer should be an Optimizer/],
    [
      'a loader that gives nothing',
      { ...given, loader: 5 },
      /should be a DataLoader or give batches/,
    ],
    ['no step', { ...given, trainingStep: undefined }, /trainingStep/],
    ['no epochs', { ...given, epochs: undefined }, /how many epochs\?/],
    [
      'half an epoch',
      { ...given, epochs: 0.5 },
      /epochs should be a whole number from 0 on, but got 0\.5/,
    ],
    ['a misspelt option', { ...given, clipGradnorm: 1 }, /clipGradNorm/],
    ['a negative norm', { ...given, clipGradNorm: -1 }, /clipGradNorm should be a number above 0/],
    [
      'no batches',
      { ...given, accumulateGradBatches: 0 },
      /accumulateGradBatches should be a whole number from 1/,
    ],
    ['an interval', { ...given, schedulerInterval: 'batch' }, /should be 'epoch' or 'step'/],
    [
      'nothing to watch',
      { ...given, validate: undefined, earlyStopping: {} },
      /pass a validate function/,
    ],
    ['a mode', { ...given, earlyStopping: { mode: 'low' } }, /mode should be 'min' or 'max'/],
    ['nowhere to save', { ...given, checkpoint: {} }, /'to' should be a path or a function/],
    [
      'never to save',
      { ...given, checkpoint: { to: 'x', everySeconds: 0 } },
      /everySeconds should be/,
    ],
    ['a promise', { ...given, trainingStep: async () => tensor(1) }, /returned a promise/],
    [
      'a number for a loss',
      { ...given, trainingStep: () => 1 },
      /should return the loss, but returned 1/,
    ],
    [
      'a list of losses',
      { ...given, trainingStep: () => tensor([1, 2]) },
      /of shape \[2\]; take its mean/,
    ],
    [
      'a metric that is none',
      { ...given, validate: () => ({ dice: 'high' }) },
      /metric 'dice' should be a number/,
    ],
  ] as [string, unknown, RegExp][])('%s', async (_, options, message) => {
    await expect(fit(options as FitOptions<Sample>)).rejects.toThrow(message);
  });
});
