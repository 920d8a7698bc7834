import {
  checkArguments,
  formatShape,
  type PadMode,
  pad,
  perAxis,
  type Tensor,
} from '@voxgrad/core';
import { Module } from '../module.js';
import { repr } from '../repr.js';

/** The same number on every side, or (low, high) pairs, the last dim first. */
export type PaddingSize = number | readonly number[];

abstract class PadNd extends Module {
  readonly padding: readonly number[];
  readonly #mode: PadMode;

  constructor(rank: number, mode: PadMode, padding: PaddingSize) {
    super();
    this.#mode = mode;
    this.padding = perAxis(padding, 2 * rank, 'padding', new.target.name);
  }

  forward(x: Tensor): Tensor {
    return pad(x, this.padding, { mode: this.#mode });
  }

  override extraRepr(): string {
    return formatShape(this.padding);
  }
}

abstract class ConstantPadNd extends PadNd {
  constructor(
    rank: number,
    padding: PaddingSize,
    readonly value: number,
  ) {
    super(rank, 'constant', padding);
  }

  override forward(x: Tensor): Tensor {
    return pad(x, this.padding, { value: this.value });
  }

  override extraRepr(): string {
    return repr({ padding: this.padding, value: this.value });
  }
}

/** Pads the last dim with `value`. */
export class ConstantPad1d extends ConstantPadNd {
  static readonly keepsNothing = true;

  constructor(padding: PaddingSize, value: number, ...surplus: never[]) {
    checkArguments(new.target.name, 'padding, #value', [padding, value, ...surplus]);
    super(1, padding, value);
  }
}

/** Pads the last two dims with `value`: `[left, right, top, bottom]`. */
export class ConstantPad2d extends ConstantPadNd {
  static readonly keepsNothing = true;

  constructor(padding: PaddingSize, value: number, ...surplus: never[]) {
    checkArguments(new.target.name, 'padding, #value', [padding, value, ...surplus]);
    super(2, padding, value);
  }
}

/** Pads the last three dims with `value`: `[left, right, top, bottom, front, back]`. */
export class ConstantPad3d extends ConstantPadNd {
  static readonly keepsNothing = true;

  constructor(padding: PaddingSize, value: number, ...surplus: never[]) {
    checkArguments(new.target.name, 'padding, #value', [padding, value, ...surplus]);
    super(3, padding, value);
  }
}

/** Pads the last dim with zeros. */
export class ZeroPad1d extends PadNd {
  static readonly keepsNothing = true;

  constructor(padding: PaddingSize, ...surplus: never[]) {
    checkArguments(new.target.name, 'padding', [padding, ...surplus]);
    super(1, 'constant', padding);
  }
}

/** Pads the last two dims with zeros. */
export class ZeroPad2d extends PadNd {
  static readonly keepsNothing = true;

  constructor(padding: PaddingSize, ...surplus: never[]) {
    checkArguments(new.target.name, 'padding', [padding, ...surplus]);
    super(2, 'constant', padding);
  }
}

/** Pads the last three dims with zeros. */
export class ZeroPad3d extends PadNd {
  static readonly keepsNothing = true;

  constructor(padding: PaddingSize, ...surplus: never[]) {
    checkArguments(new.target.name, 'padding', [padding, ...surplus]);
    super(3, 'constant', padding);
  }
}

/** Pads the last dim by reflection at the edge, which is not repeated. */
export class ReflectionPad1d extends PadNd {
  static readonly keepsNothing = true;

  constructor(padding: PaddingSize, ...surplus: never[]) {
    checkArguments(new.target.name, 'padding', [padding, ...surplus]);
    super(1, 'reflect', padding);
  }
}

/** Pads the last two dims by reflection at the edge, which is not repeated. */
export class ReflectionPad2d extends PadNd {
  static readonly keepsNothing = true;

  constructor(padding: PaddingSize, ...surplus: never[]) {
    checkArguments(new.target.name, 'padding', [padding, ...surplus]);
    super(2, 'reflect', padding);
  }
}

/** Pads the last three dims by reflection at the edge, which is not repeated. */
export class ReflectionPad3d extends PadNd {
  static readonly keepsNothing = true;

  constructor(padding: PaddingSize, ...surplus: never[]) {
    checkArguments(new.target.name, 'padding', [padding, ...surplus]);
    super(3, 'reflect', padding);
  }
}

/** Pads the last dim with copies of the edge. */
export class ReplicationPad1d extends PadNd {
  static readonly keepsNothing = true;

  constructor(padding: PaddingSize, ...surplus: never[]) {
    checkArguments(new.target.name, 'padding', [padding, ...surplus]);
    super(1, 'replicate', padding);
  }
}

/** Pads the last two dims with copies of the edge. */
export class ReplicationPad2d extends PadNd {
  static readonly keepsNothing = true;

  constructor(padding: PaddingSize, ...surplus: never[]) {
    checkArguments(new.target.name, 'padding', [padding, ...surplus]);
    super(2, 'replicate', padding);
  }
}

/** Pads the last three dims with copies of the edge. */
export class ReplicationPad3d extends PadNd {
  static readonly keepsNothing = true;

  constructor(padding: PaddingSize, ...surplus: never[]) {
    checkArguments(new.target.name, 'padding', [padding, ...surplus]);
    super(3, 'replicate', padding);
  }
}

/** Pads the last dim with the elements of the other end. */
export class CircularPad1d extends PadNd {
  static readonly keepsNothing = true;

  constructor(padding: PaddingSize, ...surplus: never[]) {
    checkArguments(new.target.name, 'padding', [padding, ...surplus]);
    super(1, 'circular', padding);
  }
}

/** Pads the last two dims with the elements of the other end. */
export class CircularPad2d extends PadNd {
  static readonly keepsNothing = true;

  constructor(padding: PaddingSize, ...surplus: never[]) {
    checkArguments(new.target.name, 'padding', [padding, ...surplus]);
    super(2, 'circular', padding);
  }
}

/** Pads the last three dims with the elements of the other end. */
export class CircularPad3d extends PadNd {
  static readonly keepsNothing = true;

  constructor(padding: PaddingSize, ...surplus: never[]) {
    checkArguments(new.target.name, 'padding', [padding, ...surplus]);
    super(3, 'circular', padding);
  }
}
