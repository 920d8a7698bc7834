// The device's own convolution kernels, where it has one that takes the call.

import type {
  Capabilities,
  ConvAlgorithm,
  ConvAlgorithms,
  ConvKernelName,
  Device,
  Refusal,
} from '../device/device.js';
import {
  type ConvCall,
  convWork,
  inputShape,
  outputShape,
  weightShape,
} from '../ops/conv/geometry.js';
import { Tensor } from '../tensor/tensor.js';
import { convElements, passes, remainders } from './cost-model.js';
import { deviceError } from './device-error.js';
import { type ConvBackwardStrategy, type ConvForwardStrategy, supportOf } from './types.js';

/** ` (fft)`: the algorithms that a device takes by itself, where it has several. */
function byUsual(kernel: ConvKernelName, call: ConvCall, { convAlgorithms }: Capabilities): string {
  const taken = convAlgorithms?.usual(kernel, call) ?? [];
  return taken.length > 0 ? ` (${taken.join(', ')})` : '';
}

/** Wanted gradients that cost a convolution each. */
const convolutions = (needs: readonly boolean[]) => Number(needs[0]) + Number(needs[1]);

export const fusedBackward: ConvBackwardStrategy = {
  op: 'conv3d',
  name: 'fused',
  kind: 'fused',
  supports: (call, capabilities) =>
    supportOf(
      capabilities.checkConv('convBackward', call),
      `the device has one backward kernel that takes this call${byUsual('convBackward', call, capabilities)}`,
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
      `the device has a forward kernel that takes this call${byUsual('convForward', call, capabilities)}`,
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

// ---- by an algorithm that was named ----

const offered = ({ convAlgorithms }: Capabilities): boolean => convAlgorithms !== undefined;

const refusals = (
  algorithm: ConvAlgorithm,
  call: ConvCall,
  { convAlgorithms }: Capabilities,
): readonly Refusal[] =>
  convAlgorithms?.check(algorithm, call) ?? [
    { check: 'algorithm', message: 'the algorithm of its convolutions cannot be named' },
  ];

const algorithmsOf = ({ capabilities }: Device): ConvAlgorithms =>
  capabilities.convAlgorithms ?? { check: () => [], usual: () => [], with: (_, fn) => fn() };

/** Never the choice: `fused` takes the quickest that the device's precision allows. */
const NOT_BY_COST = Number.POSITIVE_INFINITY;

const backwardBy = (algorithm: ConvAlgorithm): ConvBackwardStrategy => ({
  ...{ op: 'conv3d', name: `fused:${algorithm}`, kind: 'fused', offeredOn: offered },
  supports: (call, capabilities) =>
    supportOf(
      [...capabilities.checkConv('convBackward', call), ...refusals(algorithm, call, capabilities)],
      `the device's backward kernels take this call by the algorithm ${algorithm}`,
    ),
  cost: () => NOT_BY_COST,
  run: (call, tensors, needs) =>
    algorithmsOf(tensors.gradOutput.device).with(algorithm, () =>
      fusedBackward.run(call, tensors, needs),
    ),
});

const forwardBy = (algorithm: ConvAlgorithm): ConvForwardStrategy => ({
  ...{ op: 'conv3d.forward', name: `fused:${algorithm}`, kind: 'fused', offeredOn: offered },
  supports: (call, capabilities) =>
    supportOf(
      [...capabilities.checkConv('convForward', call), ...refusals(algorithm, call, capabilities)],
      `the device's forward kernel takes this call by the algorithm ${algorithm}`,
    ),
  cost: () => NOT_BY_COST,
  addsBias: fusedForward.addsBias,
  run: (call, tensors, needs) =>
    algorithmsOf(tensors.input.device).with(algorithm, () =>
      fusedForward.run(call, tensors, needs),
    ),
});

const ALGORITHMS: readonly ConvAlgorithm[] = ['direct', 'winograd', 'fft'];

/** `fused:direct`, `fused:winograd`, `fused:fft`. */
export const fusedBackwardBy = ALGORITHMS.map(backwardBy);
export const fusedForwardBy = ALGORITHMS.map(forwardBy);
