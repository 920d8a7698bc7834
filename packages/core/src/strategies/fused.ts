// The device's own convolution kernels, where it has one that takes the call.

import { convWork, inputShape, outputShape, weightShape } from '../ops/conv/geometry.js';
import { Tensor } from '../tensor/tensor.js';
import { convElements, passes, remainders } from './cost-model.js';
import { deviceError } from './device-error.js';
import { type ConvBackwardStrategy, type ConvForwardStrategy, supportOf } from './types.js';

/** Wanted gradients that cost a convolution each. */
const convolutions = (needs: readonly boolean[]) => Number(needs[0]) + Number(needs[1]);

export const fusedBackward: ConvBackwardStrategy = {
  op: 'conv3d',
  name: 'fused',
  kind: 'fused',
  supports: (call, capabilities) =>
    supportOf(
      capabilities.checkConv('convBackward', call),
      'the device has one backward kernel that takes this call',
    ),
  cost: ({ geometry, needs }, capabilities) =>
    convWork(geometry) * convolutions(needs) +
    (needs[0] ? remainders(capabilities, geometry.stride) : 0) +
    passes(
      capabilities,
      needs.filter(Boolean).length,
      convolutions(needs) * convElements(geometry),
    ),
  run({ geometry }, { gradOutput, input, weight }, needs) {
    const { device } = gradOutput;
    const run = device.kernels.convBackward ?? deviceError(device, 'convBackward');
    const [dx, dw, db] = run(gradOutput, input, weight, geometry, needs);
    const shapes = [inputShape(geometry), weightShape(geometry), [geometry.outChannels]];
    const [a, b, c] = [dx, dw, db].map(
      (storage, i) => storage && new Tensor({ device, storage, shape: shapes[i] }),
    );
    return [a, b, c];
  },
};

export const fusedForward: ConvForwardStrategy = {
  op: 'conv3d.forward',
  name: 'fused',
  kind: 'fused',
  supports: (call, capabilities) =>
    supportOf(
      capabilities.checkConv('convForward', call),
      'the device has a forward kernel that takes this call',
    ),
  cost: ({ geometry }, capabilities) =>
    convWork(geometry) + passes(capabilities, 1, convElements(geometry)),
  addsBias: (capabilities) => capabilities.convAddsBias ?? false,
  run: ({ geometry }, { input, weight, bias }) => {
    const { device } = input;
    const run = device.kernels.convForward ?? deviceError(device, 'convForward');
    return new Tensor({
      device,
      storage: run(input, weight, geometry, bias),
      shape: outputShape(geometry),
    });
  },
};
