// Activations without parameters of their own, as modules.

import { argumentError, sigmoid, type Tensor, tanh } from '@voxgrad/core';
import {
  celu,
  type EluOptions,
  elu,
  type GeluOptions,
  gelu,
  type HardtanhOptions,
  hardshrink,
  hardsigmoid,
  hardswish,
  hardtanh,
  type LeakyReluOptions,
  leakyRelu,
  logsigmoid,
  mish,
  type RReluOptions,
  relu,
  relu6,
  rrelu,
  type ShrinkOptions,
  type SoftplusOptions,
  selu,
  silu,
  softplus,
  softshrink,
  softsign,
  tanhshrink,
  threshold,
} from '../activations/index.js';
import { Module } from '../module.js';
import { type InPlaceOptions, optionsOf } from '../options.js';
import { repr } from '../repr.js';

/** What the printed form says of `inplace`: nothing unless it is on. */
const shown = (inplace: boolean | undefined) => inplace || undefined;

abstract class InPlaceActivation extends Module {
  readonly inplace: boolean;

  constructor(options: InPlaceOptions = {}) {
    super();
    this.inplace = options.inplace ?? false;
  }

  override extraRepr(): string {
    return repr({ inplace: shown(this.inplace) });
  }
}

/** max(x, 0) */
export class ReLU extends InPlaceActivation {
  forward(x: Tensor): Tensor {
    return relu(x, this);
  }
}

/** min(max(x, 0), 6) */
export class ReLU6 extends InPlaceActivation {
  forward(x: Tensor): Tensor {
    return relu6(x, this);
  }
}

/** See `F.selu`. */
export class SELU extends InPlaceActivation {
  forward(x: Tensor): Tensor {
    return selu(x, this);
  }
}

/** x·sigmoid(x) */
export class SiLU extends InPlaceActivation {
  forward(x: Tensor): Tensor {
    return silu(x, this);
  }
}

/** x·tanh(softplus(x)) */
export class Mish extends InPlaceActivation {
  forward(x: Tensor): Tensor {
    return mish(x, this);
  }
}

/** relu6(x + 3) / 6 */
export class Hardsigmoid extends InPlaceActivation {
  forward(x: Tensor): Tensor {
    return hardsigmoid(x, this);
  }
}

/** x·relu6(x + 3) / 6 */
export class Hardswish extends InPlaceActivation {
  forward(x: Tensor): Tensor {
    return hardswish(x, this);
  }
}

/** 1 / (1 + e⁻ˣ) */
export class Sigmoid extends Module {
  forward(x: Tensor): Tensor {
    return sigmoid(x);
  }
}

export class Tanh extends Module {
  forward(x: Tensor): Tensor {
    return tanh(x);
  }
}

/** log(sigmoid(x)) */
export class LogSigmoid extends Module {
  forward(x: Tensor): Tensor {
    return logsigmoid(x);
  }
}

/** x / (1 + |x|) */
export class Softsign extends Module {
  forward(x: Tensor): Tensor {
    return softsign(x);
  }
}

/** x − tanh(x) */
export class Tanhshrink extends Module {
  forward(x: Tensor): Tensor {
    return tanhshrink(x);
  }
}

/** x where x > 0, else alpha·(eˣ − 1); alpha 1. */
export class ELU extends InPlaceActivation {
  readonly alpha: number;

  constructor(options: number | EluOptions = {}) {
    const { alpha = 1, inplace } = optionsOf(options, 'alpha');
    super({ inplace });
    this.alpha = alpha;
  }

  forward(x: Tensor): Tensor {
    return elu(x, this);
  }

  override extraRepr(): string {
    return repr({ alpha: this.alpha, inplace: shown(this.inplace) });
  }
}

/** x where x > 0, else alpha·(exp(x / alpha) − 1); alpha 1. */
export class CELU extends ELU {
  override forward(x: Tensor): Tensor {
    return celu(x, this);
  }
}

/** x where x > 0, else negativeSlope·x; 0.01. */
export class LeakyReLU extends InPlaceActivation {
  readonly negativeSlope: number;

  constructor(options: number | LeakyReluOptions = {}) {
    const { negativeSlope = 0.01, inplace } = optionsOf(options, 'negativeSlope');
    super({ inplace });
    this.negativeSlope = negativeSlope;
  }

  forward(x: Tensor): Tensor {
    return leakyRelu(x, this);
  }

  override extraRepr(): string {
    return repr({ negativeSlope: this.negativeSlope, inplace: shown(this.inplace) });
  }
}

/** A leaky ReLU whose slope is drawn anew for each element in training; see `F.rrelu`. */
export class RReLU extends InPlaceActivation {
  readonly lower: number;
  readonly upper: number;

  constructor(options: Omit<RReluOptions, 'training'> = {}) {
    super(options);
    this.lower = options.lower ?? 1 / 8;
    this.upper = options.upper ?? 1 / 3;
  }

  forward(x: Tensor): Tensor {
    return rrelu(x, this);
  }

  override extraRepr(): string {
    return repr({ lower: this.lower, upper: this.upper, inplace: shown(this.inplace) });
  }
}

/** x limited to [minVal, maxVal], [−1, 1]. */
export class Hardtanh extends InPlaceActivation {
  readonly minVal: number;
  readonly maxVal: number;

  constructor(options: HardtanhOptions = {}) {
    super(options);
    this.minVal = options.minVal ?? -1;
    this.maxVal = options.maxVal ?? 1;
    if (!(this.maxVal > this.minVal))
      throw argumentError(
        `Hardtanh: maxVal must be larger than minVal, but got ${this.minVal} and ${this.maxVal}`,
      );
  }

  forward(x: Tensor): Tensor {
    return hardtanh(x, this);
  }

  override extraRepr(): string {
    const { minVal, maxVal, inplace } = this;
    return repr({ minVal, maxVal, inplace: shown(inplace) });
  }
}

/** x where x > threshold, else value. */
export class Threshold extends InPlaceActivation {
  constructor(
    readonly threshold: number,
    readonly value: number,
    options: InPlaceOptions = {},
  ) {
    super(options);
  }

  forward(x: Tensor): Tensor {
    return threshold(x, this.threshold, this.value, this);
  }

  override extraRepr(): string {
    return repr({
      threshold: this.threshold,
      value: this.value,
      inplace: shown(this.inplace),
    });
  }
}

/** x outside [−lambd, lambd], else 0; lambd 0.5. */
export class Hardshrink extends Module {
  readonly lambd: number;

  constructor(options: number | ShrinkOptions = {}) {
    super();
    this.lambd = optionsOf(options, 'lambd').lambd ?? 0.5;
  }

  forward(x: Tensor): Tensor {
    return hardshrink(x, this);
  }

  override extraRepr(): string {
    return String(this.lambd);
  }
}

/** x drawn towards 0 by lambd, 0.5. */
export class Softshrink extends Hardshrink {
  override forward(x: Tensor): Tensor {
    return softshrink(x, this);
  }
}

/** log(1 + exp(beta·x)) / beta */
export class Softplus extends Module {
  readonly beta: number;
  readonly threshold: number;

  constructor(options: number | SoftplusOptions = {}) {
    super();
    const { beta = 1, threshold = 20 } = optionsOf(options, 'beta');
    this.beta = beta;
    this.threshold = threshold;
  }

  forward(x: Tensor): Tensor {
    return softplus(x, this);
  }

  override extraRepr(): string {
    return repr({ beta: this.beta, threshold: this.threshold });
  }
}

/** x·Φ(x) */
export class GELU extends Module {
  readonly approximate: 'none' | 'tanh';

  constructor(options: GeluOptions = {}) {
    super();
    this.approximate = options.approximate ?? 'none';
  }

  forward(x: Tensor): Tensor {
    return gelu(x, this);
  }

  override extraRepr(): string {
    return `approximate='${this.approximate}'`;
  }
}
