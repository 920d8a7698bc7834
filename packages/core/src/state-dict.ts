import type { Tensor } from './tensor/tensor.js';

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
  metadata: Map<string, ModuleMetadata> | undefined;
}
