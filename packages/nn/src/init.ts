// Initial values with PyTorch's formulas. The order of the operations is PyTorch's too: another
// order changes the last bit of a bound, and with it every weight.

import {
  argumentError,
  formatShape,
  type Generator,
  noGrad,
  shapeError,
  type Tensor,
} from '@voxgrad/core';

interface InitOptions {
  generator?: Generator;
}

const inPlace = (tensor: Tensor, write: () => void): Tensor => {
  noGrad(write);
  return tensor;
};

export const uniform_ = (tensor: Tensor, a = 0, b = 1, options: InitOptions = {}): Tensor =>
  inPlace(tensor, () => tensor.uniform_(a, b, options));

export const normal_ = (tensor: Tensor, mean = 0, std = 1, options: InitOptions = {}): Tensor =>
  inPlace(tensor, () => tensor.normal_(mean, std, options));

export const constant_ = (tensor: Tensor, value: number): Tensor =>
  inPlace(tensor, () => tensor.fill_(value));

export const zeros_ = (tensor: Tensor): Tensor => constant_(tensor, 0);
export const ones_ = (tensor: Tensor): Tensor => constant_(tensor, 1);

/** Inputs and outputs that one unit of a weight `[out, in, ...kernel]` is connected to. */
export function fans(shape: readonly number[]): { fanIn: number; fanOut: number } {
  if (shape.length < 2)
    throw shapeError(
      'Fan in and fan out can not be computed for tensor with fewer than 2 dimensions, but got ' +
        formatShape(shape),
    );
  const field = shape.slice(2).reduce((n, size) => n * size, 1);
  return { fanIn: shape[1] * field, fanOut: shape[0] * field };
}

export type Nonlinearity = 'linear' | 'conv3d' | 'sigmoid' | 'tanh' | 'relu' | 'leakyRelu' | 'selu';

/** Recommended scale for a nonlinearity; `a` is the negative slope of leakyRelu. */
export function calculateGain(nonlinearity: Nonlinearity, a = 0.01): number {
  switch (nonlinearity) {
    case 'linear':
    case 'conv3d':
    case 'sigmoid':
      return 1;
    case 'tanh':
      return 5 / 3;
    case 'relu':
      return Math.sqrt(2);
    case 'leakyRelu':
      return Math.sqrt(2 / (1 + a ** 2));
    case 'selu':
      return 3 / 4;
    default:
      throw argumentError(`Unsupported nonlinearity ${String(nonlinearity)}`);
  }
}

export interface KaimingOptions extends InitOptions {
  a?: number;
  mode?: 'fanIn' | 'fanOut';
  nonlinearity?: Nonlinearity;
}

function kaimingStd(tensor: Tensor, options: KaimingOptions): number {
  const { a = 0, mode = 'fanIn', nonlinearity = 'leakyRelu' } = options;
  return calculateGain(nonlinearity, a) / Math.sqrt(fans(tensor.shape)[mode]);
}

/** U(−bound, bound) with bound = √3·gain / √fan. */
export function kaimingUniform_(tensor: Tensor, options: KaimingOptions = {}): Tensor {
  if (tensor.numel === 0) return tensor;
  const bound = Math.sqrt(3) * kaimingStd(tensor, options);
  return uniform_(tensor, -bound, bound, options);
}

/** N(0, gain² / fan). */
export function kaimingNormal_(tensor: Tensor, options: KaimingOptions = {}): Tensor {
  if (tensor.numel === 0) return tensor;
  return normal_(tensor, 0, kaimingStd(tensor, options), options);
}

export interface XavierOptions extends InitOptions {
  gain?: number;
}

const xavierStd = (tensor: Tensor, gain = 1) => {
  const { fanIn, fanOut } = fans(tensor.shape);
  return gain * Math.sqrt(2 / (fanIn + fanOut));
};

/** U(−a, a) with a = √3·gain·√(2 / (fanIn + fanOut)). */
export function xavierUniform_(tensor: Tensor, options: XavierOptions = {}): Tensor {
  const a = Math.sqrt(3) * xavierStd(tensor, options.gain);
  return uniform_(tensor, -a, a, options);
}

/** N(0, gain²·2 / (fanIn + fanOut)). */
export const xavierNormal_ = (tensor: Tensor, options: XavierOptions = {}): Tensor =>
  normal_(tensor, 0, xavierStd(tensor, options.gain), options);

/** What Linear and the convolutions draw: weight first, then bias. */
export function resetAffine(weight: Tensor, bias: Tensor | null): void {
  kaimingUniform_(weight, { a: Math.sqrt(5) });
  if (bias === null) return;
  const { fanIn } = fans(weight.shape);
  if (fanIn === 0) return;
  const bound = 1 / Math.sqrt(fanIn);
  uniform_(bias, -bound, bound);
}
