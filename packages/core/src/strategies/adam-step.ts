// One step of Adam on a parameter, in place: the device's kernel, or operations on whole tensors.

import type { AdamNumbers, AdamViews } from '../device/device.js';
import type { DType } from '../tensor/dtype.js';
import { Tensor } from '../tensor/tensor.js';
import { fusedSupport } from './batch-norm.js';
import { passes } from './cost-model.js';
import { missing } from './device-error.js';
import type { Operation } from './operation.js';
import { dtypeOf, sizeClass, sizesOf } from './sizes.js';
import type { Strategy } from './types.js';

/** `explain('adam.step', { parameter: [16, 8, 3, 3, 3], dtype: 'float32' })`. */
export interface AdamStepCall {
  readonly parameter: readonly number[];
  readonly dtype: DType;
  /** Whether a largest square so far divides. */
  readonly amsgrad: boolean;
  /** Whether every tensor of the step has the parameter's dtype and device, its elements in a row. */
  readonly plain: boolean;
}

export interface AdamStepTensors {
  readonly tensors: AdamViews<Tensor>;
  readonly numbers: AdamNumbers;
}

/** Writes the new parameter and moments in place, and returns nothing. */
export type AdamStepStrategy = Strategy<AdamStepCall, AdamStepTensors, void>;

const op = 'adam.step';

const elements = ({ parameter }: AdamStepCall) => parameter.reduce((a, b) => a * b, 1);

const fused: AdamStepStrategy = {
  op,
  name: 'fused',
  kind: 'fused',
  supports({ dtype, plain }, capabilities) {
    const support = fusedSupport('adamStep', dtype, capabilities);
    if (!support.ok || plain) return support;
    return { ok: false, reasons: ['adamStep takes contiguous tensors of one dtype and device'] };
  },
  cost: (call, capabilities) => passes(capabilities, 1, 7 * elements(call)),
  run(_, { tensors, numbers }) {
    const { parameter, mean, square, largest } = tensors;
    const run = parameter.device.kernels.adamStep ?? missing(parameter.device, 'adamStep');
    run(tensors, numbers);
    for (const tensor of [parameter, mean, square, largest])
      if (tensor) tensor.storage.writes.count++;
  },
};

const composite: AdamStepStrategy = {
  op,
  name: 'composite',
  kind: 'composite',
  supports: () => ({ ok: true, reasons: ['in-place operations on whole tensors'] }),
  cost: (call, capabilities) => passes(capabilities, 8, 20 * elements(call)),
  run(_, { tensors, numbers }) {
    const { parameter, gradient, mean, square, largest } = tensors;
    const { beta1, beta2, eps, size, root } = numbers;
    const m = mean.mul_(beta1).add_(gradient, { alpha: 1 - beta1 });
    let v = square.mul_(beta2).addcmul_(gradient, gradient, { value: 1 - beta2 });
    if (largest) v = largest.copy_(largest.maximum(v));
    parameter.addcdiv_(m, v.sqrt().div(root).add(eps), { value: -size });
  },
};

export const adamStepOperation: Operation<AdamStepCall, AdamStepTensors> = {
  op,
  normalize(name, call) {
    const { amsgrad = false, plain = true } = call as Partial<AdamStepCall>;
    return { parameter: sizesOf(name, call, 'parameter'), dtype: dtypeOf(call), amsgrad, plain };
  },
  plain: (call) => call,
  key: ({ parameter, dtype, amsgrad, plain }) => `${dtype},${amsgrad},${plain},${parameter}`,
  shapeClass: (call) => sizeClass(elements(call)),
  samples: (dtype) =>
    [[64, 64, 3, 3, 3], [16]].map((parameter) => ({
      parameter,
      dtype,
      amsgrad: false,
      plain: true,
    })),
  tensors({ parameter, dtype }, device) {
    const filled = () => Tensor.filled(parameter, 0.5, dtype, device);
    return {
      tensors: {
        parameter: filled(),
        gradient: filled(),
        mean: filled(),
        square: filled(),
        largest: null,
      },
      numbers: { beta1: 0.9, beta2: 0.999, eps: 1e-8, size: 1e-3, root: 1 },
    };
  },
};

export const adamStepStrategies = [fused, composite];
