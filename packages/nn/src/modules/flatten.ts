import {
  checkArguments,
  flatten,
  formatShape,
  normalizeDim,
  numelOf,
  requireTensors,
  shapeError,
  type Tensor,
} from '@voxgrad/core';
import { Module } from '../module.js';
import { repr } from '../repr.js';

/** Merges the dims from `startDim` (1) to `endDim` (the last) into one. */
export class Flatten extends Module {
  static readonly keepsNothing = true;

  constructor(
    readonly startDim = 1,
    readonly endDim = -1,
    ...surplus: never[]
  ) {
    checkArguments(new.target.name, '#startDim?, #endDim?', [startDim, endDim, ...surplus]);
    super();
  }

  forward(x: Tensor): Tensor {
    return flatten(x, this.startDim, this.endDim);
  }

  override extraRepr(): string {
    return repr({ startDim: this.startDim, endDim: this.endDim });
  }
}

/** Splits `dim` into dims of `unflattenedSize`, one of which may be −1. */
export class Unflatten extends Module {
  static readonly keepsNothing = true;

  constructor(
    readonly dim: number,
    readonly unflattenedSize: readonly number[],
    ...surplus: never[]
  ) {
    checkArguments(new.target.name, '#dim, unflattenedSize', [dim, unflattenedSize, ...surplus]);
    super();
  }

  forward(x: Tensor): Tensor {
    requireTensors('Unflatten', { input: x });
    const axis = normalizeDim(this.dim, x.ndim);
    const sizes = this.unflattenedSize;
    const known = numelOf(sizes.filter((size) => size !== -1));
    const fits = sizes.includes(-1) ? x.shape[axis] % known === 0 : x.shape[axis] === known;
    if (!fits)
      throw shapeError(
        `unflatten: Provided sizes ${formatShape(sizes)} don't multiply up to the size of dim ${axis} (${x.shape[axis]}) in the input tensor`,
      );
    const inner = sizes.map((size) => (size === -1 ? x.shape[axis] / known : size));
    return x.reshape([...x.shape.slice(0, axis), ...inner, ...x.shape.slice(axis + 1)]);
  }

  override extraRepr(): string {
    return repr({ dim: this.dim, unflattenedSize: this.unflattenedSize });
  }
}
