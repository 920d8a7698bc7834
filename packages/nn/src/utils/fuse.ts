import { argumentError, checkOptions, describe, type Tensor } from '@voxgrad/core';
import { Module } from '../module.js';
import type { BatchNorm1d, BatchNorm2d, BatchNorm3d } from '../modules/batchnorm.js';
import type { Conv1d, Conv2d, Conv3d } from '../modules/conv.js';
import type {
  ConvTranspose1d,
  ConvTranspose2d,
  ConvTranspose3d,
} from '../modules/conv-transpose.js';
import type { Linear } from '../modules/linear.js';
import { Parameter } from '../parameter.js';
import { withoutDraws } from '../rebuild.js';

type Conv = Conv1d | Conv2d | Conv3d | ConvTranspose1d | ConvTranspose2d | ConvTranspose3d;
type BatchNorm = BatchNorm1d | BatchNorm2d | BatchNorm3d;

/** What batch norm multiplies each channel with, and adds to it, in eval mode. */
function scaleAndShift(norm: BatchNorm): { scale: Tensor; shift: Tensor } {
  const { runningMean, runningVar, weight, bias, eps } = norm;
  if (!runningMean || !runningVar)
    throw argumentError('fusion needs a batch norm with running statistics');
  const root = runningVar.add(eps).rsqrt();
  const scale = weight ? weight.detach().mul(root) : root;
  const moved = runningMean.neg().mul(scale);
  return { scale, shift: bias ? moved.add(bias.detach()) : moved };
}

function requireEval(...modules: readonly Module[]): void {
  const other = modules.find((module) => !(module instanceof Module));
  if (modules.some((module) => !(module instanceof Module)))
    throw argumentError(`expected two Modules to fuse, but got ${describe(other)}`);
  if (modules.some((module) => module.training)) throw argumentError('Fusion only for eval!');
}

/** One convolution that does what `conv` and then `norm` do in eval mode; both stay as they are. */
export function fuseConvBnEval<C extends Conv>(
  conv: C,
  norm: BatchNorm,
  options: { transpose?: boolean } = {},
): C {
  checkOptions('fuseConvBnEval', options, ['transpose']);
  requireEval(conv, norm);
  const { scale, shift } = scaleAndShift(norm);
  const { inChannels, outChannels, kernelSize, stride, padding, dilation, groups } = conv;
  const transposed = 'outputPadding' in conv ? { outputPadding: conv.outputPadding } : {};
  const { paddingMode } = conv as { paddingMode?: string };
  const modes = paddingMode === undefined ? {} : { paddingMode };
  const rest = { stride, padding, dilation, groups, ...modes, ...transposed };
  const { dtype, device } = conv.weight;
  const make = conv.constructor as new (
    i: number,
    o: number,
    k: readonly number[],
    more: object,
  ) => C;
  const fused = withoutDraws(
    () =>
      new make(inChannels, outChannels, kernelSize, {
        ...rest,
        backward: conv.backward,
        bias: true,
        dtype,
        device,
      }),
  );
  const along = conv.weight.shape.map((_, axis) => (axis === (options.transpose ? 1 : 0) ? -1 : 1));
  fused.weight = new Parameter(conv.weight.detach().mul(scale.reshape(along)));
  fused.bias = new Parameter(conv.bias ? conv.bias.detach().mul(scale).add(shift) : shift);
  fused.eval();
  return fused;
}

/** One linear layer that does what `linear` and then `norm` do in eval mode. */
export function fuseLinearBnEval(linear: Linear, norm: BatchNorm): Linear {
  requireEval(linear, norm);
  const { scale, shift } = scaleAndShift(norm);
  const make = linear.constructor as new (i: number, o: number) => Linear;
  const fused = withoutDraws(() => new make(linear.inFeatures, linear.outFeatures));
  fused.weight = new Parameter(linear.weight.detach().mul(scale.unsqueeze(-1)));
  fused.bias = new Parameter(linear.bias ? linear.bias.detach().mul(scale).add(shift) : shift);
  fused.eval();
  return fused;
}
