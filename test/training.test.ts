// Whole training runs and a resumed one, against real PyTorch (test/fixtures, made by test/oracle).

import { load, loadStateDict } from '@voxgrad/checkpoint';
import { Tensor, VoxgradError } from '@voxgrad/core';
import * as nn from '@voxgrad/nn';
import { Adam, type Optimizer, SGD } from '@voxgrad/optim';
import { describe, expect, it } from 'vitest';
import {
  fixtureTensor,
  readBytes,
  readJson,
  readSafetensors,
} from '../packages/core/test/fixtures.js';
import { fromFixture } from '../packages/core/test/support/convolution-fixtures.js';
import { defined, expectClose, filled } from '../packages/core/test/support/numbers.js';
import { buildSequential, type ModuleRow } from '../packages/nn/test/build.js';

interface Training {
  readonly network: ModuleRow[];
  readonly initial: string;
  readonly input: string;
  readonly target: string;
  readonly loss: 'CrossEntropyLoss' | 'MSELoss';
  readonly runs: {
    readonly name: string;
    readonly optimizer: 'SGD' | 'Adam';
    readonly options: { lr: number };
    readonly losses: number[];
  }[];
}

const { segmentation, classifier } =
  readJson<Record<'segmentation' | 'classifier', Training>>('training');
const tensors = readSafetensors('training');
const tensorOf = (key: string) => fromFixture(fixtureTensor(tensors, key));

const OPTIMIZERS = {
  SGD: (params: Tensor[], options: { lr: number }): Optimizer<object> => new SGD(params, options),
  Adam: (params: Tensor[], options: { lr: number }): Optimizer<object> => new Adam(params, options),
};

const runs = [segmentation, classifier].flatMap((training) =>
  training.runs.map((run) => ({ ...training, ...run })),
);

/**
 * A bias before batch norm has no gradient but the rounding of one, about 1e-17, which Adam divides
 * by its eps of 1e-8. The running mean follows the bias.
 */
const allowed = ({ network, optimizer }: (typeof runs)[0], key: string): number => {
  const [layer, name] = key.split('.');
  const normalised = network[Number(layer) + 1]?.module === 'BatchNorm3d' && name === 'bias';
  return optimizer === 'Adam' && (normalised || name === 'running_mean') ? 1e-8 : 1e-10;
};

describe('20 epochs in float64', () => {
  it.each(runs)('$name: every loss and the final state', async (run) => {
    const model = buildSequential(run.network, 'float64');
    model.loadStateDict(await loadStateDict(readBytes(run.initial)));
    const [input, target] = [tensorOf(run.input), tensorOf(run.target)];
    const lossOf = run.loss === 'MSELoss' ? new nn.MSELoss() : new nn.CrossEntropyLoss();
    const optimizer = OPTIMIZERS[run.optimizer](model.parameters(), run.options);
    const losses = run.losses.map(() => {
      optimizer.zeroGrad();
      const loss = lossOf.call(model.forward(input), target);
      loss.backward();
      optimizer.step();
      return loss.item();
    });
    losses.forEach((loss, epoch) => {
      expect(Math.abs(loss - run.losses[epoch]), `epoch ${epoch}`).toBeLessThan(1e-10);
    });
    for (const [key, value] of model.stateDict())
      expectClose(value, tensorOf(`${run.name}/${key}`), allowed(run, key), key);
  });
});

/** The network of test/oracle/checkpoints.py. */
class Network extends nn.Module {
  conv = new nn.Conv3d(1, 2, 3, { padding: 1 });
  norm = new nn.BatchNorm3d(2);
  up = new nn.ConvTranspose3d(2, 3, 2, { stride: 2, bias: false });
  classify = new nn.Linear(3, 2);

  forward(x: Tensor): Tensor {
    const features = this.up.call(this.norm.call(this.conv.call(x)).relu());
    return this.classify.call(features.mean([2, 3, 4]));
  }
}

describe('training_checkpoint.pt, saved by PyTorch after two steps of Adam', () => {
  /**
   * ⟨state, filled(shape, 0.5, 1.5)⟩ after the third step with the gradients filled(shape), as
   * PyTorch 1.13 took it.
   */
  const THIRD_STEP: Readonly<Record<string, number>> = {
    'conv.weight': -0.2620869429619914,
    'conv.bias': 0.07209499859483913,
    'norm.weight': 1.9043498539924624,
    'norm.bias': 0.03440886760130525,
    'norm.running_mean': 0.018048532514367253,
    'norm.running_var': 1.570203171670437,
    'up.weight': 0.16506871788830424,
    'classify.weight': -0.5215918113787968,
    'classify.bias': -0.359355283305049,
  };

  it('model and optimizer go on from there', async () => {
    const bytes = readBytes('training_checkpoint.pt');
    const checkpoint = await load(bytes);
    if (!(checkpoint instanceof Map)) throw new VoxgradError('TEST', 'expected a dict');
    const model = new Network();
    model.loadStateDict(await loadStateDict(bytes));
    const optimizer = new Adam(model.parameters(), { lr: 1 });
    optimizer.loadStateDict(checkpoint.get('optimizer') as Map<unknown, unknown>);
    expect(optimizer.paramGroups[0].lr).toBe(0.01);
    for (const p of model.parameters()) p.grad = filled(p.shape).to('float32');
    optimizer.step();
    const state = model.stateDict();
    for (const [key, expected] of Object.entries(THIRD_STEP)) {
      const value = defined(state.get(key), key).to('float64');
      const along = value
        .mul(filled(value.shape, 0.5, 1.5))
        .sum()
        .item();
      expect(along, key).toBeCloseTo(expected, 5); // float32
    }
    const steps = optimizer.stateDict().state.get(0)?.step;
    expect(steps instanceof Tensor && steps.item()).toBe(3);
  });
});
