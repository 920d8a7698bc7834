// Bytes of a file as elements of a tensor: byte order, alignment, and types without a dtype here.

import {
  bytesPerElement,
  DTYPES,
  type DType,
  type HostArray,
  hostArrayOver,
  isDType,
} from '@voxgrad/core';
import { type Content, fileError } from './source.js';

/** Element types of files. Unsigned ones without a dtype come as the next wider signed dtype. */
export type FileDType = DType | 'uint16' | 'uint32' | 'uint64';
export type ByteOrder = 'little' | 'big';

const WIDENED = { uint16: 'int32', uint32: 'int64', uint64: 'int64' } as const;
const UNSIGNED_BYTES = { uint16: 2, uint32: 4, uint64: 8 } as const;

export const isFileDType = (value: unknown): value is FileDType =>
  isDType(value) || (typeof value === 'string' && Object.hasOwn(WIDENED, value));

/** All of them, for messages. */
export const FILE_DTYPES: readonly string[] = [...DTYPES, ...Object.keys(WIDENED)];

/** The dtype that holds every value of `type`. */
export const dtypeFor = (type: FileDType): DType => (isDType(type) ? type : WIDENED[type]);

export const bytesPer = (type: FileDType): number =>
  isDType(type) ? bytesPerElement(type) : UNSIGNED_BYTES[type];

const HOST_ORDER: ByteOrder = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1 ? 'little' : 'big';

/** `count` elements from byte `offset` on, in memory of their own. The caller has checked the size. */
export function decode(
  content: Content,
  offset: number,
  count: number,
  type: FileDType,
  order: ByteOrder,
): HostArray {
  const size = bytesPer(type);
  const { buffer } = content.bytes.slice(offset, offset + count * size);
  if (order !== HOST_ORDER) swap(buffer, size);
  // A bool is 0 or 1 in memory; a file may hold any byte.
  if (type === 'bool') return new Uint8Array(buffer).map((byte) => (byte === 0 ? 0 : 1));
  if (isDType(type)) return hostArrayOver(type, buffer, 0, count);
  return widen(content.name, buffer, type);
}

function widen(name: string, buffer: ArrayBuffer, type: keyof typeof WIDENED): HostArray {
  if (type === 'uint16') return Int32Array.from(new Uint16Array(buffer));
  if (type === 'uint32') return BigInt64Array.from(new Uint32Array(buffer), BigInt);
  const wide = new BigInt64Array(buffer);
  if (wide.some((value) => value < 0n))
    throw fileError(
      'UNSUPPORTED',
      name,
      'holds uint64 values above 2^63 - 1, which no dtype here can; save them as float64',
    );
  return wide;
}

/** Reverses the bytes of every element. */
function swap(buffer: ArrayBuffer, size: number): void {
  const view = new DataView(buffer);
  const end = buffer.byteLength;
  if (size === 2) for (let i = 0; i < end; i += 2) view.setUint16(i, view.getUint16(i), true);
  if (size === 4) for (let i = 0; i < end; i += 4) view.setUint32(i, view.getUint32(i), true);
  if (size === 8) for (let i = 0; i < end; i += 8) view.setBigUint64(i, view.getBigUint64(i), true);
}
