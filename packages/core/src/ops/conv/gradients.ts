// The adjoints of a convolution as functions of their own, as PyTorch's torch.nn.grad. They are
// differentiable like everything else.

import { shapeError } from '../../errors.js';
import { checkOptions } from '../../options.js';
import { checkShape, formatShape, sameShape } from '../../tensor/shape.js';
import type { Tensor } from '../../tensor/tensor.js';
import { reshape } from '../views.js';
import { convInput, convWeight } from './algebra.js';
import { CONV_OPTIONS, type ConvCallOptions, checkTensors } from './functional.js';
import {
  type ConvGeometry,
  convGeometry,
  inputShape,
  outputShape,
  type SpatialRank,
  weightShape,
} from './geometry.js';

type Sizes = readonly number[];

/** The shape of the output that `gradOutput` must have. */
function checkGradOutput(g: ConvGeometry, gradOutput: Tensor, unbatched: boolean): void {
  const [n, c, ...spatial] = outputShape(g);
  const own = [c, ...spatial.slice(3 - g.spatialRank)];
  const expected = unbatched ? own : [n, ...own];
  if (!sameShape(gradOutput.shape, expected))
    throw shapeError(
      `Expected grad_output to be of size ${formatShape(expected)}, but got ${formatShape(gradOutput.shape)}`,
    );
}

const inputGradient =
  (rank: SpatialRank) =>
  (inputSize: Sizes, weight: Tensor, gradOutput: Tensor, options: ConvCallOptions = {}): Tensor => {
    const name = `conv${rank}dInput`;
    checkTensors(name, gradOutput, weight, null);
    checkOptions(name, options, CONV_OPTIONS);
    checkShape(inputSize, name);
    const geometry = convGeometry(name, rank, inputSize, weight.shape, null, options);
    checkGradOutput(geometry, gradOutput, inputSize.length === rank + 1);
    const [g, w] = [outputShape(geometry), weightShape(geometry)];
    const settings = { geometry, backward: options.backward };
    return reshape(convInput(reshape(gradOutput, g), reshape(weight, w), settings), inputSize);
  };

const weightGradient =
  (rank: SpatialRank) =>
  (input: Tensor, weightSize: Sizes, gradOutput: Tensor, options: ConvCallOptions = {}): Tensor => {
    const name = `conv${rank}dWeight`;
    checkTensors(name, input, gradOutput, null);
    checkOptions(name, options, CONV_OPTIONS);
    checkShape(weightSize, name);
    const geometry = convGeometry(name, rank, input.shape, weightSize, null, options);
    checkGradOutput(geometry, gradOutput, input.ndim === rank + 1);
    const [x, g] = [inputShape(geometry), outputShape(geometry)];
    const settings = { geometry, backward: options.backward };
    return reshape(convWeight(reshape(input, x), reshape(gradOutput, g), settings), weightSize);
  };

/** Gradient of conv1d in its input of size `inputSize`: every size that gives this output is legal. */
export const conv1dInput = inputGradient(1);
/** Gradient of conv2d in its input. */
export const conv2dInput = inputGradient(2);
/** Gradient of conv3d in its input. */
export const conv3dInput = inputGradient(3);
/** Gradient of conv1d in its weight of size `weightSize`. */
export const conv1dWeight = weightGradient(1);
/** Gradient of conv2d in its weight. */
export const conv2dWeight = weightGradient(2);
/** Gradient of conv3d in its weight. */
export const conv3dWeight = weightGradient(3);
