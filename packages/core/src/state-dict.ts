import { instanceOfBrand } from './shared.js';
import type { Tensor } from './tensor/tensor.js';

const BRAND = Symbol.for('voxgrad.StateDict');

/** What PyTorch's `_metadata` says of one module: at least its version. */
export interface ModuleMetadata {
  readonly version?: number;
  readonly [key: string]: unknown;
}

/**
 * Parameters and buffers by PyTorch's key, in PyTorch's order. `metadata` maps module names
 * ('' is the whole model) to what `_metadata` says of them; undefined where a file has none.
 */
export class StateDict extends Map<string, Tensor> {
  readonly [BRAND] = true;
  metadata: Map<string, ModuleMetadata> | undefined;

  static override [Symbol.hasInstance](value: unknown): boolean {
    return instanceOfBrand(this, StateDict, BRAND, value);
  }
}
