import {
  argumentError,
  type DeviceLike,
  type DType,
  isDType,
  isFloat,
  type Tensor,
} from '@voxgrad/core';
import type { Module } from './module.js';
import { Parameter } from './parameter.js';

/** Replaces the tensors of a module and all below; those that were shared stay shared. */
export function convertTensors(root: Module, target: DType | DeviceLike): void {
  if (isDType(target) && !isFloat(target))
    throw argumentError(
      `Module.to only accepts floating point dtypes, but got desired dtype=${target}`,
    );
  const convert = (x: Tensor) => (isDType(target) && !isFloat(x.dtype) ? x : x.detach().to(target));
  const done = new Map<Tensor, Tensor>();
  const once = (x: Tensor, make: () => Tensor) => {
    const known = done.get(x) ?? make();
    done.set(x, known);
    return known;
  };
  for (const module of root.modules()) {
    for (const { property, value } of module.ownParameters()) {
      const { requiresGrad } = value;
      const moved = once(value, () => new Parameter(convert(value), { requiresGrad }));
      module.replaceMember(property, moved);
    }
    for (const { property, value } of module.ownBuffers()) {
      const moved = once(value, () => convert(value));
      module.replaceMember(property, moved);
    }
  }
}
