import { Storage, Tensor } from '@voxgrad/core';
import { dtypeFor, elementsFrom } from '../elements.js';
import type { Checkpoint } from '../format.js';
import { type NamedTensor, namedTensors } from '../named-tensors.js';
import type { Source } from '../source.js';
import { ELEMENTS } from './dtypes.js';
import { readHeader, type TensorEntry } from './header.js';

/** Opens a safetensors file; it loads as a StateDict with the keys in the order of their data. */
export async function openSafetensors(source: Source): Promise<Checkpoint> {
  const { entries, metadata } = await readHeader(source);
  return namedTensors(
    'safetensors',
    entries.map((entry) => tensorIn(source, entry)),
    { metadata, source },
  );
}

function tensorIn(
  source: Source,
  { name, element, shape, begin, length }: TensorEntry,
): NamedTensor {
  const type = ELEMENTS.get(element)?.type;
  const bytes = [begin, begin + length] as const;
  if (type === undefined) {
    const unreadable = `has the dtype ${element}, which cannot be loaded. Convert it before saving`;
    return { info: { name, dtype: element, shape, bytes, unreadable } };
  }
  return {
    info: { name, dtype: type, shape, bytes },
    async read(device) {
      // A fresh buffer per tensor: in the file they need not be aligned to their element size.
      const elements = await source.read(begin, length, name);
      const storage = new Storage(dtypeFor(type), elementsFrom(elements, type, 'little'));
      return new Tensor({ storage, device, shape });
    },
  };
}
