// The training loop. Everything that a killed run needs to go on is in `state.ts`.

import {
  argumentError,
  describe,
  formatShape,
  isGradEnabled,
  setGradEnabled,
  Tensor,
} from '@voxgrad/core';
import type { lrScheduler } from '@voxgrad/optim';
import { Checkpoints } from './checkpoint.js';
import { EarlyStopping } from './early-stopping.js';
import { gradNorm } from './grad-norm.js';
import { History } from './history.js';
import { checkParameters, explainNonFinite } from './non-finite/explain.js';
import {
  type Callback,
  checkFitOptions,
  type FitOptions,
  type Metrics,
  type Position,
  type Training,
} from './options.js';
import { EpochOrder, generatorsOf } from './order.js';
import { type LayerProfile, profileLayers } from './profile.js';
import { type RandomState, RandomStates } from './random-states.js';
import { packRun, type RunState, unpackRun } from './state.js';
import { Turns } from './turn.js';

/** Why a run ended. */
export type Ending = 'completed' | 'earlyStopping' | 'maxSteps' | 'aborted';

export interface FitResult {
  readonly ending: Ending;
  /** Epochs completed. */
  readonly epoch: number;
  /** Updates made. */
  readonly step: number;
  /** Of the whole run, what came before resuming counted in. */
  readonly history: History;
  /** With early stopping: the best epoch (−1 for none) and its metric. */
  readonly best?: { readonly epoch: number; readonly value: number };
  /** With `profile: true`, unless there was no step to make. */
  readonly profile?: LayerProfile;
}

/** A batch that has gone forward and backward, and all that doing so again would need. */
export interface Done<B> {
  readonly batch: B;
  readonly loss: Tensor;
  /** The random numbers before. */
  readonly random: readonly RandomState[];
}

/**
 * Trains a model: batches forward and backward, clipping, updates, schedules, validation, early
 * stopping, checkpoints.
 *
 * With `checkpoint`, a run that is killed at any moment and started again ends with the losses of an
 * undisturbed one, bit for bit: parameters, optimizer, scheduler, random numbers and the order of the
 * data go on where they were, in the middle of an epoch too. What a run computes must follow from
 * these: `trainingStep` and `validate` keep no state of their own (or pass it as `stateful`), and
 * random numbers come from the library.
 *
 * ```ts
 * const { history } = await fit({
 *   model, optimizer, loader, epochs: 20,
 *   trainingStep: ({ image, label }) => F.crossEntropy(model.call(image), label),
 *   checkpoint: { to: 'run.pt', everySeconds: 60 },
 * });
 * ```
 *
 * @throws NonFiniteError naming the module, the operation and the step where NaN or infinity began
 * @throws VoxgradError RESUME where the checkpoint is of another run; nothing has changed then
 */
export async function fit<B>(options: FitOptions<B>): Promise<FitResult> {
  checkFitOptions(options);
  const run = new Run(options);
  await run.resume();
  return run.train();
}

class Run<B> {
  readonly options: FitOptions<B>;
  readonly random: RandomStates;
  readonly stopping: EarlyStopping | undefined;
  readonly #checkpoints: Checkpoints | undefined;
  readonly #turns = new Turns();
  #state: RunState<B> = { epoch: 0, step: 0, history: new History(), order: undefined };
  #profile: LayerProfile | undefined;

  constructor(options: FitOptions<B>) {
    this.options = options;
    const { checkpoint, earlyStopping, generators = [], loader } = options;
    this.random = new RandomStates([...generatorsOf(loader), ...generators]);
    this.stopping = earlyStopping && new EarlyStopping(earlyStopping);
    this.#checkpoints = checkpoint && new Checkpoints(checkpoint);
  }

  newOrder(): EpochOrder<B> {
    return new EpochOrder(this.options.loader, this.random);
  }

  async resume(): Promise<void> {
    const saved = await this.#checkpoints?.load();
    if (saved !== undefined) this.#state = unpackRun(saved, this);
  }

  async train(): Promise<FitResult> {
    this.#forgetGradients();
    const { model } = this.options;
    const before = model.training;
    try {
      await this.#tell((callback) =>
        callback.onStart?.({ ...this.#training(), ...this.#position() }),
      );
      const ending = await this.#epochs();
      if (ending !== 'aborted') this.stopping?.restore(model);
      return {
        ending,
        ...this.#position(),
        history: this.#state.history,
        ...(this.stopping && {
          best: { epoch: this.stopping.bestEpoch, value: this.stopping.best },
        }),
        ...(this.#profile && { profile: this.#profile }),
      };
    } finally {
      model.train(before);
      await this.#tell((callback) =>
        callback.onEnd?.({ ...this.#training(), ...this.#position() }),
      );
    }
  }

  async #epochs(): Promise<Ending> {
    for (;;) {
      if (this.stopping?.stops) return 'earlyStopping';
      if (this.#state.epoch >= this.options.epochs) return 'completed';
      const began = performance.now();
      const ending = this.#interruption() ?? (await this.#batches());
      if (ending) return ending;
      await this.#endEpoch((performance.now() - began) / 1000);
    }
  }

  /** The batches of an epoch, or what is left of it; says what interrupted it. */
  async #batches(): Promise<Ending | undefined> {
    this.#state.order ??= this.#newEpoch();
    const { order } = this.#state;
    this.options.model.train();
    let group: Done<B>[] = [];
    let size = this.#groupSize(order);
    for await (const batch of order.rest()) {
      group.push(this.#forwardBackward(batch, size));
      if (group.length < size) continue;
      const ending = await this.#finish(group, order);
      if (ending) return ending;
      size = this.#groupSize(order);
      group = [];
    }
    return group.length > 0 ? this.#finish(group, order) : undefined;
  }

  #newEpoch(): EpochOrder<B> {
    const order = this.newOrder();
    order.begin();
    return order;
  }

  /** Batches for the next update: fewer at the end of an epoch whose length is known. */
  #groupSize(order: EpochOrder<B>): number {
    const left = (order.length ?? Number.POSITIVE_INFINITY) - order.position;
    return Math.max(1, Math.min(this.options.accumulateGradBatches ?? 1, left));
  }

  /** Makes an update out of a group, and saves where it is time to. */
  async #finish(group: readonly Done<B>[], order: EpochOrder<B>): Promise<Ending | undefined> {
    await this.#update(group);
    order.position += group.length;
    const due = this.#checkpoints?.due() ?? false;
    await this.#turns.give();
    const ending = this.#interruption();
    if (due || ending) await this.#save();
    return ending;
  }

  #interruption(): Ending | undefined {
    if (this.options.signal?.aborted) return 'aborted';
    return this.#state.step >= (this.options.maxSteps ?? Number.POSITIVE_INFINITY)
      ? 'maxSteps'
      : undefined;
  }

  #forwardBackward(batch: B, size: number): Done<B> {
    const random = this.random.get();
    const compute = () => {
      const loss = this.#loss(batch);
      (size > 1 ? loss.div(size) : loss).backward();
      return loss.detach();
    };
    if (!this.options.profile || this.#profile) return { batch, random, loss: compute() };
    const { result, profile } = profileLayers(this.options.model, compute);
    this.#profile = profile;
    return { batch, random, loss: result };
  }

  #loss(batch: B): Tensor {
    const loss: unknown = this.options.trainingStep(batch, this.#position());
    if (loss instanceof Promise)
      throw argumentError(
        'fit: trainingStep returned a promise, but it computes the loss at once; what waits belongs ' +
          'into the dataset or its transform',
      );
    if (!(loss instanceof Tensor))
      throw argumentError(
        `fit: trainingStep should return the loss, but returned ${describe(loss)}`,
      );
    if (loss.numel !== 1)
      throw argumentError(
        `fit: trainingStep should return a scalar, but returned a tensor of shape ${formatShape(loss.shape)}; ` +
          'take its mean or sum',
      );
    return loss;
  }

  async #update(group: readonly Done<B>[]): Promise<void> {
    const { optimizer, scheduler, schedulerInterval, clipGradNorm } = this.options;
    const state = this.#state;
    const parameters = optimizer.paramGroups.flatMap(({ params }) => params);
    const norm = gradNorm(parameters, clipGradNorm);
    const [gradient, ...losses] = (
      await Promise.all([norm, ...group.map((done) => done.loss)].map((x) => x.itemAsync()))
    ).map(Number);
    const loss = losses.reduce((a, b) => a + b) / losses.length;
    if (this.#detects && !(Number.isFinite(loss) && Number.isFinite(gradient)))
      await this.#explain(group, loss, gradient);
    optimizer.step();
    this.#forgetGradients();
    const [{ lr }] = optimizer.paramGroups;
    if (schedulerInterval === 'step') scheduler?.step();
    state.step++;
    const record = { step: state.step, epoch: state.epoch, loss, gradNorm: gradient, lr };
    state.history.steps.push(record);
    await this.#tell((callback) => callback.onStep?.(record, this.#training()));
  }

  async #endEpoch(seconds: number): Promise<void> {
    const state = this.#state;
    const { epoch, step, history } = state;
    const losses = history.steps.filter((record) => record.epoch === epoch).map(({ loss }) => loss);
    if (losses.length === 0)
      throw argumentError(
        `fit: the loader gave no batch in epoch ${epoch}; an iterator can be looped over once only, so pass ` +
          'a DataLoader, a list, or an object that begins anew every time',
      );
    const loss = losses.reduce((a, b) => a + b) / losses.length;
    const metrics = await this.#validate();
    this.#schedule(metrics[this.stopping?.monitor ?? 'loss'] ?? loss);
    this.stopping?.update(epoch, metrics, this.options.model);
    const record = { epoch, step, loss, metrics, seconds };
    history.epochs.push(record);
    state.epoch++;
    state.order = undefined;
    // Before saving: what callbacks change may be part of the state.
    await this.#tell((callback) => callback.onEpoch?.(record, this.#training()));
    await this.#save();
  }

  async #validate(): Promise<Record<string, number>> {
    const { model, validate } = this.options;
    if (this.#detects) await checkParameters(model, this.options.optimizer, this.#position());
    if (!validate) return {};
    const recording = isGradEnabled();
    model.eval();
    setGradEnabled(false);
    try {
      return namedMetrics(await validate(this.#position()));
    } finally {
      setGradEnabled(recording);
      model.train();
    }
  }

  #schedule(metric: number): void {
    const { scheduler, schedulerInterval = 'epoch' } = this.options;
    if (!scheduler || schedulerInterval === 'step') return;
    if (isPlateau(scheduler)) scheduler.step(metric);
    else scheduler.step();
  }

  async #save(): Promise<void> {
    if (!this.#checkpoints) return;
    // A file with NaN in it would replace one that is still good.
    if (this.#detects)
      await checkParameters(this.options.model, this.options.optimizer, this.#position());
    await this.#checkpoints.save(packRun(this.#state, this));
  }

  get #detects(): boolean {
    return this.options.detectAnomaly ?? true;
  }

  /** Runs the batches of an update again, watched, and throws what began where. */
  async #explain(group: readonly Done<B>[], loss: number, gradient: number): Promise<never> {
    const { model, optimizer } = this.options;
    this.#forgetGradients();
    try {
      throw await explainNonFinite({
        model,
        optimizer,
        position: this.#position(),
        found: { loss, gradNorm: gradient },
        group,
        rerun: ({ random, batch }) => {
          this.random.set(random);
          return this.#loss(batch);
        },
      });
    } finally {
      this.#forgetGradients();
    }
  }

  #forgetGradients(): void {
    this.options.optimizer.zeroGrad();
    this.options.model.zeroGrad();
  }

  #position(): Position {
    return { epoch: this.#state.epoch, step: this.#state.step };
  }

  #training(): Training {
    const { model, optimizer, epochs } = this.options;
    return {
      model,
      optimizer,
      epochs,
      batches: this.#state.order?.length ?? this.newOrder().length,
      history: this.#state.history,
      profile: this.#profile,
    };
  }

  async #tell(call: (callback: Callback) => unknown): Promise<void> {
    for (const callback of this.options.callbacks ?? []) await call(callback);
  }
}

/** Whether a scheduler waits for a metric, as ReduceLROnPlateau does. */
const isPlateau = (scheduler: lrScheduler.Scheduler): scheduler is lrScheduler.ReduceLROnPlateau =>
  'numBadEpochs' in scheduler;

function namedMetrics(metrics: Metrics): Record<string, number> {
  const named = typeof metrics === 'number' ? { loss: metrics } : metrics;
  if (typeof named === 'object' && named !== null) {
    const wrong = Object.entries(named).find(([, value]) => typeof value !== 'number');
    if (!wrong) return { ...named };
    throw argumentError(
      `fit: metric '${wrong[0]}' should be a number, but is ${describe(wrong[1])}`,
    );
  }
  throw argumentError(
    `fit: validate should return a number or { name: number, … }, but returned ${describe(metrics)}`,
  );
}
