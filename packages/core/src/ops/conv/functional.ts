// conv1d … convTranspose3d as users call them: checked, brought to three axes, and back.

import { argumentError, dtypeError } from '../../errors.js';
import { checkOptions, type OptionTable } from '../../options.js';
import { checkStrategyName } from '../../strategies/catalogue.js';
import { scopedChoice } from '../../strategies/choices.js';
import { isFloat, torchName } from '../../tensor/dtype.js';
import { describe } from '../../tensor/shape.js';
import { Tensor } from '../../tensor/tensor.js';
import { commonDevice, requireCompute } from '../operands.js';
import { reshape } from '../views.js';
import { conv, convTransposed } from './algebra.js';
import {
  type ConvGeometry,
  type ConvOptions,
  type ConvTransposeOptions,
  convGeometry,
  convTransposeGeometry,
  inputShape,
  outputShape,
  type SpatialRank,
  weightShape,
} from './geometry.js';

/** Options of {@link conv1d}, {@link conv2d} and {@link conv3d}. */
export interface ConvCallOptions extends ConvOptions {
  /** Strategy for the backward of this call; see `strategies.list('conv3d')`. */
  backward?: string;
}

export const CONV_OPTIONS: OptionTable<ConvCallOptions> = {
  stride: true,
  padding: true,
  dilation: true,
  groups: true,
  backward: true,
};

/** Options of {@link convTranspose1d}, {@link convTranspose2d} and {@link convTranspose3d}. */
export interface ConvTransposeCallOptions extends ConvTransposeOptions {
  /** Strategy for the backward of this call; see `strategies.list('conv3d')`. */
  backward?: string;
}

export function checkTensors(
  operation: string,
  x: Tensor,
  weight: Tensor,
  bias: Tensor | null,
): void {
  const given = Object.entries({ input: x, weight, ...(bias === null ? {} : { bias }) });
  for (const [name, value] of given)
    if (!(value instanceof Tensor))
      throw argumentError(
        `${operation}(): argument '${name}' must be Tensor, but got ${describe(value)}`,
      );
  const device = commonDevice(operation, bias ? [x, weight, bias] : [x, weight]);
  for (const [name, { dtype }] of given)
    if (dtype !== x.dtype)
      throw dtypeError(
        `${operation}: expected scalar type ${torchName(x.dtype)} but found ${torchName(dtype)} ` +
          `(input is ${x.dtype}, ${name} is ${dtype})`,
      );
  if (!isFloat(x.dtype))
    throw dtypeError(
      `"${operation}" not implemented for '${torchName(x.dtype)}': a convolution takes floating ` +
        'dtypes; convert with .to(...) first',
    );
  requireCompute(operation, device, x.dtype);
}

/** A 5-D result as `rank` spatial axes, without the batch axis where the input had none. */
function shaped(y: Tensor, rank: SpatialRank, unbatched: boolean): Tensor {
  const [n, c, ...spatial] = y.shape;
  const own = [c, ...spatial.slice(3 - rank)];
  return reshape(y, unbatched ? own : [n, ...own]);
}

function convNd(
  rank: SpatialRank,
  x: Tensor,
  weight: Tensor,
  bias: Tensor | null,
  options: ConvCallOptions,
): Tensor {
  const name = `conv${rank}d`;
  checkTensors(name, x, weight, bias);
  checkOptions(name, options, CONV_OPTIONS);
  checkStrategyName('conv3d', options.backward);
  const geometry = convGeometry(name, rank, x.shape, weight.shape, bias?.shape ?? null, options);
  const y = conv(
    reshape(x, inputShape(geometry)),
    reshape(weight, weightShape(geometry)),
    { geometry, backward: options.backward },
    bias,
  );
  return shaped(y, rank, x.ndim === rank + 1);
}

function convTransposeNd(
  rank: SpatialRank,
  x: Tensor,
  weight: Tensor,
  bias: Tensor | null,
  options: ConvTransposeCallOptions,
): Tensor {
  const name = `conv_transpose${rank}d`;
  checkTensors(name, x, weight, bias);
  const known = ['stride', 'padding', 'outputPadding', 'dilation', 'groups', 'backward'];
  checkOptions(name, options, known);
  checkStrategyName('conv3d', options.backward);
  const geometry: ConvGeometry = convTransposeGeometry(
    name,
    rank,
    x.shape,
    weight.shape,
    bias?.shape ?? null,
    options,
  );
  const y = convTransposed(
    reshape(x, outputShape(geometry)),
    reshape(weight, weightShape(geometry)),
    {
      geometry,
      backward: options.backward,
      recorded: scopedChoice('conv3d'),
    },
  );
  const biased = bias ? y.add(reshape(bias, 1, -1, 1, 1, 1)) : y;
  return shaped(biased, rank, x.ndim === rank + 1);
}

/**
 * Convolution (cross-correlation) over one spatial axis.
 * @param x `[N, Ci, L]` or `[Ci, L]`
 * @param weight `[Co, Ci / groups, k]`
 * @param bias `[Co]`
 * @returns `[N, Co, ⌊(L + 2·padding − dilation·(k − 1) − 1) / stride⌋ + 1]`
 */
export const conv1d = (
  x: Tensor,
  weight: Tensor,
  bias: Tensor | null = null,
  options: ConvCallOptions = {},
): Tensor => convNd(1, x, weight, bias, options);

/** Convolution over two spatial axes: x `[N, Ci, H, W]`, weight `[Co, Ci / groups, kH, kW]`. */
export const conv2d = (
  x: Tensor,
  weight: Tensor,
  bias: Tensor | null = null,
  options: ConvCallOptions = {},
): Tensor => convNd(2, x, weight, bias, options);

/** Convolution over three spatial axes: x `[N, Ci, D, H, W]`, weight `[Co, Ci / groups, kD, kH, kW]`. */
export const conv3d = (
  x: Tensor,
  weight: Tensor,
  bias: Tensor | null = null,
  options: ConvCallOptions = {},
): Tensor => convNd(3, x, weight, bias, options);

/**
 * Transposed convolution, the adjoint of {@link conv1d}.
 * @param x `[N, Ci, L]` or `[Ci, L]`
 * @param weight `[Ci, Co / groups, k]`
 * @returns `[N, Co, (L − 1)·stride − 2·padding + dilation·(k − 1) + outputPadding + 1]`
 */
export const convTranspose1d = (
  x: Tensor,
  weight: Tensor,
  bias: Tensor | null = null,
  options: ConvTransposeCallOptions = {},
): Tensor => convTransposeNd(1, x, weight, bias, options);

/** Transposed convolution over two axes: x `[N, Ci, H, W]`, weight `[Ci, Co / groups, kH, kW]`. */
export const convTranspose2d = (
  x: Tensor,
  weight: Tensor,
  bias: Tensor | null = null,
  options: ConvTransposeCallOptions = {},
): Tensor => convTransposeNd(2, x, weight, bias, options);

/** Transposed convolution over three axes: x `[N, Ci, D, H, W]`, weight `[Ci, Co / groups, kD, kH, kW]`. */
export const convTranspose3d = (
  x: Tensor,
  weight: Tensor,
  bias: Tensor | null = null,
  options: ConvTransposeCallOptions = {},
): Tensor => convTransposeNd(3, x, weight, bias, options);
