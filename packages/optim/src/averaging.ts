// Averages of weights over training, which often generalise better than the last weights.

import {
  argumentError,
  describe,
  formatShape,
  isFloat,
  noGrad,
  StateDict,
  sameShape,
  Tensor,
  tensor,
} from '@voxgrad/core';
import { checkOption, withDefaults } from './options.js';

/** What is averaged: a module, or anything with these two methods. */
export interface ModelLike {
  namedParameters(): Iterable<readonly [string, Tensor]>;
  /** Parameters and buffers, sharing their elements with the model. */
  stateDict(): Map<string, Tensor>;
}

/** Options of {@link ExponentialMovingAverage} and {@link StochasticWeightAverage}. */
export interface AveragingOptions {
  /** Averages floating buffers (of batch norm) too; otherwise they are the model's last. */
  useBuffers?: boolean;
}

/** Keeps an average of a model's weights next to them, in the layout of PyTorch's AveragedModel. */
export abstract class AveragedWeights {
  /** The average of each weight, by its name in the model (its place in a list). */
  readonly averages: ReadonlyMap<string, Tensor>;
  /** How many updates there were. */
  nAveraged = 0;
  readonly #source: ModelLike | readonly Tensor[];
  readonly #averaged: ReadonlySet<string>;
  #kept: Map<string, Tensor> | undefined;

  constructor(source: ModelLike | Iterable<Tensor>, useBuffers: boolean) {
    if (
      typeof source !== 'object' ||
      source === null ||
      !(isModel(source) || Symbol.iterator in source)
    )
      throw argumentError(
        `${new.target.name}: expected a module or a list of Tensors, but got ${describe(source)}`,
      );
    this.#source = isModel(source) ? source : [...source];
    const weights = this.#weights();
    this.averages = clonesOf(weights);
    const floats = [...weights].filter(([, value]) => isFloat(value.dtype)).map(([name]) => name);
    const parameters = isModel(source)
      ? [...source.namedParameters()].map(([name]) => name)
      : [...weights.keys()];
    this.#averaged = new Set(useBuffers ? floats : parameters);
  }

  /** Writes the next average into `average`. */
  protected abstract mix(average: Tensor, weight: Tensor): void;

  /** The weights as they are now; a module's tensors are replaced when it moves. */
  #weights(): Map<string, Tensor> {
    const source = this.#source;
    return isModel(source)
      ? source.stateDict()
      : new Map(
          source.map((weight, i): [string, Tensor] => {
            if (weight instanceof Tensor) return [String(i), weight];
            throw argumentError(
              `expected a list of Tensors to average, but got ${describe(weight)}`,
            );
          }),
        );
  }

  /** Takes the weights of now into the average, after `optimizer.step()`; the first time copies. */
  update(): void {
    if (this.#kept) throw argumentError('update(): the averages are applied; call restore() first');
    noGrad(() => {
      for (const [name, weight] of this.#weights()) {
        const average = this.averages.get(name);
        if (average === undefined)
          throw argumentError(`update(): the model has a new weight, ${name}`);
        const here = weight.detach().to(average.device);
        if (this.nAveraged > 0 && this.#averaged.has(name)) this.mix(average, here);
        else average.copy_(here);
      }
    });
    this.nAveraged++;
  }

  /** Puts the averages in the place of the weights, to evaluate or save the model. */
  apply(): void {
    if (this.#kept) throw argumentError('apply(): the averages are applied already');
    const weights = this.#weights();
    this.#kept = clonesOf(weights);
    write(this.averages, weights);
  }

  /** Puts the weights back as they were before `apply()`. */
  restore(): void {
    if (!this.#kept) throw argumentError('restore(): the averages are not applied');
    write(this.#kept, this.#weights());
    this.#kept = undefined;
  }

  /** `n_averaged`, then the averages under `module.`: what PyTorch's AveragedModel loads. */
  stateDict(): StateDict {
    const count = tensor(BigInt(this.nAveraged), { dtype: 'int64', device: 'cpu' });
    const named = [...this.averages].map(([name, x]): [string, Tensor] => [`module.${name}`, x]);
    return new StateDict([['n_averaged', count], ...named]);
  }

  /** Copies a state of `stateDict()` or of PyTorch's AveragedModel; all of it, or nothing. */
  loadStateDict(state: ReadonlyMap<string, Tensor>): void {
    if (!(state instanceof Map))
      throw argumentError(`loadStateDict(): expected a state dict (a Map), got ${describe(state)}`);
    const count = state.get('n_averaged');
    if (!(count instanceof Tensor))
      throw argumentError(`loadStateDict(): n_averaged is ${describe(count)}`);
    const loaded = new Map<string, Tensor>();
    for (const [name, average] of this.averages) {
      const value = state.get(`module.${name}`);
      if (!(value instanceof Tensor))
        throw argumentError(`Missing key(s) in state_dict: "module.${name}". `);
      if (!sameShape(value.shape, average.shape))
        throw argumentError(
          `size mismatch for module.${name}: copying a param with shape ${formatShape(value.shape)} from ` +
            `checkpoint, the shape in current model is ${formatShape(average.shape)}.`,
        );
      loaded.set(name, value);
    }
    const nAveraged = Number(count.item());
    write(loaded, this.averages);
    this.nAveraged = nAveraged;
  }
}

/** average ← decay·average + (1 − decay)·weight. */
export class ExponentialMovingAverage extends AveragedWeights {
  readonly decay: number;

  constructor(
    source: ModelLike | Iterable<Tensor>,
    options: AveragingOptions & { decay?: number } = {},
  ) {
    const { decay, useBuffers } = withDefaults(
      'ExponentialMovingAverage',
      { decay: 0.999, useBuffers: false },
      options,
    );
    checkOption('decay value', decay, decay >= 0 && decay <= 1);
    super(source, useBuffers);
    this.decay = decay;
  }

  protected override mix(average: Tensor, weight: Tensor): void {
    average.mul_(this.decay).add_(weight, { alpha: 1 - this.decay });
  }
}

/** The mean of the weights at all updates: SWA (Izmailov et al., arXiv:1803.05407). */
export class StochasticWeightAverage extends AveragedWeights {
  constructor(source: ModelLike | Iterable<Tensor>, options: AveragingOptions = {}) {
    const { useBuffers } = withDefaults('StochasticWeightAverage', { useBuffers: false }, options);
    super(source, useBuffers);
  }

  protected override mix(average: Tensor, weight: Tensor): void {
    average.add_(weight.sub(average).div(this.nAveraged + 1));
  }
}

const isModel = (source: object): source is ModelLike =>
  'namedParameters' in source && 'stateDict' in source;

const clonesOf = (weights: ReadonlyMap<string, Tensor>): Map<string, Tensor> =>
  noGrad(() => new Map([...weights].map(([name, weight]) => [name, weight.detach().clone()])));

const write = (from: ReadonlyMap<string, Tensor>, to: ReadonlyMap<string, Tensor>): void =>
  noGrad(() => {
    for (const [name, target] of to) {
      const value = from.get(name);
      if (value !== undefined) target.copy_(value);
    }
  });
