// Elements in the middle of a file; what they become is decided in the checkpoint package.

import {
  type ByteOrder,
  bytesPer,
  CheckpointError,
  elementsFrom,
  type FileDType,
} from '@voxgrad/checkpoint/arrays';
import type { HostArray } from '@voxgrad/core';
import type { Content } from './source.js';

/** `count` elements from byte `offset` on, in memory of their own. The caller has checked the size. */
export function decode(
  { name, bytes }: Content,
  offset: number,
  count: number,
  type: FileDType,
  order: ByteOrder,
): HostArray {
  return named(name, () =>
    elementsFrom(bytes.slice(offset, offset + count * bytesPer(type)), type, order),
  );
}

/** Runs `read` so that its errors name the file. */
export function named<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof CheckpointError ? error.in(name) : error;
  }
}
