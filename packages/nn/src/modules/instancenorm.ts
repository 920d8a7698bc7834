import {
  argumentError,
  checkArguments,
  formatShape,
  requireTensors,
  shapeError,
  type Tensor,
} from '@voxgrad/core';
import { join } from '../key.js';
import { instanceNorm } from '../normalization.js';
import { NormBase, type NormModuleOptions } from './norm-base.js';

abstract class InstanceNormNd extends NormBase {
  readonly #unbatched: number;

  /** @param unbatched dims of an input without a batch dim */
  constructor(unbatched: number, numFeatures: number, options: NormModuleOptions) {
    super(numFeatures, options, false, false);
    this.#unbatched = unbatched;
  }

  /** Files from before PyTorch 0.4 hold statistics that nobody uses; say so. */
  override upgradeState(
    state: Map<string, Tensor>,
    prefix: string,
    version: number | undefined,
  ): void {
    super.upgradeState(state, prefix, version);
    if (version !== undefined || this.runningMean) return;
    const stray = ['running_mean', 'running_var'].filter((name) => state.has(join(prefix, name)));
    if (stray.length === 0) return;
    const names = stray.map((name) => `"${join(prefix, name)}"`).join(' and ');
    throw argumentError(
      `Unexpected running stats buffer(s) ${names} for ${this.constructor.name} with track_running_stats=False. ` +
        'If state_dict is a checkpoint saved before 0.4.0, this may be expected because ' +
        `${this.constructor.name} does not track running stats by default since 0.4.0. Please remove these ` +
        'keys from state_dict. If the running stats are actually needed, instead set trackRunningStats: true.',
    );
  }

  forward(x: Tensor): Tensor {
    requireTensors(this.constructor.name, { input: x });
    const rank = this.#unbatched;
    if (x.ndim !== rank && x.ndim !== rank + 1)
      throw shapeError(
        `expected ${rank}D or ${rank + 1}D input (got ${x.ndim}D input of size ${formatShape(x.shape)})`,
      );
    if (x.ndim === rank) return this.#normalize(x.unsqueeze(0)).squeeze(0);
    return this.#normalize(x);
  }

  #normalize(x: Tensor): Tensor {
    const { runningMean, runningVar, weight, bias, eps } = this;
    return instanceNorm(x, {
      runningMean,
      runningVar,
      weight,
      bias,
      useInputStats: this.training || runningMean === null,
      momentum: this.momentum ?? 0,
      eps,
    });
  }
}

/** Instance normalisation of `[N, C, L]` or `[C, L]`: each channel of each sample by itself. */
export class InstanceNorm1d extends InstanceNormNd {
  static readonly keepsNothing = true;

  constructor(numFeatures: number, options: NormModuleOptions = {}, ...surplus: never[]) {
    checkArguments(new.target.name, '#numFeatures, options', [numFeatures, options, ...surplus]);
    super(2, numFeatures, options);
  }
}

/** Instance normalisation of `[N, C, H, W]` or `[C, H, W]`. */
export class InstanceNorm2d extends InstanceNormNd {
  static readonly keepsNothing = true;

  constructor(numFeatures: number, options: NormModuleOptions = {}, ...surplus: never[]) {
    checkArguments(new.target.name, '#numFeatures, options', [numFeatures, options, ...surplus]);
    super(3, numFeatures, options);
  }
}

/** Instance normalisation of `[N, C, D, H, W]` or `[C, D, H, W]`. */
export class InstanceNorm3d extends InstanceNormNd {
  static readonly keepsNothing = true;

  constructor(numFeatures: number, options: NormModuleOptions = {}, ...surplus: never[]) {
    checkArguments(new.target.name, '#numFeatures, options', [numFeatures, options, ...surplus]);
    super(4, numFeatures, options);
  }
}
