// Divisors and multiples of whole numbers; they carry no gradient.

import { requireTensors } from '../arguments.js';
import { resultType } from '../tensor/dtype.js';
import type { Tensor } from '../tensor/tensor.js';
import { where } from './binary.js';
import { broadcastOperands, checkOperand, requireKind, type TensorOrScalar } from './operands.js';

/** The greatest common divisor, of integers; 0 of two zeros. */
export function gcd(a: Tensor, b: TensorOrScalar): Tensor {
  requireTensors('gcd', { a });
  requireKind('gcd_cpu', resultType(checkOperand('gcd', a), checkOperand('gcd', b)), 'integer');
  let [x, y] = broadcastOperands('gcd', [a, b]);
  // Euclid's algorithm on all pairs until the last one is done.
  while (y.any().item()) {
    const done = y.eq(0);
    [x, y] = [where(done, x, y), where(done, 0, x.fmod(where(done, 1, y)))];
  }
  return x.abs();
}

/** The least common multiple, of integers; 0 where one is. */
export function lcm(a: Tensor, b: TensorOrScalar): Tensor {
  const divisor = gcd(a, b);
  return a
    .floorDivide(where(divisor.eq(0), 1, divisor))
    .mul(b)
    .abs();
}
