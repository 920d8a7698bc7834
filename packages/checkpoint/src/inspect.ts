import { checkOptions } from '@voxgrad/core';
import type { Format, OutlineEntry, TensorInfo, Unreadable } from './format.js';
import { withCheckpoint } from './open.js';
import { checkKinds } from './option-kinds.js';
import type { CheckpointSource, SourceOptions } from './source.js';

/** What a checkpoint holds, in a form that `JSON.stringify` writes. */
export interface Inspection {
  readonly format: Format;
  /** Bytes of the file. */
  readonly size: number;
  /** Every tensor, in the order of the file; one under two names is there twice. */
  readonly tensors: readonly TensorInfo[];
  /** Texts beside the tensors, such as the `__metadata__` of safetensors. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** What the outermost value holds, in formats that hold more than named tensors. */
  readonly outline?: readonly OutlineEntry[];
  /** Objects other than tensors that have no counterpart here. */
  readonly unreadable?: readonly Unreadable[];
  /** What the names of the tensors that `loadStateDict` reads begin with; undefined if it finds none. */
  readonly stateDictPrefix?: string;
}

/**
 * Lists a checkpoint without reading its tensors: names, dtypes, shapes, strides, and where in the
 * file their bytes are.
 *
 * @param source as for `load`
 * @throws CheckpointError saying what the file is, where it broke and what to do
 */
export async function inspect(
  source: CheckpointSource,
  options: SourceOptions = {},
): Promise<Inspection> {
  checkOptions('inspect', options, ['signal', 'headers', 'expansionLimit']);
  checkKinds('inspect', options);
  return withCheckpoint(source, options, async (checkpoint, size) => {
    const { format, tensors, metadata, outline, unreadable } = checkpoint;
    const stateDictPrefix = prefixOf(() => checkpoint.findStateDict?.({ pickledModules: true }));
    return {
      format,
      size,
      tensors,
      ...(metadata && { metadata }),
      ...(outline && { outline }),
      ...(unreadable && unreadable.length > 0 && { unreadable }),
      ...(stateDictPrefix !== undefined && { stateDictPrefix }),
    };
  });
}

function prefixOf(find: () => { readonly prefix: string } | undefined): string | undefined {
  try {
    return find()?.prefix ?? '';
  } catch {
    return undefined;
  }
}
