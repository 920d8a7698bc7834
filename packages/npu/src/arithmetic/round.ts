// Rounding of float32 numbers to what the cube unit multiplies.
//
//   HF32      8 bits of exponent and 11 of mantissa: float32 without its last 12 bits (hf32_bits)
//   float16   5 and 10, to infinity from 65520 on
//   bfloat16  8 and 7
//
// All round to nearest, ties to even. For HF32 that is one of two modes of the hardware (hf32_round);
// that convolutions use it is inferred, and so is that of float16 and bfloat16.

import type { SourceKey } from '../profile/sources.js';

export type Precision = 'hf32' | 'float16' | 'bfloat16';

export const ROUNDING_SOURCES: readonly SourceKey[] = ['hf32', 'hf32_bits', 'hf32_round'];

/** Bits of float32's mantissa that HF32 drops. Source: hf32_bits. */
const HF32_DROPPED = 12;

/** Each number rounded to HF32, in place. Infinities and NaN stay. */
export function roundToHf32(values: Float32Array): void {
  const bits = new Uint32Array(values.buffer, values.byteOffset, values.length);
  const half = 2 ** (HF32_DROPPED - 1) - 1;
  const kept = ~(2 ** HF32_DROPPED - 1);
  for (let i = 0; i < bits.length; i++) {
    const word = bits[i];
    if ((word & 0x7f800000) === 0x7f800000) continue;
    bits[i] = (word + half + ((word >>> HF32_DROPPED) & 1)) & kept;
  }
}
