import { bytesPerElement, type DType, hostArrayOver, Storage } from '@voxgrad/core';

/** A storage over all of `buffer`, which becomes its own; `writes` of another over the same bytes. */
export function storageOver(
  dtype: DType,
  buffer: ArrayBuffer,
  writes?: Storage['writes'],
): Storage {
  const array = hostArrayOver(
    dtype,
    buffer,
    0,
    Math.floor(buffer.byteLength / bytesPerElement(dtype)),
  );
  // A bool is 0 or 1 in memory; a file may hold any byte.
  if (dtype === 'bool')
    new Uint8Array(buffer).forEach((byte, i, all) => {
      if (byte > 1) all[i] = 1;
    });
  return new Storage(dtype, array, writes);
}
