import { checkOptions, instanceOfBrand, requireTensors, Tensor } from '@voxgrad/core';

const BRAND = Symbol.for('voxgrad.nn.Parameter');

/** A tensor that a module learns: a leaf that requires gradients. Shares storage with `data`. */
export class Parameter extends Tensor {
  readonly [BRAND] = true;

  constructor(data: Tensor, options: { requiresGrad?: boolean } = {}) {
    requireTensors('Parameter', { data });
    checkOptions('Parameter', options, ['requiresGrad']);
    super(data);
    this.requiresGrad = options.requiresGrad ?? true;
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return instanceOfBrand(this, Parameter, BRAND, value);
  }
}
