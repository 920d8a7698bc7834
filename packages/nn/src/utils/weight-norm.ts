// Weight normalisation (Salimans and Kingma 2016, "Weight Normalization: A Simple
// Reparameterization to Accelerate Training of Deep Neural Networks", arXiv:1602.07868).

import { checkOptions, norm, normalizeDim, type Tensor } from '@voxgrad/core';
import type { Module } from '../module.js';
import { Parameter } from '../parameter.js';
import { parameterOf, reparametrize, restore } from './reparametrize.js';

/** Options of {@link weightNorm}. */
export interface WeightNormOptions {
  /** The parameter's property; 'weight'. */
  name?: string;
  /** Each slice of this dim (0) has its own length; null (or −1) for one length of the whole. */
  dim?: number | null;
}

/**
 * Splits a weight into its length g and its direction v: weight = g·v / ‖v‖. State dicts then hold
 * `weight_g` and `weight_v`. Returns the module.
 */
export function weightNorm<M extends Module>(module: M, options: WeightNormOptions = {}): M {
  checkOptions('weightNorm', options, { name: true, dim: 'nullable' });
  const { name = 'weight', dim = 0 } = options;
  const weight = parameterOf(module, name, 'weight_norm');
  const key = module.stateName(name);
  const length = (v: Tensor): Tensor => {
    const whole = dim === null || dim === -1;
    const kept = whole ? -1 : normalizeDim(dim, v.ndim);
    const axes = v.shape.flatMap((_, axis) => (axis === kept ? [] : [axis]));
    return axes.length === 0 ? v.abs() : norm(v, 2, axes, { keepdim: !whole });
  };
  const parts = [`${key}_g`, `${key}_v`];
  Reflect.deleteProperty(module, name);
  module.registerParameter(parts[0], new Parameter(length(weight.detach())));
  module.registerParameter(parts[1], new Parameter(weight.detach()));
  const compute = () => {
    const [g, v] = parts.map((part) => module.getParameter(part));
    return v.mul(g.div(length(v)));
  };
  Object.assign(module, { [name]: compute() });
  reparametrize(module, name, 'weight_norm', parts, compute);
  return module;
}

/** Undoes {@link weightNorm}, keeping the weight's value. */
export function removeWeightNorm<M extends Module>(
  module: M,
  options: Pick<WeightNormOptions, 'name'> = {},
): M {
  checkOptions('removeWeightNorm', options, ['name']);
  restore(module, options.name ?? 'weight', 'weight_norm');
  return module;
}
