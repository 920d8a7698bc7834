// Element types of safetensors (github.com/huggingface/safetensors, safetensors/src/tensor.rs).

import type { DType } from '@voxgrad/core';
import type { FileDType } from '../elements.js';

interface Element {
  readonly bits: number;
  /** Undefined for those that cannot be held here. */
  readonly type?: FileDType;
}

export const ELEMENTS: ReadonlyMap<string, Element> = new Map([
  ['F64', { bits: 64, type: 'float64' }],
  ['F32', { bits: 32, type: 'float32' }],
  ['F16', { bits: 16, type: 'float16' }],
  ['BF16', { bits: 16, type: 'bfloat16' }],
  ['I64', { bits: 64, type: 'int64' }],
  ['I32', { bits: 32, type: 'int32' }],
  ['I16', { bits: 16, type: 'int16' }],
  ['I8', { bits: 8, type: 'int8' }],
  ['U8', { bits: 8, type: 'uint8' }],
  ['BOOL', { bits: 8, type: 'bool' }],
  ['C64', { bits: 64 }],
  ['U64', { bits: 64, type: 'uint64' }],
  ['U32', { bits: 32, type: 'uint32' }],
  ['U16', { bits: 16, type: 'uint16' }],
  ['F8_E5M2', { bits: 8 }],
  ['F8_E4M3', { bits: 8 }],
  ['F8_E5M2FNUZ', { bits: 8 }],
  ['F8_E4M3FNUZ', { bits: 8 }],
  ['F8_E8M0', { bits: 8 }],
  ['F6_E2M3', { bits: 6 }],
  ['F6_E3M2', { bits: 6 }],
  ['F4', { bits: 4 }],
]);

const NAMES = new Map([...ELEMENTS].map(([name, { type }]) => [type, name]));

/** The name of `dtype` in a safetensors header. */
export function elementName(dtype: DType): string {
  const name = NAMES.get(dtype);
  if (name === undefined) throw new TypeError(`safetensors has no element for ${dtype}`);
  return name;
}
