// Activations without parameters of their own, as modules.

import {
  argumentError,
  checkArguments,
  checkOptions,
  sigmoid,
  type Tensor,
  tanh,
} from '@voxgrad/core';
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
import {
  ELU as ELU_OPTIONS,
  GELU as GELU_OPTIONS,
  HARDTANH,
  IN_PLACE,
  LEAKY_RELU,
  SHRINK,
  SOFTPLUS,
} from '../option-tables.js';
import { type InPlaceOptions, optionsOf } from '../options.js';
import { repr } from '../repr.js';

/** What the printed form says of `inplace`: nothing unless it is on. */
const shown = (inplace: boolean | undefined) => inplace || undefined;

abstract class InPlaceActivation extends Module {
  readonly inplace: boolean;

  constructor(options: InPlaceOptions = {}, ...surplus: never[]) {
    checkArguments(new.target.name, 'options', [options, ...surplus]);
    super();
    checkOptions(new.target.name, options, IN_PLACE);
    this.inplace = options.inplace ?? false;
  }

  override extraRepr(): string {
    return repr({ inplace: shown(this.inplace) });
  }
}

/** max(x, 0) */
export class ReLU extends InPlaceActivation {
  static readonly keepsNothing = true;
  /** Internal: batch norm can take it along. */
  static readonly isRelu = true;

  forward(x: Tensor): Tensor {
    return relu(x, { inplace: this.inplace });
  }
}

/** min(max(x, 0), 6) */
export class ReLU6 extends InPlaceActivation {
  static readonly keepsNothing = true;

  forward(x: Tensor): Tensor {
    return relu6(x, { inplace: this.inplace });
  }
}

/** See `F.selu`. */
export class SELU extends InPlaceActivation {
  static readonly keepsNothing = true;

  forward(x: Tensor): Tensor {
    return selu(x, { inplace: this.inplace });
  }
}

/** x·sigmoid(x) */
export class SiLU extends InPlaceActivation {
  static readonly keepsNothing = true;

  forward(x: Tensor): Tensor {
    return silu(x, { inplace: this.inplace });
  }
}

/** x·tanh(softplus(x)) */
export class Mish extends InPlaceActivation {
  static readonly keepsNothing = true;

  forward(x: Tensor): Tensor {
    return mish(x, { inplace: this.inplace });
  }
}

/** relu6(x + 3) / 6 */
export class Hardsigmoid extends InPlaceActivation {
  static readonly keepsNothing = true;

  forward(x: Tensor): Tensor {
    return hardsigmoid(x, { inplace: this.inplace });
  }
}

/** x·relu6(x + 3) / 6 */
export class Hardswish extends InPlaceActivation {
  static readonly keepsNothing = true;

  forward(x: Tensor): Tensor {
    return hardswish(x, { inplace: this.inplace });
  }
}

/** 1 / (1 + e⁻ˣ) */
export class Sigmoid extends Module {
  static readonly keepsNothing = true;

  forward(x: Tensor): Tensor {
    return sigmoid(x);
  }
}

/** {@link tanh} as a module. */
export class Tanh extends Module {
  static readonly keepsNothing = true;

  forward(x: Tensor): Tensor {
    return tanh(x);
  }
}

/** log(sigmoid(x)) */
export class LogSigmoid extends Module {
  static readonly keepsNothing = true;

  forward(x: Tensor): Tensor {
    return logsigmoid(x);
  }
}

/** x / (1 + |x|) */
export class Softsign extends Module {
  static readonly keepsNothing = true;

  forward(x: Tensor): Tensor {
    return softsign(x);
  }
}

/** x − tanh(x) */
export class Tanhshrink extends Module {
  static readonly keepsNothing = true;

  forward(x: Tensor): Tensor {
    return tanhshrink(x);
  }
}

/** x where x > 0, else alpha·(eˣ − 1); alpha 1. */
export class ELU extends InPlaceActivation {
  static readonly keepsNothing = true;

  readonly alpha: number;

  constructor(options: number | EluOptions = {}, more?: InPlaceOptions, ...surplus: never[]) {
    const { alpha = 1, inplace } = optionsOf(new.target.name, ELU_OPTIONS, 'alpha', options, more);
    checkArguments(new.target.name, 'options, more', [options, more, ...surplus]);
    super({ inplace });
    this.alpha = alpha;
  }

  forward(x: Tensor): Tensor {
    return elu(x, { alpha: this.alpha, inplace: this.inplace });
  }

  override extraRepr(): string {
    return repr({ alpha: this.alpha, inplace: shown(this.inplace) });
  }
}

/** x where x > 0, else alpha·(exp(x / alpha) − 1); alpha 1. */
export class CELU extends ELU {
  static override readonly keepsNothing = true;

  override forward(x: Tensor): Tensor {
    return celu(x, { alpha: this.alpha, inplace: this.inplace });
  }
}

/** x where x > 0, else negativeSlope·x; 0.01. */
export class LeakyReLU extends InPlaceActivation {
  static readonly keepsNothing = true;

  readonly negativeSlope: number;

  constructor(options: number | LeakyReluOptions = {}, more?: InPlaceOptions, ...surplus: never[]) {
    const { negativeSlope = 0.01, inplace } = optionsOf(
      new.target.name,
      LEAKY_RELU,
      'negativeSlope',
      options,
      more,
    );
    checkArguments(new.target.name, 'options, more', [options, more, ...surplus]);
    super({ inplace });
    this.negativeSlope = negativeSlope;
  }

  forward(x: Tensor): Tensor {
    return leakyRelu(x, { negativeSlope: this.negativeSlope, inplace: this.inplace });
  }

  override extraRepr(): string {
    return repr({ negativeSlope: this.negativeSlope, inplace: shown(this.inplace) });
  }
}

/** A leaky ReLU whose slope is drawn anew for each element in training; see `F.rrelu`. */
export class RReLU extends InPlaceActivation {
  static readonly keepsNothing = true;

  readonly lower: number;
  readonly upper: number;

  constructor(options: Omit<RReluOptions, 'training'> = {}, ...surplus: never[]) {
    checkOptions(new.target.name, options, ['lower', 'upper', 'inplace']);
    checkArguments(new.target.name, 'options', [options, ...surplus]);
    super({ inplace: options.inplace });
    this.lower = options.lower ?? 1 / 8;
    this.upper = options.upper ?? 1 / 3;
  }

  forward(x: Tensor): Tensor {
    const { lower, upper, training, inplace } = this;
    return rrelu(x, { lower, upper, training, inplace });
  }

  override extraRepr(): string {
    return repr({ lower: this.lower, upper: this.upper, inplace: shown(this.inplace) });
  }
}

/** x limited to [minVal, maxVal], [−1, 1]. */
export class Hardtanh extends InPlaceActivation {
  static readonly keepsNothing = true;

  readonly minVal: number;
  readonly maxVal: number;

  constructor(options: HardtanhOptions = {}, ...surplus: never[]) {
    checkOptions(new.target.name, options, HARDTANH);
    checkArguments(new.target.name, 'options', [options, ...surplus]);
    super({ inplace: options.inplace });
    this.minVal = options.minVal ?? -1;
    this.maxVal = options.maxVal ?? 1;
    if (!(this.maxVal > this.minVal))
      throw argumentError(
        `Hardtanh: maxVal must be larger than minVal, but got ${this.minVal} and ${this.maxVal}`,
      );
  }

  forward(x: Tensor): Tensor {
    const { minVal, maxVal, inplace } = this;
    return hardtanh(x, { minVal, maxVal, inplace });
  }

  override extraRepr(): string {
    const { minVal, maxVal, inplace } = this;
    return repr({ minVal, maxVal, inplace: shown(inplace) });
  }
}

/** x where x > threshold, else value. */
export class Threshold extends InPlaceActivation {
  static readonly keepsNothing = true;

  constructor(
    readonly threshold: number,
    readonly value: number,
    options: InPlaceOptions = {},
    ...surplus: never[]
  ) {
    checkArguments(new.target.name, '#threshold, #value, options', [
      threshold,
      value,
      options,
      ...surplus,
    ]);
    super(options);
  }

  forward(x: Tensor): Tensor {
    return threshold(x, this.threshold, this.value, { inplace: this.inplace });
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
  static readonly keepsNothing = true;

  readonly lambd: number;

  constructor(options: number | ShrinkOptions = {}, ...surplus: never[]) {
    checkArguments(new.target.name, 'options', [options, ...surplus]);
    super();
    this.lambd = optionsOf(new.target.name, SHRINK, 'lambd', options).lambd ?? 0.5;
  }

  forward(x: Tensor): Tensor {
    return hardshrink(x, this.lambd);
  }

  override extraRepr(): string {
    return String(this.lambd);
  }
}

/** x drawn towards 0 by lambd, 0.5. */
export class Softshrink extends Hardshrink {
  static override readonly keepsNothing = true;

  override forward(x: Tensor): Tensor {
    return softshrink(x, this.lambd);
  }
}

/** log(1 + exp(beta·x)) / beta */
export class Softplus extends Module {
  static readonly keepsNothing = true;

  readonly beta: number;
  readonly threshold: number;

  constructor(
    options: number | SoftplusOptions = {},
    more?: Omit<SoftplusOptions, 'beta'>,
    ...surplus: never[]
  ) {
    checkArguments(new.target.name, 'options, more', [options, more, ...surplus]);
    super();
    const { beta = 1, threshold = 20 } = optionsOf(
      new.target.name,
      SOFTPLUS,
      'beta',
      options,
      more,
    );
    this.beta = beta;
    this.threshold = threshold;
  }

  forward(x: Tensor): Tensor {
    return softplus(x, { beta: this.beta, threshold: this.threshold });
  }

  override extraRepr(): string {
    return repr({ beta: this.beta, threshold: this.threshold });
  }
}

/** x·Φ(x) */
export class GELU extends Module {
  static readonly keepsNothing = true;

  readonly approximate: 'none' | 'tanh';

  constructor(options: GeluOptions = {}, ...surplus: never[]) {
    checkArguments(new.target.name, 'options', [options, ...surplus]);
    super();
    checkOptions(new.target.name, options, GELU_OPTIONS);
    this.approximate = options.approximate ?? 'none';
  }

  forward(x: Tensor): Tensor {
    return gelu(x, { approximate: this.approximate });
  }

  override extraRepr(): string {
    return `approximate='${this.approximate}'`;
  }
}
