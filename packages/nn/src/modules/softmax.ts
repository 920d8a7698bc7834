// Activations along a dim, as modules.

import {
  argumentError,
  checkArguments,
  checkOptions,
  describe,
  formatShape,
  logSoftmax,
  requireTensors,
  shapeError,
  softmax,
  type Tensor,
} from '@voxgrad/core';
import { glu, softmin } from '../activations/index.js';
import { Module } from '../module.js';
import { repr } from '../repr.js';

abstract class AlongDim extends Module {
  readonly dim: number;

  constructor(dim: number | { dim: number }, ...surplus: never[]) {
    checkArguments(new.target.name, 'dim', [dim, ...surplus]);
    super();
    if (typeof dim !== 'number') checkOptions(new.target.name, dim ?? null, ['dim']);
    this.dim = typeof dim === 'number' ? dim : dim.dim;
    if (!Number.isInteger(this.dim))
      throw argumentError(
        `${new.target.name}(): dim must be an integer, but got ${describe(this.dim)}`,
      );
  }

  override extraRepr(): string {
    return repr({ dim: this.dim });
  }
}

/** exp(x) / Σ exp(x) along `dim`. */
export class Softmax extends AlongDim {
  static readonly keepsNothing = true;

  forward(x: Tensor): Tensor {
    return softmax(x, this.dim);
  }
}

/** x − log Σ exp(x) along `dim`. */
export class LogSoftmax extends AlongDim {
  static readonly keepsNothing = true;

  forward(x: Tensor): Tensor {
    return logSoftmax(x, this.dim);
  }
}

/** exp(−x) / Σ exp(−x) along `dim`. */
export class Softmin extends AlongDim {
  static readonly keepsNothing = true;

  forward(x: Tensor): Tensor {
    return softmin(x, this.dim);
  }
}

/** Softmax over the channels of `[N, C, H, W]` or `[C, H, W]`. */
export class Softmax2d extends Module {
  static readonly keepsNothing = true;

  forward(x: Tensor): Tensor {
    requireTensors('Softmax2d', { input: x });
    if (x.ndim !== 3 && x.ndim !== 4)
      throw shapeError(
        `Softmax2d requires a 3D or 4D tensor as input, but got ${formatShape(x.shape)}`,
      );
    return softmax(x, -3);
  }
}

/** a·sigmoid(b), the halves of the input along `dim` (the last). */
export class GLU extends AlongDim {
  static readonly keepsNothing = true;

  constructor(dim: number | { dim: number } = -1, ...surplus: never[]) {
    checkArguments(new.target.name, 'dim', [dim, ...surplus]);
    super(dim);
  }

  forward(x: Tensor): Tensor {
    return glu(x, this.dim);
  }
}
