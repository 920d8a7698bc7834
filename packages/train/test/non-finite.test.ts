// Where NaN or infinity begins, step by step: in the data, the forward, the backward or the update. Each
// case puts it somewhere; the right answer is that place.

import { exp, log, pow, sqrt, sum, type Tensor, tensor } from '@voxgrad/core';
import * as nn from '@voxgrad/nn';
import * as optim from '@voxgrad/optim';
import { describe, expect, it } from 'vitest';
import { type FitOptions, fit, NonFiniteError } from '../src/index.js';
import { problem, type Sample, weightsOf } from './support.js';

/** Multiplies its input by a parameter, and passes it through `fn`. */
class Through extends nn.Module {
  scale: nn.Parameter;
  constructor(
    readonly fn: (x: Tensor) => Tensor,
    scale = 1,
  ) {
    super();
    this.scale = new nn.Parameter(tensor([scale]));
  }
  forward(x: Tensor): Tensor {
    return this.fn(x.mul(this.scale));
  }
}

class Model extends nn.Module {
  encoder: nn.Sequential;
  constructor(inner: nn.Module) {
    super();
    this.encoder = new nn.Sequential(new Through((x) => x.add(0)), inner);
  }
  forward(x: Tensor): Tensor {
    return this.encoder.call(x) as Tensor;
  }
}

async function errorOf(options: FitOptions<never>): Promise<NonFiniteError> {
  const error = await fit(options).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof NonFiniteError) return error;
  throw error ?? new Error('nothing was thrown');
}

const train = (inner: nn.Module, batches: readonly number[], more: object = {}) => {
  const model = new Model(inner);
  return errorOf({
    model,
    optimizer: new optim.SGD(model.parameters(), { lr: 1e-3 }),
    loader: batches.map((x) => ({ x: tensor([x, 1, 2]) })),
    epochs: 1,
    trainingStep: ({ x }: { x: Tensor }) => sum(model.call(x)),
    ...more,
  } as unknown as FitOptions<never>);
};

describe('the forward', () => {
  it('names module, operation and step', async () => {
    // Two updates with a learning rate of 1e-3 have brought the factors of 1 to 0.994.
    const error = await train(new Through(log), [3, 2, 0, 1]);
    expect(error.origin).toEqual({
      phase: 'forward',
      module: 'encoder.1',
      operation: 'log',
      step: 3,
      epoch: 0,
    });
    expect(error.message).toBe(
      "the loss is -Infinity in step 3 (epoch 0). It began in the forward of 'log' in module 'encoder.1' " +
        '(Through): 1 of 3 elements is infinite, from [0, 1.976]. Keep its input above 0: add a small number, ' +
        'clamp, or use a loss that takes logits.',
    );
    expect(error.code).toBe('NONFINITE');
  });

  it('tells where infinity began and where it became NaN', async () => {
    const error = await train(new Through((x) => exp(x).sub(exp(x.mul(2)))), [1, 1e4]);
    expect(error.origin).toMatchObject({ phase: 'forward', operation: 'exp', step: 2 });
    expect(error.message).toMatch(/They became NaN in the forward of 'sub' in module 'encoder\.1'/);
  });

  it('is not misled by infinities that do no harm', async () => {
    const masked = (x: Tensor) =>
      sqrt(x.maskedFill(x.gt(1.5), Number.NEGATIVE_INFINITY).softmax(0).sub(0.4));
    const error = await train(new Through(masked), [1, 1]);
    expect(error.origin).toMatchObject({
      phase: 'forward',
      operation: 'sqrt',
      module: 'encoder.1',
    });
  });

  it('follows what is overwritten in place', async () => {
    const error = await train(new Through((x) => x.clone().log_().mul(2)), [1, 0]);
    expect(error.origin).toMatchObject({ operation: 'log', step: 2 });
  });

  it('outside of the model, says so', async () => {
    const inner = new Through((x) => x);
    const model = new Model(inner);
    const error = await train(inner, [1, -1], {
      trainingStep: ({ x }: { x: Tensor }) => sum(log(model.call(x))),
    });
    expect(error.origin).toMatchObject({ module: null, operation: 'log', step: 2 });
    expect(error.message).toMatch(
      /'log' \(outside of the model, in the loss\): 1 of 3 elements is NaN/,
    );
  });
});

describe('the backward', () => {
  it('names the operation whose derivative is not finite', async () => {
    const error = await train(new Through(sqrt), [1, 4, 0]);
    expect(error.origin).toEqual({
      phase: 'backward',
      module: 'encoder.1',
      operation: 'sqrt',
      step: 3,
      epoch: 0,
    });
    expect(error.message).toMatch(
      /the norm of the gradients is .* \(the loss is 2\.\d+\) in step 3 .* began in the backward of 'sqrt'/,
    );
  });

  it('in any batch of an accumulated update', async () => {
    const error = await train(new Through(sqrt), [1, 1, 0, 1], { accumulateGradBatches: 2 });
    expect(error.origin).toMatchObject({ phase: 'backward', operation: 'sqrt', step: 2 });
  });

  it('says when only the norm is too large', async () => {
    const error = await train(new Through((x) => x, 1), [1e25, 1]);
    expect(error.message).toMatch(/every operation of the step returned finite numbers/);
  });
});

describe('the rest', () => {
  it('data: names the entry of the batch', async () => {
    const error = await train(new Through(log), [1, Number.NaN]);
    expect(error.origin).toMatchObject({ phase: 'input', operation: 'the batch.x', step: 2 });
  });

  it('the optimizer: names the parameter that an update spoiled', async () => {
    const lr = 3e38;
    const inner = new Through((x) => pow(x, 2));
    const model = new Model(inner);
    const error = await train(inner, [1, 1], {
      model,
      optimizer: new optim.SGD(model.parameters(), { lr }),
      trainingStep: ({ x }: { x: Tensor }) => sum(model.call(x)),
    });
    expect(error.origin).toMatchObject({
      phase: 'optimizer',
      operation: 'SGD.step',
      module: 'encoder.0',
      step: 1,
    });
    expect(error.message).toMatch(
      /parameter 'encoder\.0\.scale' \(it is infinite\) is not finite after/,
    );
  });

  it('a parameter that was NaN from the start', async () => {
    const error = await train(new Through((x) => x, Number.NaN), [1]);
    expect(error.origin).toMatchObject({ phase: 'parameter', module: 'encoder.1', step: 1 });
  });

  it('a last update is looked at too, and never saved', async () => {
    const options = problem();
    const saves: number[] = [];
    const error = await errorOf({
      ...options,
      maxSteps: 1,
      optimizer: new optim.SGD(options.model.parameters(), { lr: Number.MAX_VALUE }),
      scheduler: undefined,
      checkpoint: { to: (bytes: Uint8Array) => void saves.push(bytes.length) },
    } as unknown as FitOptions<never>);
    expect(error.origin).toMatchObject({ phase: 'optimizer', step: 1 });
    expect(saves).toEqual([]);
  });
});

it('leaves the model as it was before the step, running means included', async () => {
  const options = problem();
  const poisoned = (step: number) => ({
    trainingStep: (batch: Sample, position: { step: number }) =>
      options.trainingStep(batch).mul(position.step === step ? Number.NaN : 1),
  });
  await expect(fit({ ...options, ...poisoned(2) })).rejects.toThrow(
    /a constant that the step did not compute, which the forward of 'mul' \(outside of the model/,
  );
  const after = weightsOf(options.model);
  const again = problem();
  await fit({ ...again, maxSteps: 2 });
  const names = [...again.model.stateDict().keys()];
  const parameters = names.filter((name) => !/running|tracked/.test(name)).length;
  expect(parameters).toBe(6);
  // The forward of step 3 has run once, as it would have without watching.
  const tracked = options.model.getBuffer('norm.num_batches_tracked').item();
  expect(tracked).toBe(3n);
  const weights = weightsOf(again.model);
  const first = [...again.model.parameters()].flatMap((p) => Array.from(p.dataSync(), Number));
  expect(after.slice(0, 10)).toEqual(weights.slice(0, 10));
  expect(first.length).toBeGreaterThan(10);
});

it('is silent where it is told to be', async () => {
  const options = problem();
  const { history } = await fit({
    ...options,
    epochs: 1,
    detectAnomaly: false,
    trainingStep: (batch) => options.trainingStep(batch).mul(Number.NaN),
  });
  expect(history.steps.map(({ loss }) => loss)).toEqual([
    Number.NaN,
    Number.NaN,
    Number.NaN,
    Number.NaN,
  ]);
});
