// Unsigned integers, which PyTorch 2.3, NumPy and safetensors have and this library has not: they
// become the signed dtype that holds their values.

import type { DType } from '@voxgrad/core';

export type WidenedType = 'uint16' | 'uint32' | 'uint64';

const WIDENED: Readonly<Record<WidenedType, { readonly dtype: DType; readonly bytes: number }>> = {
  uint16: { dtype: 'int32', bytes: 2 },
  uint32: { dtype: 'int64', bytes: 4 },
  uint64: { dtype: 'int64', bytes: 8 },
};

export const isWidened = (type: string): type is WidenedType => Object.hasOwn(WIDENED, type);

/** The dtype that elements of `type` become. */
export const widenedDType = (type: WidenedType): DType => WIDENED[type].dtype;

/** Bytes of an element of `type` in a file. */
export const widenedBytes = (type: WidenedType): number => WIDENED[type].bytes;

/**
 * Little-endian elements of `type` as those of `widenedDType(type)`: in a buffer of their own, or of a
 * uint64 in the same. Undefined if one is 2^63 or more, which no dtype here holds.
 */
export function widen(type: WidenedType, buffer: ArrayBuffer): ArrayBuffer | undefined {
  const length = Math.floor(buffer.byteLength / WIDENED[type].bytes);
  if (type === 'uint16') return Int32Array.from(new Uint16Array(buffer, 0, length)).buffer;
  if (type === 'uint32') {
    // The low halves of int64, without a bigint for each.
    const halves = new Uint32Array(2 * length);
    const values = new Uint32Array(buffer, 0, length);
    for (let i = 0; i < length; i++) halves[2 * i] = values[i];
    return halves.buffer;
  }
  const halves = new Int32Array(buffer, 0, 2 * length);
  for (let i = 1; i < halves.length; i += 2) if (halves[i] < 0) return undefined;
  return buffer;
}
