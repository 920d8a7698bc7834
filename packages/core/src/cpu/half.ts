// 16-bit floats as raw words. float16 through a library; bfloat16 is the upper half of a float32.

import { getFloat16, setFloat16 } from '@petamoriken/float16';

const scratch = new DataView(new ArrayBuffer(4));

export function float16ToNumber(word: number): number {
  scratch.setUint16(0, word);
  return getFloat16(scratch, 0);
}

/** Rounds to nearest, ties to even, by way of float32 as PyTorch does. */
export function numberToFloat16(value: number): number {
  setFloat16(scratch, 0, Math.fround(value));
  return scratch.getUint16(0);
}

export function bfloat16ToNumber(word: number): number {
  scratch.setUint32(0, word << 16);
  return scratch.getFloat32(0);
}

/** Rounds to nearest, ties to even, by way of float32 as PyTorch does. */
export function numberToBfloat16(value: number): number {
  if (Number.isNaN(value)) return 0x7fc0;
  scratch.setFloat32(0, value);
  const bits = scratch.getUint32(0);
  return ((bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16) & 0xffff;
}
