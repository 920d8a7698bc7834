// Writes as the reference writer does: wide dtypes first so that every tensor is aligned, then by
// name; the header padded with spaces to a multiple of 8 (safetensors/src/tensor.rs, `prepare`).

import { bytesPerElement, type DType, type Tensor } from '@voxgrad/core';
import { CheckpointError } from '../error.js';
import { tensorsByName } from '../write/by-name.js';
import type { Contents, Pieces } from '../write/contents.js';
import { tensorPieces } from '../write/elements.js';
import { elementName } from './dtypes.js';
import { MAX_HEADER_BYTES } from './header.js';

/** In the order of the reference, which is that of its enum `Dtype` from the last to the first. */
const ORDER: readonly DType[] = [
  ...(['int64', 'float64'] as const),
  ...(['float32', 'int32'] as const),
  ...(['bfloat16', 'float16', 'int16'] as const),
  ...(['int8', 'uint8', 'bool'] as const),
];

/**
 * A safetensors file that holds the tensors of `value`, a map from names. Tensors that share a storage
 * are written once each: the format cannot say that they share.
 */
export function safetensorsContents(
  value: unknown,
  metadata?: Readonly<Record<string, string>>,
): Contents {
  const named = tensorsByName(value, 'safetensors');
  if (named.some(([name]) => name === '__metadata__'))
    throw new CheckpointError(
      'VALUE',
      '__metadata__ is no name of a tensor in safetensors; texts go into the option metadata',
    );
  const tensors = inOrder(named);
  const fields: string[] = metadata ? [`"__metadata__":${JSON.stringify(textsOf(metadata))}`] : [];
  let size = 0;
  for (const [name, { dtype, shape, numel }] of tensors) {
    const end = size + numel * bytesPerElement(dtype);
    const entry = { dtype: elementName(dtype), shape, data_offsets: [size, end] };
    // Joined by hand: an object would move integer-like names to the front.
    fields.push(`${JSON.stringify(name)}:${JSON.stringify(entry)}`);
    size = end;
  }
  const header = headerBytes(fields);
  return {
    size: header.length + size,
    pieces: () => write(header, tensors),
    storages: tensors.map(([, tensor]) => tensor.storage),
  };
}

async function* write(header: Uint8Array, tensors: readonly [string, Tensor][]): Pieces {
  yield header;
  for (const [, tensor] of tensors) yield* tensorPieces(tensor);
}

/** Names are compared by their UTF-8 bytes, as Rust does. */
function inOrder(named: readonly [string, Tensor][]): [string, Tensor][] {
  const text = new TextEncoder();
  return named
    .map((entry) => ({ entry, rank: ORDER.indexOf(entry[1].dtype), name: text.encode(entry[0]) }))
    .sort((a, b) => a.rank - b.rank || compareBytes(a.name, b.name))
    .map(({ entry }) => entry);
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const at = a.findIndex((byte, i) => byte !== b[i]);
  return at < 0 || at >= b.length ? a.length - b.length : a[at] - b[at];
}

function headerBytes(fields: readonly string[]): Uint8Array {
  const text = new TextEncoder().encode(`{${fields.join(',')}}`);
  const length = Math.ceil(text.length / 8) * 8;
  if (length > MAX_HEADER_BYTES)
    throw new CheckpointError(
      'LIMIT',
      `the names, shapes and metadata take ${length} bytes; safetensors allows ${MAX_HEADER_BYTES}`,
    );
  const padded = new Uint8Array(8 + length).fill(0x20);
  new DataView(padded.buffer).setBigUint64(0, BigInt(length), true);
  padded.set(text, 8);
  return padded;
}

function textsOf(metadata: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  for (const [name, text] of Object.entries(metadata))
    if (typeof text !== 'string' || /\p{Surrogate}/u.test(name + text))
      throw new CheckpointError(
        'VALUE',
        `the metadata of safetensors are texts, and that of ${JSON.stringify(name)} is none; ` +
          'JSON.stringify(…) makes one of anything',
      );
  return metadata;
}
