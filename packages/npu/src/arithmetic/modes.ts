// Which precision a device computes in.

import { argumentError, type DType, describe } from '@voxgrad/core';
import { lowersFloat32 } from '../checks/dtypes.js';
import type { Soc } from '../profile/socs.js';
import type { Precision } from './round.js';

/**
 * - `exact`: the host's arithmetic, and no float16 or bfloat16;
 * - `device`: what the chip does by default: float32 convolutions in HF32 (A2, A3 and later) or in
 *   float16 (before), tensors of float16 and bfloat16 rounded after every operation;
 * - `hf32`, `float16`, `bfloat16`: the same with that precision for float32 convolutions.
 */
export const ARITHMETICS = ['exact', 'hf32', 'float16', 'bfloat16', 'device'] as const;
export type Arithmetic = (typeof ARITHMETICS)[number];

export interface ArithmeticMode {
  readonly name: Arithmetic;
  /** What float32 operands of a convolution are rounded to; null leaves them. */
  readonly cube: Precision | null;
  /** 16-bit floats that compute. */
  readonly halves: readonly DType[];
}

/** Families without bfloat16. Source: doc_bwd_products. */
const NO_BFLOAT16: readonly string[] = ['Ascend910', 'Ascend310P'];

/** What `arithmetic` means on `soc`. Sources: hf32 (default of float32), hf32_round (who has HF32). */
export function arithmeticMode(soc: Soc, arithmetic: Arithmetic | undefined): ArithmeticMode {
  const name = arithmetic ?? 'exact';
  if (!ARITHMETICS.includes(name))
    throw argumentError(
      `npu(): arithmetic must be one of ${ARITHMETICS.join(', ')}, but got ${describe(arithmetic)}`,
    );
  if (name === 'exact') return { name, cube: null, halves: [] };
  const hasBfloat16 = !NO_BFLOAT16.includes(soc.family);
  const lacks = name === 'hf32' ? lowersFloat32(soc) : name === 'bfloat16' && !hasBfloat16;
  if (lacks)
    throw argumentError(
      `npu(): ${soc.name} has no ${name}; its arithmetic is 'exact', 'float16' or 'device'`,
    );
  const halves: DType[] = hasBfloat16 ? ['float16', 'bfloat16'] : ['float16'];
  return { name, cube: name === 'device' ? defaultOf(soc) : name, halves };
}

/** For Ascend950 and its like that of A2 and A3 (inferred); of other chips nothing is known. */
function defaultOf(soc: Soc): Precision | null {
  if (lowersFloat32(soc)) return 'float16';
  return soc.backward === 'arch22' || soc.backward === 'arch35' ? 'hf32' : null;
}
