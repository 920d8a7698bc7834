// The device's own convolution kernels, where it has one that takes the call.

import type {
  Capabilities,
  ConvAlgorithm,
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
import {
  type ConvBackwardStrategy,
  type ConvForwardStrategy,
  type Strategy,
  supportOf,
} from './types.js';

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

const UNNAMED: Refusal = {
  check: 'algorithm',
  message: 'the algorithm of its convolutions cannot be named',
};

/** `strategy`, the device's own, with its algorithm named. */
const by =
  <Tensors, Result>(
    strategy: Strategy<ConvCall, Tensors, Result>,
    deviceOf: (tensors: Tensors) => Device,
  ) =>
  (algorithm: ConvAlgorithm): Strategy<ConvCall, Tensors, Result> => ({
    ...strategy,
    name: `fused:${algorithm}`,
    offeredOn: ({ convAlgorithms }) => convAlgorithms !== undefined,
    supports(call, capabilities) {
      const own = strategy.supports(call, capabilities);
      const refusals = capabilities.convAlgorithms?.check(algorithm, call) ?? [UNNAMED];
      return own.ok
        ? supportOf(refusals, `the device takes it by the algorithm ${algorithm}`)
        : own;
    },
    // Never the choice: `fused` takes the quickest that the device's precision allows.
    cost: () => Number.POSITIVE_INFINITY,
    run(call, tensors, needs) {
      const run = () => strategy.run(call, tensors, needs);
      const { convAlgorithms } = deviceOf(tensors).capabilities;
      return convAlgorithms ? convAlgorithms.with(algorithm, run) : run();
    },
  });

const ALGORITHMS: readonly ConvAlgorithm[] = ['direct', 'winograd', 'fft'];

/** `fused:direct`, `fused:winograd`, `fused:fft`. */
export const fusedBackwardBy = ALGORITHMS.map(
  by(fusedBackward, ({ gradOutput }) => gradOutput.device),
);
export const fusedForwardBy = ALGORITHMS.map(by(fusedForward, ({ input }) => input.device));
