// Initial values with PyTorch's formulas. The order of the operations is PyTorch's too: another
// order changes the last bit of a bound, and with it every weight.

import {
  argumentError,
  checkCall,
  formatShape,
  numberList,
  requireTensors,
  shapeError,
  type Tensor,
} from '@voxgrad/core';
import { normal_, uniform_ } from './init-plain.js';
import type { InitOptions } from './init-structured.js';
import { KAIMING, XAVIER } from './option-tables.js';
import { optionsOf } from './options.js';

export {
  constant_,
  type InitTarget,
  type NormalOptions,
  normal_,
  ones_,
  type UniformOptions,
  uniform_,
  zeros_,
} from './init-plain.js';
export * from './init-structured.js';

/** Inputs and outputs that one unit of a weight `[out, in, ...kernel]` is connected to. */
export function fans(shape: readonly number[]): { fanIn: number; fanOut: number } {
  numberList('fans', 'shape', shape);
  if (shape.length < 2)
    throw shapeError(
      'Fan in and fan out can not be computed for tensor with fewer than 2 dimensions, but got ' +
        formatShape(shape),
    );
  const field = shape.slice(2).reduce((n, size) => n * size, 1);
  return { fanIn: shape[1] * field, fanOut: shape[0] * field };
}

type Spatial = '1d' | '2d' | '3d';

/** What follows a layer. PyTorch's spellings with an underscore are taken as well. */
export type Nonlinearity =
  | 'linear'
  | `conv${Spatial}`
  | `convTranspose${Spatial}`
  | `conv_transpose${Spatial}`
  | 'sigmoid'
  | 'tanh'
  | 'relu'
  | 'leakyRelu'
  | 'leaky_relu'
  | 'selu';

const GAINS: Readonly<Record<string, (slope: number) => number>> = {
  sigmoid: () => 1,
  tanh: () => 5 / 3,
  relu: () => Math.sqrt(2),
  leakyRelu: (slope) => Math.sqrt(2 / (1 + slope ** 2)),
  selu: () => 3 / 4, // found by trial: pytorch/pytorch#50664
};

const LINEAR = /^(linear|conv(Transpose)?[123]d)$/;

const camelCase = (name: string): string =>
  name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());

/** Recommended scale for a nonlinearity; `a` is the negative slope of leakyRelu. */
export function calculateGain(nonlinearity: Nonlinearity, a = 0.01): number {
  const name = camelCase(String(nonlinearity));
  if (LINEAR.test(name)) return 1;
  if (!Object.hasOwn(GAINS, name))
    throw argumentError(`Unsupported nonlinearity ${String(nonlinearity)}`);
  if (name === 'leakyRelu' && typeof a !== 'number')
    throw argumentError(`negative_slope ${String(a)} not a valid number`);
  return GAINS[name](a);
}

/** Options of {@link kaimingUniform_} and {@link kaimingNormal_}. */
export interface KaimingOptions extends InitOptions {
  /** Negative slope of the leakyRelu that follows; 0 unless given. */
  a?: number;
  /** Whether the variance is kept in the forward pass (fanIn) or in the backward pass (fanOut). */
  mode?: 'fanIn' | 'fanOut' | 'fan_in' | 'fan_out';
  nonlinearity?: Nonlinearity;
}

const drawn = ({ generator }: InitOptions): InitOptions => ({ generator });

function kaimingStd({ shape }: Tensor, options: KaimingOptions): number {
  const { a = 0, mode = 'fanIn', nonlinearity = 'leakyRelu' } = options;
  const name = camelCase(mode);
  if (name !== 'fanIn' && name !== 'fanOut')
    throw argumentError(`Mode ${mode} not supported, please use one of fanIn, fanOut`);
  const fan = fans(shape)[name];
  return calculateGain(nonlinearity, a) / Math.sqrt(fan);
}

/**
 * U(−bound, bound) with bound = √3·gain / √fan (K. He et al., "Delving deep into rectifiers", 2015).
 */
export function kaimingUniform_(tensor: Tensor, options: KaimingOptions = {}): Tensor {
  checkCall('kaimingUniform_', { tensor }, options, KAIMING);
  if (tensor.numel === 0) return tensor;
  const bound = Math.sqrt(3) * kaimingStd(tensor, options);
  return uniform_(tensor, -bound, bound, drawn(options));
}

/** N(0, gain² / fan). */
export function kaimingNormal_(tensor: Tensor, options: KaimingOptions = {}): Tensor {
  checkCall('kaimingNormal_', { tensor }, options, KAIMING);
  if (tensor.numel === 0) return tensor;
  return normal_(tensor, 0, kaimingStd(tensor, options), drawn(options));
}

/** Options of {@link xavierUniform_} and {@link xavierNormal_}. */
export interface XavierOptions extends InitOptions {
  /** Scale for the nonlinearity that follows, see {@link calculateGain}; 1 unless given. */
  gain?: number;
}

const xavierStd = (tensor: Tensor, gain = 1) => {
  const { fanIn, fanOut } = fans(tensor.shape);
  return gain * Math.sqrt(2 / (fanIn + fanOut));
};

/**
 * U(−a, a) with a = √3·gain·√(2 / (fanIn + fanOut)) (X. Glorot and Y. Bengio, "Understanding the
 * difficulty of training deep feedforward neural networks", 2010).
 */
export function xavierUniform_(
  tensor: Tensor,
  given: number | XavierOptions = {},
  more?: Omit<XavierOptions, 'gain'>,
): Tensor {
  requireTensors('xavierUniform_', { tensor });
  const options = optionsOf('xavierUniform_', XAVIER, 'gain', given, more);
  const a = Math.sqrt(3) * xavierStd(tensor, options.gain);
  return uniform_(tensor, -a, a, drawn(options));
}

/** N(0, gain²·2 / (fanIn + fanOut)). */
export function xavierNormal_(
  tensor: Tensor,
  given: number | XavierOptions = {},
  more?: Omit<XavierOptions, 'gain'>,
): Tensor {
  requireTensors('xavierNormal_', { tensor });
  const options = optionsOf('xavierNormal_', XAVIER, 'gain', given, more);
  return normal_(tensor, 0, xavierStd(tensor, options.gain), drawn(options));
}

/** What Linear and the convolutions draw: weight first, then bias. */
export function resetAffine(weight: Tensor, bias: Tensor | null): void {
  kaimingUniform_(weight, { a: Math.sqrt(5) });
  if (bias === null) return;
  const { fanIn } = fans(weight.shape);
  if (fanIn === 0) return;
  const bound = 1 / Math.sqrt(fanIn);
  uniform_(bias, -bound, bound);
}
