import { type Tensor, tensor, VoxgradError } from '@voxgrad/core';
import { describe, expect, it } from 'vitest';
import * as data from '../src/index.js';

type LooseClass = new (...args: readonly unknown[]) => unknown;
const make = (Type: unknown, ...args: readonly unknown[]) => new (Type as LooseClass)(...args);

describe('an unknown option is refused by name', () => {
  it.each<[string, () => unknown, string]>([
    [
      'DataLoader',
      () => make(data.DataLoader, [1], { batch_size: 2 }),
      "DataLoader() got an unexpected option 'batch_size'; did you mean 'batchSize'?",
    ],
    [
      'DataLoader',
      () => make(data.DataLoader, [1], { collateFn: () => 1 }),
      "did you mean 'collate'?",
    ],
    [
      'DataLoader, by position',
      () => make(data.DataLoader, [1], 2),
      'DataLoader(): expected an options object { batchSize,',
    ],
    [
      'RandomSampler',
      () => make(data.RandomSampler, [1], { num_samples: 1 }),
      "did you mean 'numSamples'?",
    ],
    [
      'BatchSampler',
      () => make(data.BatchSampler, [1], 1, { drop_last: true }),
      "did you mean 'dropLast'?",
    ],
    [
      'randomSplit',
      () => data.randomSplit([1, 2], [1, 1], { seed: 1 } as never),
      "randomSplit() got an unexpected option 'seed'",
    ],
    [
      'RandomFlip',
      () => make(data.RandomFlip, { axis: [0] }),
      "RandomFlip() got an unexpected option 'axis'; did you mean 'axes'?",
    ],
    [
      'RandomAffine',
      () => make(data.RandomAffine, { rotate: 10 }),
      "RandomAffine() got an unexpected option 'rotate'",
    ],
    [
      'RandomElastic',
      () => make(data.RandomElastic, { points: 4 }),
      "RandomElastic() got an unexpected option 'points'",
    ],
    [
      'RandomIntensity',
      () => make(data.RandomIntensity, { contrast: 1 }),
      "RandomIntensity() got an unexpected option 'contrast'",
    ],
    [
      'RandomRotate90',
      () => make(data.RandomRotate90, { prob: 1 }),
      "RandomRotate90() got an unexpected option 'prob'",
    ],
    [
      'RandomCrop',
      () => make(data.RandomCrop, 2, { pad_if_needed: true }),
      "did you mean 'padIfNeeded'?",
    ],
    [
      'CenterCrop',
      () => make(data.CenterCrop, 2, { fill: 0 }),
      "CenterCrop() got an unexpected option 'fill'",
    ],
    ['Normalize', () => make(data.Normalize, { non_zero: true }), "did you mean 'nonzero'?"],
  ])('%s', (_, call, message) => {
    expect(call).toThrow(VoxgradError);
    expect(call).toThrow(message);
  });

  it.each<[string, () => Promise<unknown>, string]>([
    [
      'slidingWindowInference',
      () =>
        data.slidingWindowInference(tensor([[[1]]]), {
          windowSize: 1,
          predictor: (x: Tensor) => x,
          sw_batch_size: 1,
        } as never),
      "slidingWindowInference() got an unexpected option 'sw_batch_size'",
    ],
    [
      'slidingWindowInference',
      () => data.slidingWindowInference(null as never, {} as never),
      "slidingWindowInference(): expected a Tensor for 'input', but got null",
    ],
    [
      'readNifti',
      () => data.readNifti(new Uint8Array(1), { scaled: true } as never),
      "did you mean 'scale'?",
    ],
    [
      'readNpy',
      () => data.readNpy(new Uint8Array(1), { dtype: 'int8' } as never),
      "readNpy() got an unexpected option 'dtype'",
    ],
    [
      'readRaw',
      () => data.readRaw(new Uint8Array(1), { shape: [1], dtype: 'uint8', endian: 'big' } as never),
      "readRaw() got an unexpected option 'endian'",
    ],
  ])('%s', async (_, call, message) => {
    await expect(call()).rejects.toThrow(message);
  });
});

describe('the dtype of a batch of numbers', () => {
  it('does not depend on their values', () => {
    const dtypes = [
      [1, 2],
      [1, 2.5],
      [0.5, 0.25],
    ].map((samples) => data.defaultCollate(samples).dtype);
    expect(dtypes).toEqual(['float64', 'float64', 'float64']);
    expect(data.defaultCollate([1n, 2n]).dtype).toBe('int64');
  });
});
