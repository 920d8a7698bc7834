import { type ConvCall, weightShape } from '../ops/conv/geometry.js';
import { Tensor } from '../tensor/tensor.js';
import { deviceError } from './device-error.js';

/** The weight gradient `[Co, Ci/g, kD, kH, kW]` by the device's kernel for it alone. */
export function runWeightKernel({ geometry }: ConvCall, gradOutput: Tensor, input: Tensor): Tensor {
  const { device } = gradOutput;
  const run = device.kernels.convWeight ?? deviceError(device, 'convWeight');
  const storage = run(input, gradOutput, geometry);
  return new Tensor({ device, shape: weightShape(geometry), storage });
}
