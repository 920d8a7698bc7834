// Writes as the reference writer does: wide dtypes first so that every tensor is aligned, then by
// name; the header padded with spaces to a multiple of 8 (safetensors/src/tensor.rs, `prepare`).

import { bytesPerElement, Tensor } from '@voxgrad/core';
import { CheckpointError } from '../error.js';
import { elementName } from './dtypes.js';

/** The bytes of a safetensors file that holds the tensors of `value`, a map from names. */
export async function writeSafetensors(value: unknown): Promise<Uint8Array> {
  const tensors = tensorsOf(value);
  const width = (tensor: Tensor) => bytesPerElement(tensor.dtype);
  tensors.sort(([a, x], [b, y]) => width(y) - width(x) || (a < b ? -1 : 1));

  const header: [string, object][] = [];
  let size = 0;
  for (const [name, tensor] of tensors) {
    const end = size + tensor.numel * width(tensor);
    const { shape } = tensor;
    header.push([name, { dtype: elementName(tensor.dtype), shape, data_offsets: [size, end] }]);
    size = end;
  }
  const head = headerBytes(header);
  const file = new Uint8Array(head.length + size);
  file.set(head);
  let at = head.length;
  for (const [, tensor] of tensors) {
    const { buffer, byteOffset, byteLength } = await tensor.data();
    file.set(new Uint8Array(buffer, byteOffset, byteLength), at);
    at += byteLength;
  }
  return file;
}

function headerBytes(entries: readonly [string, object][]): Uint8Array {
  // Joined by hand: an object would move integer-like names to the front.
  const fields = entries.map(([name, entry]) => `${JSON.stringify(name)}:${JSON.stringify(entry)}`);
  const text = new TextEncoder().encode(`{${fields.join(',')}}`);
  const padded = new Uint8Array(8 + Math.ceil(text.length / 8) * 8).fill(0x20);
  new DataView(padded.buffer).setBigUint64(0, BigInt(padded.length - 8), true);
  padded.set(text, 8);
  return padded;
}

function tensorsOf(value: unknown): [string, Tensor][] {
  if (typeof value !== 'object' || value === null || value instanceof Tensor)
    throw new CheckpointError('VALUE', 'safetensors holds named tensors: save a Map of them');
  const entries: [unknown, unknown][] = value instanceof Map ? [...value] : Object.entries(value);
  return entries.map(([name, tensor]) => {
    if (typeof name !== 'string' || name === '__metadata__')
      throw new CheckpointError('VALUE', `${String(name)} is no name of a tensor in safetensors`);
    if (!(tensor instanceof Tensor))
      throw new CheckpointError(
        'VALUE',
        "is not a tensor, and safetensors holds nothing else. Use { format: 'torch' }",
        { path: [name] },
      );
    return [name, tensor];
  });
}
