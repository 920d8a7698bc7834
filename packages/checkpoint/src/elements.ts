// Bytes of a file as elements of a tensor: byte order, and types without a dtype here.

import {
  bytesPerElement,
  DTYPES,
  type DType,
  type HostArray,
  hostArrayOver,
  isDType,
} from '@voxgrad/core';
import { CheckpointError } from './error.js';
import { isWidened, type WidenedType, widen, widenedBytes, widenedDType } from './widen.js';

/** Element types of files. Unsigned ones without a dtype come as the next wider signed dtype. */
export type FileDType = DType | WidenedType;

export type ByteOrder = 'little' | 'big';

/** All of them, for messages. */
export const FILE_DTYPES: readonly string[] = [...DTYPES, 'uint16', 'uint32', 'uint64'];

export const isFileDType = (value: unknown): value is FileDType =>
  isDType(value) || (typeof value === 'string' && isWidened(value));

/** The dtype that holds every value of `type`, but for a uint64 of 2^63 and more. */
export const dtypeFor = (type: FileDType): DType => (isWidened(type) ? widenedDType(type) : type);

export const bytesPer = (type: FileDType): number =>
  isWidened(type) ? widenedBytes(type) : bytesPerElement(type);

/**
 * Elements of `type` from `bytes`, which are whole elements, alone in their buffer, and become the
 * result's own.
 * @throws CheckpointError as {@link elementsOver}
 */
export function elementsFrom(
  bytes: Uint8Array<ArrayBuffer>,
  type: FileDType,
  order: ByteOrder,
): HostArray {
  if (order === 'big') swapBytes(bytes, bytesPer(type));
  return elementsOver(bytes.buffer, type);
}

/**
 * The little-endian elements of `type` that `buffer` holds: `buffer` itself, seen as an array,
 * unless its elements have to become others.
 * @throws CheckpointError for a uint64 that no dtype here holds
 */
export function elementsOver(buffer: ArrayBuffer, type: FileDType): HostArray {
  const dtype = dtypeFor(type);
  const over = (whole: ArrayBuffer): HostArray =>
    hostArrayOver(dtype, whole, 0, Math.floor(whole.byteLength / bytesPerElement(dtype)));
  if (isWidened(type)) {
    const wide = widen(type, buffer);
    if (wide !== undefined) return over(wide);
    throw new CheckpointError(
      'UNSUPPORTED',
      'holds uint64 values above 2^63 - 1, which no dtype here can; save them as float64',
    );
  }
  // A bool is 0 or 1 in memory; a file may hold any byte, and another tensor may look at it.
  const isOdd = type === 'bool' && new Uint8Array(buffer).some((byte) => byte > 1);
  return over(isOdd ? new Uint8Array(buffer).map((byte) => (byte === 0 ? 0 : 1)).buffer : buffer);
}

/** Turns the byte order of all elements of `unit` bytes in `bytes` around, in place. */
export function swapBytes(bytes: Uint8Array, unit: number): void {
  if (unit === 1) return;
  for (let start = 0; start + unit <= bytes.length; start += unit)
    for (let low = start, high = start + unit - 1; low < high; low++, high--)
      [bytes[low], bytes[high]] = [bytes[high], bytes[low]];
}
