// A small segmentation problem with everything that draws random numbers or keeps a state.

import { manualSeed, noGrad, rand, type Tensor, tensor } from '@voxgrad/core';
import { DataLoader, RandomFlip } from '@voxgrad/data';
import * as nn from '@voxgrad/nn';
import * as optim from '@voxgrad/optim';
import type { FitOptions } from '../src/index.js';

const { crossEntropy, relu } = nn.functional;

export interface Sample {
  readonly image: Tensor;
  readonly label: Tensor;
}

export class Net extends nn.Module {
  first: nn.Conv3d;
  norm: nn.BatchNorm3d;
  dropout = new nn.Dropout(0.3);
  head: nn.Conv3d;

  constructor(channels = 4) {
    super();
    this.first = new nn.Conv3d(1, channels, 3, { padding: 1 });
    this.norm = new nn.BatchNorm3d(channels);
    this.head = new nn.Conv3d(channels, 2, 1);
  }

  forward(x: Tensor): Tensor {
    return this.head.call(this.dropout.call(relu(this.norm.call(this.first.call(x)))));
  }
}

export const SAMPLES = 7;

/** A run over volumes of 4³ voxels whose label is where they are bright: 4 batches in an epoch. */
export function problem({ seed = 5, channels = 4 } = {}) {
  manualSeed(seed);
  const samples = Array.from({ length: SAMPLES }, () => {
    const image = rand([1, 4, 4, 4]);
    const label = image.gt(0.6).squeeze(0);
    return { image, label: label.to('int64') };
  });
  const model = new Net(channels);
  const optimizer = new optim.Adam(model.parameters(), { lr: 0.02 });
  const scheduler = new optim.lrScheduler.StepLR(optimizer, 2, { gamma: 0.5 });
  const loader = new DataLoader<Sample>(samples, {
    batchSize: 2,
    shuffle: true,
    transform: new RandomFlip(),
  });
  const validate = () => {
    const [sample] = samples;
    return crossEntropy(model.call(sample.image.unsqueeze(0)), sample.label.unsqueeze(0)).item();
  };
  const options = {
    model,
    optimizer,
    scheduler,
    loader,
    epochs: 4,
    trainingStep: ({ image, label }: Sample) => crossEntropy(model.call(image), label),
    validate: () => Number(validate()),
  } satisfies FitOptions<Sample>;
  return options;
}

/** All numbers of a model's state, to compare for equality. */
export const weightsOf = (model: { stateDict(): Map<string, Tensor> }): number[] =>
  noGrad(() =>
    [...model.stateDict().values()].flatMap((x) => Array.from(x.to('float64').dataSync(), Number)),
  );

export const scalar = (x: number): Tensor => tensor(x);
