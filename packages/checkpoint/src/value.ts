import type { StateDict, Tensor } from '@voxgrad/core';

/** Keys of a loaded dict: Python's str, int, float, bool and None. */
export type LoadedKey = string | number | bigint | boolean | null;

/**
 * What a checkpoint holds. Python dicts are Maps (a module's state dict is a `StateDict`), lists,
 * tuples and `torch.Size` are arrays, bytes are `Uint8Array`; dtypes and devices are their names.
 */
export type Loaded =
  | Tensor
  | StateDict
  | Map<LoadedKey, Loaded>
  | Set<Loaded>
  | Loaded[]
  | Uint8Array<ArrayBuffer>
  | string
  | number
  | bigint
  | boolean
  | null;

/** Values nested deeper than this are refused, in both directions. Python's own limit is lower. */
export const MAX_DEPTH = 512;

/** Dimensions of a tensor in a file; PyTorch's own kernels stop at 64. */
export const MAX_DIMS = 64;
